#include "random/random_model.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure::random {

namespace {

/// Writes a sound model block by block.
class BlockWriter {
public:
  explicit BlockWriter(Chance& chance) : chance_(chance) {}

  RandomModel write() {
    write_scope("", 0);
    return {.text = nodes_ + flows_, .variables = "{" + variables_ + "}"};
  }

private:
  /// The way into a block and the way out of it.
  struct Ends {
    std::string first;
    std::string last;
  };

  std::string node(const std::string& kind, const std::string& scope,
                   const std::string& rest = "") {
    auto id = "n" + std::to_string(++last_id_);
    nodes_ += "node " + id + " " + kind;
    if (!scope.empty()) nodes_ += " in " + scope;
    if (!rest.empty()) nodes_ += " " + rest;
    nodes_ += "\n";
    return id;
  }

  void flow(const std::string& source, const std::string& target, const std::string& rest = "") {
    flows_ += "flow " + source + " " + target + " as f" + std::to_string(++last_flow_);
    if (!rest.empty()) flows_ += " " + rest;
    flows_ += "\n";
  }

  /// A start, blocks, and one or more ends.
  void write_scope(const std::string& scope, int depth) {
    const auto body = sequence(scope, depth);
    flow(node("startEvent", scope), body.first);
    if (chance_.hits(20)) return; // the last node ends its token
    if (chance_.hits(80)) {
      flow(body.last, node("endEvent", scope));
      return;
    }
    const auto split = node("task", scope);
    flow(body.last, split);
    for (int i = 0; i < 2; ++i)
      flow(split, node("endEvent", scope));
  }

  Ends sequence(const std::string& scope, int depth) {
    auto ends = block(scope, depth);
    for (int more = chance_.below(3); more > 0; --more) {
      const auto next = block(scope, depth);
      flow(ends.last, next.first);
      ends.last = next.last;
    }
    return ends;
  }

  Ends block(const std::string& scope, int depth) {
    if (depth >= 3) return task(scope);
    switch (chance_.below(15)) {
      case 13: return ad_hoc(scope);
      case 14: return complex(scope, depth);
      case 8: return undone(scope);
      case 9: return cancelled(scope);
      case 10: return condition(scope);
      case 11: return inclusive(scope, depth);
      case 12: return repeated(scope, depth);
      case 0: return parallel(scope, depth);
      case 1: return choice(scope, depth);
      // It counts in a variable of the process, which runs beside each other would share.
      case 2: return repeated_ > 0 ? task(scope) : loop(scope, depth);
      case 3: return sub_process(scope, depth);
      case 4: return implicit_split(scope, depth);
      default: return task(scope);
    }
  }

  Ends task(const std::string& scope, bool or_event = true) {
    std::string id;
    switch (chance_.below(or_event ? 7 : 4)) {
      case 0: id = node("userTask", scope); break;
      case 1: id = node("manualTask", scope); break;
      case 2: id = node("task", scope); break;
      case 3: id = node("scriptTask", scope, "set note = 1 + 1"); break;
      case 4: id = node("intermediateCatchEvent", scope, "timer=PT5S"); break;
      default: id = node("serviceTask", scope, chance_.hits(30) ? "retries=1" : ""); break;
    }
    return {id, id};
  }

  Ends parallel(const std::string& scope, int depth) {
    const auto fork = node("parallelGateway", scope);
    const auto join = node("parallelGateway", scope);
    for (int branches = 2 + chance_.below(2); branches > 0; --branches) {
      if (chance_.hits(10)) {
        flow(fork, join);
        continue;
      }
      const auto branch = sequence(scope, depth + 1);
      flow(fork, branch.first);
      flow(branch.last, join);
    }
    return {fork, join};
  }

  Ends choice(const std::string& scope, int depth) {
    const auto split = node("exclusiveGateway", scope);
    const auto merge = node("exclusiveGateway", scope);
    const auto name = new_variable(chance_.below(3));
    for (int i = 0; i < 2; ++i) {
      const auto branch = sequence(scope, depth + 1);
      flow(split, branch.first, "if " + name + " = " + std::to_string(i));
      flow(branch.last, merge);
    }
    flow(split, merge, "default");
    return {split, merge};
  }

  Ends loop(const std::string& scope, int depth) {
    const auto name = new_variable(0);
    const auto merge = node("exclusiveGateway", scope);
    const auto body = sequence(scope, depth + 1);
    const auto count = node("scriptTask", scope, "set " + name + " = " + name + " + 1");
    const auto more = node("exclusiveGateway", scope);
    const auto after = node("manualTask", scope);
    flow(merge, body.first);
    flow(body.last, count);
    flow(count, more);
    flow(more, merge, "if " + name + " < " + std::to_string(2 + chance_.below(2)));
    flow(more, after, "default");
    return {merge, after};
  }

