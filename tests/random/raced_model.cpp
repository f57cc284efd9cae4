#include "random/raced_model.h"

#include <array>
#include <string>
#include <string_view>

namespace perdure::random {

namespace {

class RacedWriter {
public:
  explicit RacedWriter(Chance& chance) : chance_(chance) {}

  RandomModel write(int blocks) {
    auto last = node("startEvent", "");
    for (; blocks > 0; --blocks) {
      const auto next = block("", 0);
      flow(last, next.first);
      last = next.last;
    }
    if (chance_.hits(70)) flow(last, node("endEvent", "", chance_.hits(30) ? "signal=done" : ""));
    return {.text = nodes_ + flows_, .variables = R"({"t": 0, "n": 0})"};
  }

private:
  struct Ends {
    std::string first;
    std::string last;
  };

  std::string node(std::string_view kind, const std::string& scope, const std::string& rest = "") {
    auto id = "n" + std::to_string(++last_id_);
    nodes_ += "node " + id + " " + std::string(kind);
    if (!scope.empty()) nodes_ += " in " + scope;
    if (!rest.empty()) nodes_ += " " + rest;
    nodes_ += "\n";
    return id;
  }
  std::string boundary(const std::string& host, const std::string& rest) {
    auto id = "n" + std::to_string(++last_id_);
    nodes_ += "node " + id + " boundaryEvent on " + host + " " + rest + "\n";
    return id;
  }
  void flow(const std::string& source, const std::string& target, const std::string& rest = "") {
    flows_ += "flow " + source + " " + target + " as f" + std::to_string(++last_flow_) +
              (rest.empty() ? "" : " " + rest) + "\n";
  }

  Ends block(const std::string& scope, int depth) {
    switch (chance_.below(depth < 2 ? 14 : 3)) {
      case 0: return atom(scope);
      case 1: return guarded(scope, depth);
      case 2: return event_gateway(scope);
      case 3: return reacting(scope, depth);
      case 4: return broken_off(scope, depth);
      case 5: return own_ends(scope);
      case 6: return dying(scope, depth);
      case 7: return link(scope);
      case 8: return undone(scope);
      case 9: return cancelled(scope);
      case 10: return complex(scope);
      case 11: return parallel(scope, depth);
      case 12: return counted(scope, depth);
      default: return ad_hoc(scope);
    }
  }

