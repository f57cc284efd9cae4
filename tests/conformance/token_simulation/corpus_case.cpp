#include "conformance/token_simulation/corpus_case.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "conformance/corpus.h"
#include "perdure/value.h"

namespace perdure::conformance {

namespace {

/// Reads members of one object; the first that is missing or unknown is remembered.
class Reader {
public:
  explicit Reader(std::string place) : place_(std::move(place)) {}

  std::string text(const Value& object, std::string_view key) {
    const auto* value = object.find(key);
    const auto* found = value ? value->as<std::string>() : nullptr;
    return found ? *found : std::string();
  }
  std::string needed(const Value& object, std::string_view key) {
    auto found = text(object, key);
    if (found.empty()) complain("has no text `" + std::string(key) + "`");
    return found;
  }
  std::int64_t number(const Value& object, std::string_view key, std::int64_t absent) {
    const auto* value = object.find(key);
    const auto* found = value ? value->as<std::int64_t>() : nullptr;
    return found ? *found : absent;
  }
  bool flag(const Value& object, std::string_view key) {
    const auto* value = object.find(key);
    const auto* found = value ? value->as<bool>() : nullptr;
    return found && *found;
  }
  const Array& list(const Value& object, std::string_view key) {
    static const Array kEmpty;
    const auto* value = object.find(key);
    const auto* found = value ? value->as<Array>() : nullptr;
    return found ? *found : kEmpty;
  }
  std::vector<std::string> texts(const Value& object, std::string_view key) {
    std::vector<std::string> found;
    for (const auto& item : list(object, key)) {
      if (const auto* text = item.as<std::string>()) found.push_back(*text);
    }
    return found;
  }
  template <class T, std::size_t N>
  T choice(const std::string& text, const std::array<std::pair<std::string_view, T>, N>& known) {
    const auto found = std::ranges::find(known, text, &std::pair<std::string_view, T>::first);
    if (found != known.end()) return found->second;
    complain("has the unknown word `" + text + "`");
    return {};
  }
  void complain(const std::string& what) {
    if (problem_.empty()) problem_ = place_ + " " + what + ".";
  }
  [[nodiscard]] const std::string& problem() const { return problem_; }

private:
  std::string place_;
  std::string problem_;
};

constexpr std::array<std::pair<std::string_view, Action>, 5> kActions{
    {{"choose-flow", Action::choose_flow},
     {"wait-at", Action::wait_at},
     {"trigger", Action::trigger},
     {"signal", Action::signal},
     {"check", Action::check}}};
constexpr std::array<std::pair<std::string_view, TriggerKind>, 7> kKinds{
    {{"start", TriggerKind::start},
     {"implicit-start", TriggerKind::implicit_start},
     {"catch", TriggerKind::caught},
     {"event-based-gateway", TriggerKind::event_based_gateway},
     {"boundary", TriggerKind::boundary},
     {"event-sub-process-start", TriggerKind::event_sub_process_start},
     {"continue", TriggerKind::resume}}};
constexpr std::array<std::pair<std::string_view, Outcome>, 6> kOutcomes{
    {{"completed", Outcome::completed},
     {"interrupted", Outcome::removed},
     {"cancelled-transaction", Outcome::removed},
     {"cancelled", Outcome::removed},
     {"threw", Outcome::threw},
     {"active", Outcome::active}}};

Stimulus stimulus_of(Reader& reader, const Value& value) {
  Stimulus stimulus;
  stimulus.action = reader.choice(reader.needed(value, "op"), kActions);
  switch (stimulus.action) {
    case Action::choose_flow:
      stimulus.element = reader.needed(value, "gateway");
      stimulus.flows = reader.texts(value, "flows");
      break;
    case Action::wait_at: stimulus.element = reader.needed(value, "element"); break;
    case Action::trigger:
      stimulus.element = reader.needed(value, "element");
      stimulus.kind = reader.choice(reader.needed(value, "kind"), kKinds);
      stimulus.event = reader.needed(value, "event");
      break;
    case Action::signal:
      stimulus.element = reader.needed(value, "target");
      stimulus.message_flow = reader.needed(value, "messageFlow");
      break;
    case Action::check: stimulus.ended = reader.text(value, "ended"); break;
  }
  return stimulus;
}

Bounds bounds_of(Reader& reader, const Value& value) {
  Bounds bounds;
  const auto ranges = [&](std::string_view key, auto& into) {
    const auto* members = value.find(key) ? value.find(key)->as<Object>() : nullptr;
    if (!members) return reader.complain("has bounds without `" + std::string(key) + "`");
    for (const auto& [id, range] : *members) {
      const auto* pair = range.as<Array>();
      if (!pair || pair->size() != 2) return reader.complain("has a broken range");
      const auto* least = pair->front().as<std::int64_t>();
      const auto* most = pair->back().as<std::int64_t>();
      if (!least || !most) return reader.complain("has a broken range");
      into[id] = {*least, *most};
    }
  };
  ranges("started", bounds.started);
  ranges("flows", bounds.flows);
  for (const auto& state : reader.list(value, "processInstances")) {
    auto& counts = bounds.instances.emplace_back();
    const auto* members = state.as<Object>();
    for (const auto& [name, count] : members ? *members : Object()) {
      counts[name] = count.is_int() ? *count.as<std::int64_t>() : 0;
    }
  }
  return bounds;
}

/// Turns the ids of neutral.json into indexes.
class ExpectedReader {
public:
  ExpectedReader(Reader& reader, const Value& value) : reader_(reader), value_(value) {}