  Ends sub_process(const std::string& scope, int depth) {
    const auto id = node("subProcess", scope);
    write_scope(id, depth + 1);
    return {id, id};
  }

  /// A task with what undoes it.
  std::string undoable_task(const std::string& scope) {
    const auto id =
        chance_.hits(25) ? node("userTask", scope, repeats()) : task(scope, false).first;
    const auto handler = node(chance_.hits(50) ? "userTask" : "serviceTask", scope, "undoes");
    nodes_ += "node b" + id + " boundaryEvent on " + id + " compensation by " + handler + "\n";
    return id;
  }

  std::string repeats() { return chance_.hits(50) ? "times=2" : "times=2 one-by-one"; }

  /// A sub-process, repeated or not, that succeeds and is undone: by its parts, by an event
  /// sub-process that throws for them, or as a whole.
  Ends undone(const std::string& scope) {
    const auto sub = node("subProcess", scope, chance_.hits(40) ? repeats() : "");
    const auto first = undoable_task(sub);
    const auto second = undoable_task(sub);
    if (chance_.hits(50)) {
      flow(first, second);
    }
    if (chance_.hits(30)) {
      const auto around = node("eventSubProcess", sub);
      const auto begin = node("startEvent", around, "compensation");
      const auto work = task(around).first;
      const auto rest = node("intermediateThrowEvent", around, "compensation");
      flow(begin, work);
      flow(work, rest);
    } else if (chance_.hits(30)) {
      const auto handler = node("userTask", scope, "undoes");
      nodes_ += "node b" + sub + " boundaryEvent on " + sub + " compensation by " + handler + "\n";
    }
    const auto undo = node("intermediateThrowEvent", scope, "compensation=" + sub);
    flow(sub, undo);
    return {sub, undo};
  }

  /// A transaction that is cancelled or not.
  Ends cancelled(const std::string& scope) {
    const auto id = node("transaction", scope);
    const auto first = undoable_task(id);
    const auto second = undoable_task(id);
    const auto split = node("exclusiveGateway", id);
    const auto name = new_variable(chance_.below(2));
    flow(first, second);
    flow(second, split);
    flow(split, node("endEvent", id, "cancel"), "if " + name + " = 1");
    flow(split, node("endEvent", id), "default");
    nodes_ += "node b" + id + " boundaryEvent on " + id + " cancel\n";
    const auto merge = node("exclusiveGateway", scope);
    flow(id, merge);
    flow("b" + id, merge);
    return {id, merge};
  }

  /// One branch waits for a condition that the other one makes true.
  Ends condition(const std::string& scope) {
    const auto name = new_variable(0);
    const auto fork = node("parallelGateway", scope);
    const auto join = node("parallelGateway", scope);
    const auto wait = node("intermediateCatchEvent", scope, "conditional==" + name + ">0");
    const auto work = task(scope).first;
    const auto set = node("scriptTask", scope, "set " + name + " = " + name + " + 1");
    flow(fork, wait);
    flow(fork, work);
    flow(work, set);
    flow(set, join);
    flow(wait, join);
    return {fork, join};
  }

  Ends ad_hoc(const std::string& scope) {
    const auto id = "n" + std::to_string(last_id_ + 1);
    const auto first = "n" + std::to_string(last_id_ + 2);
    const auto second = "n" + std::to_string(last_id_ + 3);
    node("adHocSubProcess", scope,
         std::string(chance_.hits(50) ? "in-turn " : "") + "begin==[\"" + first + "\",\"" + second +
             "\"]");
    task(id, false);
    task(id, false);
    if (chance_.hits(50)) flow(second, task(id, false).first);
    return {id, id};
  }

  /// One that starts with fewer would let a loop overtake it.
  Ends complex(const std::string& scope, int depth) {
    int branches = 2 + chance_.below(2);
    const auto fork = node("parallelGateway", scope);
    const auto join =
        node("complexGateway", scope, "starts==activationCount>=" + std::to_string(branches));
    for (; branches > 0; --branches) {
      const auto branch = sequence(scope, depth + 1);
      flow(fork, branch.first);
      flow(branch.last, join);
    }
    return {fork, join};
  }