  /// One activity or event on its own.
  Ends atom(const std::string& scope) {
    static constexpr auto kAtoms = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"userTask", ""},
        {"serviceTask", "retries=1"},
        {"task", ""},
        {"manualTask", ""},
        {"receiveTask", "message=m"},
        {"businessRuleTask", ""},
        {"scriptTask", "set n = n + 1"},
        {"sendTask", "message=out"},
        {"callActivity", "calls=other"},
        {"intermediateCatchEvent", "message=m"},
        {"intermediateCatchEvent", "signal=s"},
        {"intermediateCatchEvent", "timer=PT5S"},
        {"intermediateCatchEvent", "message=m signal=s"},
        {"intermediateCatchEvent", "message=m timer=PT5S all"},
        {"intermediateThrowEvent", "signal=out"},
        {"intermediateThrowEvent", "message=out"},
        {"intermediateThrowEvent", "escalation=Nobody"},
        {"intermediateThrowEvent", ""},
    });
    const auto& [kind, rest] = chance_.one_of(kAtoms);
    const auto id = node(kind, scope, std::string(rest));
    return {id, id};
  }

  /// Something that rests until somebody comes.
  std::string waiting(const std::string& scope) {
    static constexpr auto kWaiting = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"userTask", ""},
        {"serviceTask", "retries=1"},
        {"receiveTask", "message=m"},
        {"callActivity", "calls=other"},
        {"userTask", "times=2"},
        {"serviceTask", "times=2 one-by-one"},
        {"userTask", "rounds=2 while=true"},
    });
    const auto& [kind, rest] = chance_.one_of(kWaiting);
    return node(kind, scope, std::string(rest));
  }

  std::string trigger() {
    static constexpr auto kTriggers =
        std::to_array<std::string_view>({"timer=PT5S", "message=m", "signal=s", "conditional==t>20",
                                         "message=m signal=s", "message=m timer=PT5S all"});
    return std::string(chance_.one_of(kTriggers));
  }

  /// An activity with events at its boundary.
  Ends guarded(const std::string& scope, int depth) {
    std::string host;
    if (depth < 2 && chance_.hits(40)) {
      host = node("subProcess", scope, chance_.hits(30) ? "times=2" : "");
      const auto inner = waiting(host);
      if (chance_.hits(30)) flow(inner, node("endEvent", host, "escalation=Warn"));
    } else {
      host = waiting(scope);
    }
    const auto merge = node("exclusiveGateway", scope);
    flow(host, merge);
    static constexpr auto kOthers =
        std::to_array<std::string_view>({"error=E", "error", "escalation=Warn", "escalation"});
    const auto late =
        boundary(host, chance_.hits(40) ? std::string(chance_.one_of(kOthers)) : trigger());
    flow(late, merge);
    if (chance_.hits(40)) {
      const auto beside = boundary(host, "beside timer=PT3S");
      flow(beside, node(chance_.hits(50) ? "userTask" : "task", scope));
    }
    return {host, merge};
  }

  Ends event_gateway(const std::string& scope) {
    const auto gateway = node("eventBasedGateway", scope);
    const auto merge = node("exclusiveGateway", scope);
    static constexpr auto kEvents =
        std::to_array<std::string_view>({"message=m", "signal=s", "timer=PT5S"});
    const auto first = chance_.below(3);
    for (int i = 0; i < 2 + chance_.below(2); ++i) {
      const auto event = node("intermediateCatchEvent", scope,
                              std::string(kEvents[static_cast<std::size_t>((first + i) % 3)]));
      flow(gateway, event);
      flow(event, merge);
    }
    return {gateway, merge};
  }

  /// A sub-process with event sub-processes.
  Ends reacting(const std::string& scope, int depth) {
    const auto sub = node("subProcess", scope, chance_.hits(20) ? "times=2" : "");
    const auto begin = node("startEvent", sub);
    const auto work = block(sub, depth + 1);
    flow(begin, work.first);
    if (chance_.hits(60)) {
      const auto around = node("eventSubProcess", sub);
      flow(node("startEvent", around, trigger()), waiting(around));
    }
    if (chance_.hits(50)) {
      const auto around = node("eventSubProcess", sub);
      flow(node("startEvent", around, "beside timer=PT3S"), waiting(around));
    }
    return {sub, sub};
  }

  /// A sub-process in which one branch ends all the others.
  Ends broken_off(const std::string& scope, int depth) {
    const auto sub = node("subProcess", scope);
    const auto begin = node("startEvent", sub);
    const auto work = block(sub, depth + 1);
    const auto other = waiting(sub);
    flow(begin, work.first);
    flow(begin, other);
    if (chance_.hits(50)) {
      flow(other, node("endEvent", sub, "terminate"));
      return {sub, sub};
    }
    flow(other, node("endEvent", sub, "error=E"));
    const auto merge = node("exclusiveGateway", scope);
    flow(sub, merge);
    flow(boundary(sub, chance_.hits(50) ? "error=E" : "error"), merge);
    return {sub, merge};
  }

  /// Branches that end each for itself.
  Ends own_ends(const std::string& scope) {
    const auto sub = node("subProcess", scope);
    const auto begin = node("startEvent", sub);
    for (int i = 0; i < 2; ++i) {
      const auto work = waiting(sub);
      flow(begin, work);
      if (chance_.hits(50)) flow(work, node("endEvent", sub));
    }
    return {sub, sub};
  }

  /// An inclusive join that waits for a token which may end elsewhere.
  Ends dying(const std::string& scope, int depth) {
    const auto fork = node("parallelGateway", scope);
    const auto join = node("inclusiveGateway", scope);
    const auto steady = block(scope, depth + 1);
    flow(fork, steady.first);
    flow(steady.last, join);
    const auto mortal = node("userTask", scope);
    flow(fork, mortal);
    flow(mortal, join);
    flow(boundary(mortal, "timer=PT5S"), node("endEvent", scope));
    return {fork, join};
  }

  Ends link(const std::string& scope) {
    const auto name = "l" + std::to_string(last_id_);
    const auto before = atom(scope);
    const auto jump = node("intermediateThrowEvent", scope, "link=" + name);
    const auto land = node("intermediateCatchEvent", scope, "link=" + name);
    flow(before.first, jump);
    return {before.first, land};
  }

  std::string undoable(const std::string& scope) {
    const auto id = node("userTask", scope);
    const auto handler = node(chance_.hits(50) ? "userTask" : "task", scope, "undoes");
    boundary(id, "compensation by " + handler);
    return id;
  }

  Ends undone(const std::string& scope) {
    const auto sub = node("subProcess", scope);
    const auto begin = node("startEvent", sub);
    flow(begin, undoable(sub));
    flow(begin, undoable(sub));
    const auto undo = node("intermediateThrowEvent", scope, "compensation=" + sub);
    flow(sub, undo);
    return {sub, undo};
  }

  Ends cancelled(const std::string& scope) {
    const auto id = node("transaction", scope);
    const auto begin = node("startEvent", id);
    flow(begin, undoable(id));
    const auto gateway = node("eventBasedGateway", id);
    flow(begin, gateway);
    const auto yes = node("intermediateCatchEvent", id, "message=yes");
    const auto no = node("intermediateCatchEvent", id, "message=no");
    flow(gateway, yes);
    flow(gateway, no);
    flow(no, node("endEvent", id, "cancel"));
    const auto merge = node("exclusiveGateway", scope);
    flow(id, merge);
    flow(boundary(id, "cancel"), merge);
    return {id, merge};
  }

  Ends complex(const std::string& scope) {
    const auto fork = node("parallelGateway", scope);
    const auto join = node("complexGateway", scope, "starts==activationCount>=2");
    for (int i = 0; i < 3; ++i) {
      const auto work = waiting(scope);
      flow(fork, work);
      flow(work, join);
    }
    return {fork, join};
  }

  Ends parallel(const std::string& scope, int depth) {
    const auto kind = chance_.hits(50) ? "parallelGateway" : "inclusiveGateway";
    const auto fork = node("parallelGateway", scope);
    const auto join = node(kind, scope);
    for (int i = 0; i < 2; ++i) {
      const auto branch = block(scope, depth + 1);
      flow(fork, branch.first);
      flow(branch.last, join);
    }
    return {fork, join};
  }

  /// Twice the same.
  Ends counted(const std::string& scope, int depth) {
    const auto sub = node("subProcess", scope, chance_.hits(50) ? "times=2 one-by-one" : "times=2");
    const auto begin = node("startEvent", sub);
    flow(begin, block(sub, depth + 1).first);
    return {sub, sub};
  }

  Ends ad_hoc(const std::string& scope) {
    const auto first = "n" + std::to_string(last_id_ + 2);
    const auto second = "n" + std::to_string(last_id_ + 3);
    const auto id = node("adHocSubProcess", scope,
                         std::string(chance_.hits(50) ? "in-turn " : "") + "begin==[\"" + first +
                             "\",\"" + second + "\"]");
    waiting(id);
    waiting(id);
    return {id, id};
  }

  Chance& chance_;
  std::string nodes_;
  std::string flows_;
  int last_id_ = 0;
  int last_flow_ = 0;
};

} // namespace

RandomModel raced_model(Chance& chance, int blocks) { return RacedWriter(chance).write(blocks); }

} // namespace perdure::random