  Expected read() {
    int index = 0;
    for (const auto& run : reader_.list(value_, "instances"))
      runs_[id_of(run)] = index++;
    index = 0;
    for (const auto& flow : reader_.list(value_, "flows"))
      flows_[id_of(flow)] = index++;
    for (const auto& flow : reader_.list(value_, "messageFlows"))
      messages_[id_of(flow)] = &flow;
    Expected expected;
    for (const auto& run : reader_.list(value_, "instances"))
      expected.runs.push_back(run_of(run));
    for (const auto& flow : reader_.list(value_, "flows")) {
      expected.flows.push_back({.id = id_of(flow),
                                .flow = reader_.needed(flow, "flow"),
                                .from = run_index(flow, "from"),
                                .to = target_of(flow),
                                .during = static_cast<int>(reader_.number(flow, "during", 0))});
    }
    attach_absorbed(expected);
    return expected;
  }

private:
  /// A token that was absorbed by a join has no run of its own: -1 until it is attached.
  int target_of(const Value& flow) {
    const auto id = reader_.needed(flow, "to");
    return runs_.contains(id) ? runs_[id] : -1;
  }

  /// Where two tokens were absorbed, neutral.json merges one of them and leaves the flow of the
  /// other without a target (inclusive-gateway-multiple-elements): the join that went on has both.
  void attach_absorbed(Expected& expected) {
    for (std::size_t i = 0; i < expected.flows.size(); ++i) {
      if (expected.flows[i].to >= 0) continue;
      const auto is_join = [](const ExpectedRun& run) { return run.via.size() > 1; };
      const auto join = std::ranges::find_if(expected.runs, is_join);
      if (std::ranges::count_if(expected.runs, is_join) != 1) {
        reader_.complain("has a flow to the unknown run of `" + expected.flows[i].id + "`");
        continue;
      }
      expected.flows[i].to = static_cast<int>(join - expected.runs.begin());
      join->via.push_back(static_cast<int>(i));
    }
  }

  std::string id_of(const Value& value) { return reader_.needed(value, "id"); }

  int run_index(const Value& object, std::string_view key) {
    const auto id = reader_.text(object, key);
    if (id.empty()) return -1;
    const auto found = runs_.find(id);
    if (found != runs_.end()) return found->second;
    // A message flow that caused it stands for who threw the message.
    const auto message = messages_.find(id);
    if (message != messages_.end()) return cause_of(*message->second);
    reader_.complain("speaks of the unknown run `" + id + "`");
    return -1;
  }
  int cause_of(const Value& object) {
    const auto* by = object.find("by");
    return by ? run_index(*by, "instance") : -1;
  }