  Ends inclusive(const std::string& scope, int depth) {
    const auto split = node("inclusiveGateway", scope);
    const auto join = node("inclusiveGateway", scope);
    for (int i = 0; i < 3; ++i) {
      const auto branch = sequence(scope, depth + 1);
      const auto name = new_variable(chance_.below(2));
      flow(split, branch.first, i == 2 ? "default" : "if " + name + " = 1");
      flow(branch.last, join);
    }
    return {split, join};
  }
  /// A multi-instance or standard loop on a task or sub-process.
  Ends repeated(const std::string& scope, int depth) {
    if (chance_.hits(50)) {
      const auto& [kind, words] = chance_.one_of(kRepeatedTasks);
      // However many are done at once, exactly two come to their end.
      const auto loop = chance_.hits(20) ? "times=4 until=nrOfCompletedInstances>=2" : loop_words();
      const auto id = node(std::string(kind), scope, loop + std::string(words));
      return {id, id};
    }
    const auto id = node("subProcess", scope, loop_words());
    ++repeated_;
    write_scope(id, depth + 1);
    --repeated_;
    return {id, id};
  }

  std::string loop_words() {
    const std::string order = chance_.hits(50) ? " one-by-one" : "";
    switch (chance_.below(5)) {
      case 0: return "rounds=" + std::to_string(chance_.below(4));
      case 1:
        return "while=loopCounter<3 rounds=5" + std::string(chance_.hits(50) ? " test-before" : "");
      case 2: return "times=" + std::to_string(chance_.below(5)) + order;
      case 3: return "each=[10,20,30] item=item outputs=results output==item" + order;
      default: return "times=4 until=nrOfCompletedInstances>=2 one-by-one";
    }
  }

  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRepeatedTasks = {
      {{"serviceTask", ""}, {"userTask", ""}, {"task", ""}, {"receiveTask", " message=m"}}};

  Ends implicit_split(const std::string& scope, int depth) {
    const auto split = node("serviceTask", scope);
    const auto join = node("parallelGateway", scope);
    for (int i = 0; i < 2; ++i) {
      const auto branch = sequence(scope, depth + 1);
      flow(split, branch.first);
      flow(branch.last, join);
    }
    return {split, join};
  }

  std::string new_variable(int value) {
    auto name = "v" + std::to_string(++last_variable_);
    if (!variables_.empty()) variables_ += ", ";
    variables_ += "\"" + name + "\": " + std::to_string(value);
    return name;
  }

  Chance& chance_;
  std::string nodes_;
  std::string flows_;
  std::string variables_;
  int last_id_ = 0;
  int last_flow_ = 0;
  int last_variable_ = 0;
  int repeated_ = 0; ///< sub-processes around that are repeated
};

/// Writes a graph whose flows are drawn by lot.
class GraphWriter {
public:
  explicit GraphWriter(Chance& chance) : chance_(chance) {}

  RandomModel write() {
    write_scope("", 0);
    return {.text = nodes_ + flows_, .variables = R"({"a": 1, "b": 2, "text": "x"})"};
  }

private:
  struct Drawn {
    std::string id;
    std::string kind;
  };

  Drawn draw(const std::string& kind, const std::string& scope, const std::string& rest = "") {
    Drawn drawn{"n" + std::to_string(++last_id_), kind};
    nodes_ += "node " + drawn.id + " " + kind;
    if (!scope.empty()) nodes_ += " in " + scope;
    if (!rest.empty()) nodes_ += " " + rest;
    nodes_ += "\n";
    return drawn;
  }

  Drawn draw_any(const std::string& scope, int depth) {
    switch (chance_.below(23)) {
      case 20:
        return draw("complexGateway", scope,
                    "starts==activationCount>=" + std::to_string(1 + chance_.below(2)));
      case 21: {
        const auto sub = draw("adHocSubProcess", scope, "begin==todo until==a>3");
        draw("userTask", sub.id);
        draw("serviceTask", sub.id, "retries=1");
        draw_event_sub_process(sub.id);
        return undoable(sub, scope);
      }
      case 13: return draw("intermediateThrowEvent", scope, "compensation");
      case 14: return draw("intermediateCatchEvent", scope, "conditional==a>3");
      case 15: return undoable(draw("userTask", scope, chance_.hits(30) ? "times=2" : ""), scope);
      case 22: {
        const auto task = draw("serviceTask", scope, "retries=2");
        const std::string condition = chance_.hits(50) ? " conditional=a>3" : "";
        nodes_ += "node g" + task.id + " boundaryEvent on " + task.id +
                  " beside all signal=S timer=PT5S" + condition + "\n";
        flows_ += "flow g" + task.id + " " + draw("userTask", scope).id + " as f" +
                  std::to_string(++last_flow_) + "\n";
        return task;
      }
      case 16: return draw("inclusiveGateway", scope);
      case 17:
        if (depth < 2) {
          const auto transaction = draw("transaction", scope);
          nodes_ += "node b" + transaction.id + " boundaryEvent on " + transaction.id + " cancel\n";
          write_scope(transaction.id, depth + 1, "cancel");
          return undoable(transaction, scope);
        }
        return draw("task", scope);
      case 18: return draw("userTask", scope, "times=a one-by-one until==b>a");
      case 19: return draw_repeated(scope, depth);
      case 0: return draw("userTask", scope);
      case 1: return draw("manualTask", scope);
      case 2: return draw("scriptTask", scope, "set a = a + 1");
      case 3: return draw("scriptTask", scope, "set c = ${missing}");
      case 4: return draw("intermediateCatchEvent", scope, "timer=PT5S");
      case 5: return draw("intermediateCatchEvent", scope, "timer==text");
      case 6:
      case 7: return draw("exclusiveGateway", scope);
      case 8:
      case 9: return draw("parallelGateway", scope);
      case 10:
        if (depth < 2) {
          const auto sub = draw("subProcess", scope);
          write_scope(sub.id, depth + 1);
          return sub;
        }
        return draw("task", scope);
      default: return draw("serviceTask", scope, "retries=2");
    }
  }

  void draw_event_sub_process(const std::string& scope) {
    const auto around = draw("eventSubProcess", scope);
    const auto start = draw("startEvent", around.id,
                            chance_.hits(50) ? "beside all signal=S message=M" : "timer=PT5S");
    flows_ += "flow " + start.id + " " + draw("userTask", around.id).id + " as f" +
              std::to_string(++last_flow_) + "\n";
  }

  Drawn undoable(Drawn drawn, const std::string& scope) {
    const auto handler = draw("serviceTask", scope, "undoes retries=1");
    nodes_ += "node u" + drawn.id + " boundaryEvent on " + drawn.id + " compensation by " +
              handler.id + "\n";
    return drawn;
  }

  Drawn draw_repeated(const std::string& scope, int depth) {
    if (depth >= 2) return draw("serviceTask", scope, "each==missing item=x");
    const auto sub =
        draw("subProcess", scope, "each=[a,b,a] item=a outputs=c output==a+b until==a>4");
    write_scope(sub.id, depth + 1);
    return sub;
  }

  void write_scope(const std::string& scope, int depth, const std::string& end = "") {
    std::vector<Drawn> nodes = {draw("startEvent", scope)};
    for (int count = 2 + chance_.below(6); count > 0; --count) {
      nodes.push_back(draw_any(scope, depth));
    }
    nodes.push_back(draw("endEvent", scope));
    if (!end.empty()) nodes.push_back(draw("endEvent", scope, end));
    if (chance_.hits(25)) nodes.push_back(draw("endEvent", scope, "terminate"));
    for (const auto& source : nodes) {
      if (source.kind != "endEvent") {
        write_flows(source, nodes);
      }
    }
  }

  void write_flows(const Drawn& source, const std::vector<Drawn>& nodes) {
    const bool may_choose = source.kind.ends_with("Task") || source.kind == "task" ||
                            source.kind == "exclusiveGateway" || source.kind == "subProcess" ||
                            source.kind == "inclusiveGateway" || source.kind == "transaction" ||
                            source.kind == "complexGateway" || source.kind == "adHocSubProcess";
    const int count = chance_.hits(10) ? 0 : 1 + chance_.below(3);
    const int fallback = may_choose && chance_.hits(50) ? chance_.below(count + 1) : -1;
    for (int i = 0; i < count; ++i) {
      // Not back to the start event, which nothing leads to.
      const auto target = 1 + chance_.below(static_cast<int>(nodes.size()) - 1);
      flows_ += "flow " + source.id + " " + nodes[static_cast<std::size_t>(target)].id + " as f" +
                std::to_string(++last_flow_);
      const bool must = source.kind == "exclusiveGateway";
      if (i == fallback) {
        flows_ += " default";
      } else if (must || (may_choose && chance_.hits(30))) {
        flows_ += " if " + std::string(chance_.one_of(kConditions));
      }
      flows_ += "\n";
    }
  }

  static constexpr std::array<std::string_view, 8> kConditions = {
      "a < 5", "a > 3", "b = 2", "b = 3", "missing", "text > 1", "${unknown > 1}", "true"};

  Chance& chance_;
  std::string nodes_;
  std::string flows_;
  int last_id_ = 0;
  int last_flow_ = 0;
};

} // namespace

RandomModel sound_model(Chance& chance) { return BlockWriter(chance).write(); }

RandomModel any_model(Chance& chance) { return GraphWriter(chance).write(); }

} // namespace perdure::random