  ExpectedRun run_of(const Value& value) {
    ExpectedRun run;
    run.id = id_of(value);
    run.type = reader_.needed(value, "type");
    run.root = run.type == "process" || run.type == "participant";
    run.element = run.type == "participant" ? reader_.needed(value, "process")
                                            : reader_.needed(value, "element");
    run.in = run_index(value, "in");
    for (const auto& id : reader_.texts(value, "via")) {
      const auto found = flows_.find(id);
      if (found == flows_.end()) reader_.complain("speaks of the unknown flow `" + id + "`");
      if (found != flows_.end()) run.via.push_back(found->second);
    }
    run.by = cause_of(value);
    run.gateway = run_index(value, "gateway");
    for (const auto& release : reader_.list(value, "released")) {
      const auto index = run_index(release, "instance");
      if (index >= 0) run.released.push_back(index);
    }
    run.started = static_cast<int>(reader_.number(value, "started", 0));
    run.ended = static_cast<int>(reader_.number(value, "ended", -1));
    run.outcome = reader_.choice(reader_.needed(value, "outcome"), kOutcomes);
    run.handler = reader_.text(value, "handler") == "compensation";
    run.thrower = run_index(value, "thrower");
    run.after_end = reader_.flag(value, "afterEnd");
    run.cancelled_by = run_index(value, "cancelledBy");
    return run;
  }

  Reader& reader_;
  const Value& value_;
  std::map<std::string, int> runs_;
  std::map<std::string, int> flows_;
  std::map<std::string, const Value*> messages_;
};

Result<Value> read_document(const std::filesystem::path& path) {
  auto document = json::parse(read_file(path));
  if (!document) return document;
  const auto* cases = document->find("cases");
  if (!cases || !cases->is_array()) {
    return fail(ErrorCode::invalid_input, "The file has no list `cases`.", path.string());
  }
  return document;
}

} // namespace

bool Case::has_flag(std::string_view flag) const {
  return std::ranges::find(flags, flag) != flags.end();
}

Result<std::vector<Case>> read_cases(const std::filesystem::path& folder) {
  const auto actions = read_document(folder / "cases.json");
  if (!actions) return std::unexpected(actions.error());
  const auto neutral = read_document(folder / "neutral.json");
  if (!neutral) return std::unexpected(neutral.error());
  std::map<std::string, const Value*> expected;
  for (const auto& item : *neutral->find("cases")->as<Array>()) {
    if (const auto* name = item.find("name")) expected[*name->as<std::string>()] = &item;
  }
  std::vector<Case> cases;
  for (const auto& item : *actions->find("cases")->as<Array>()) {
    Reader reader("case " + std::to_string(cases.size() + 1));
    auto& one = cases.emplace_back();
    one.name = reader.needed(item, "name");
    one.model = folder / reader.needed(item, "model");
    for (const auto& action : reader.list(item, "stimuli")) {
      one.stimuli.push_back(stimulus_of(reader, action));
    }
    one.flags = reader.texts(item, "flags");
    one.notes = reader.text(item, "notes");
    if (const auto* bounds = item.find("bounds")) one.bounds = bounds_of(reader, *bounds);
    const auto found = expected.find(one.name);
    if (found == expected.end()) reader.complain("`" + one.name + "` is not in neutral.json");
    if (found != expected.end()) {
      one.expected = ExpectedReader(reader, *found->second).read();
    }
    if (!reader.problem().empty()) return fail(ErrorCode::invalid_input, reader.problem());
  }
  return cases;
}

namespace {

int renamed(const std::vector<int>& fresh, int index) {
  return index < 0 ? -1 : fresh[static_cast<std::size_t>(index)];
}

void rename_all(std::vector<int>& indexes, const std::vector<int>& fresh) {
  for (auto& index : indexes)
    index = renamed(fresh, index);
  std::erase(indexes, -1);
}

} // namespace

Expected expected_until(const Expected& expected, int last) {
  Expected until;
  std::vector<int> runs(expected.runs.size(), -1);
  std::vector<int> flows(expected.flows.size(), -1);
  for (std::size_t i = 0; i < expected.runs.size(); ++i) {
    if (expected.runs[i].started > last) continue;
    runs[i] = static_cast<int>(until.runs.size());
    until.runs.push_back(expected.runs[i]);
  }
  for (std::size_t i = 0; i < expected.flows.size(); ++i) {
    if (expected.flows[i].during > last) continue;
    flows[i] = static_cast<int>(until.flows.size());
    until.flows.push_back(expected.flows[i]);
    auto& flow = until.flows.back();
    flow.from = renamed(runs, flow.from);
    flow.to = renamed(runs, flow.to);
  }
  for (auto& run : until.runs) {
    rename_all(run.via, flows);
    rename_all(run.released, runs);
    for (auto* index : {&run.in, &run.by, &run.gateway, &run.thrower, &run.cancelled_by}) {
      *index = renamed(runs, *index);
    }
    if (run.ended <= last) continue;
    run.ended = -1;
    run.outcome = Outcome::active;
  }
  return until;
}

} // namespace perdure::conformance
