#include "flow/restart.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

#include "flow/record.h"
#include "perdure/convert.h"

namespace perdure::flow {

namespace {

using facts::FlowDoing;
using facts::FlowEntry;
using facts::RefusalCode;

std::unexpected<facts::Refusal> refuse(RefusalCode code, std::string message) {
  return std::unexpected(facts::Refusal{code, std::move(message)});
}

std::string quoted(const std::string& name) { return "\"" + name + "\""; }

/// One line of the earlier run, and what the new one would have of it.
struct Line {
  FlowEntry made;
  bool heard = false;  ///< an observation
  bool failed = false; ///< of a step that did not succeed
  std::optional<Key> called;
  std::optional<facts::Fact> fact;
};

class Plan {
public:
  explicit Plan(const std::function<std::optional<facts::Fact>()>& next) : next_(next) {}

  /// Reads the earlier run to its end.
  [[nodiscard]] std::expected<void, facts::Refusal> read();
  /// How many lines the new run begins with.
  [[nodiscard]] std::expected<std::size_t, facts::Refusal> place(const RestartPoint& point) const;
  [[nodiscard]] Restart take(std::size_t count, bool ends_unheard) &&;
  [[nodiscard]] bool failed_at(std::size_t index) const { return lines_[index].failed; }

private:
  [[nodiscard]] std::optional<facts::Fact> pull();
  void add(const Entry& entry);
  /// The last that its code heard before that line, but for these.
  [[nodiscard]] std::expected<std::size_t, facts::Refusal> heard_before(
      std::size_t index, std::initializer_list<FlowDoing> passed) const;
  [[nodiscard]] std::expected<std::size_t, facts::Refusal> failure() const;
  [[nodiscard]] std::set<std::string> names_of_undoing() const;

  const std::function<std::optional<facts::Fact>()>& next_;
  std::optional<facts::InstanceStarted> started_;
  std::optional<facts::FlowEnded> ended_;
  bool is_flow_ = false;
  std::optional<facts::Fact> last_;
  std::vector<Line> lines_;
  std::unordered_map<Key, std::size_t> calls_; ///< the line that asked, by the instance it called
};

// What is said of a call stands behind it.
std::optional<facts::Fact> Plan::pull() {
  last_ = next_();
  if (!last_) return std::nullopt;
  const auto& data = last_->data;
  if (const auto* started = std::get_if<facts::InstanceStarted>(&data)) started_ = *started;
  if (const auto* ended = std::get_if<facts::FlowEnded>(&data)) ended_ = *ended;
  is_flow_ = is_flow_ || std::holds_alternative<facts::FlowPlaced>(data);
  const auto* sent = std::get_if<facts::EventSent>(&data);
  if (sent == nullptr || sent->kind != facts::PendingKind::call) return last_;
  const auto call = calls_.find(sent->target_instance_id.value_or(kNoKey));
  if (call == calls_.end()) return last_;
  auto& made = lines_[call->second].made;
  if (const auto* variables = sent->payload.find("variables")) {
    made.value = convert::unwrapped(*variables, "input");
  }
  const auto* id = sent->payload.find("business_key");
  if (id != nullptr && id->is_string()) made.call_id = *id->as<std::string>();
  return last_;
}

void Plan::add(const Entry& entry) {
  Line line;
  const auto* heard = std::get_if<Observation>(&entry);
  line.heard = heard != nullptr;
  line.made = to_fact_entry(entry);
  line.fact = last_;
  if (const auto* end = heard != nullptr ? std::get_if<StepEnded>(heard) : nullptr) {
    auto recorded = *end;
    recorded.recorded = false;
    line.made = to_fact_entry(Observation(std::move(recorded)));
    line.failed =
        end->ending.kind == Ending::Kind::failed || end->ending.kind == Ending::Kind::timed_out;
  }
  if (line.made.doing == FlowDoing::attempt_failed) line.made.after = Duration::zero();
  if (const auto* opened = std::get_if<facts::FlowStepOpened>(&last_->data)) {
    line.made.max_attempts = opened->max_attempts;
    line.called = opened->called_instance_id;
    if (line.called) calls_.emplace(*line.called, lines_.size());
  }
  lines_.push_back(std::move(line));
}

std::expected<void, facts::Refusal> Plan::read() {
  Recorded recorded([this] { return pull(); });
  while (const auto entry = recorded.next())
    add(*entry);
  if (!started_) return refuse(RefusalCode::not_found, "There is no such instance; check the id.");
  if (!is_flow_) {
    return refuse(
        RefusalCode::bad_modification,
        "The instance is of a BPMN process: name the elements that it is to begin before.");
  }
  if (!ended_) {
    return refuse(RefusalCode::token_invalid_transition,
                  "The run is still under way: cancel it before another one goes on in its place.");
  }
  return {};
}

// ---- the place --------------------------------------------------------------------------------

// A run is cut where its code rested: before what it heard last. The end of a callback that nobody
// waits for is no such place, since the new run does not call it.
std::expected<std::size_t, facts::Refusal> Plan::heard_before(
    std::size_t index, std::initializer_list<FlowDoing> passed) const {
  for (std::size_t i = index; i-- > 0;) {
    const auto doing = lines_[i].made.doing;
    if (!lines_[i].heard || std::ranges::find(passed, doing) != passed.end()) continue;
    if (doing != FlowDoing::cancel_heard) return i;
    return refuse(RefusalCode::bad_modification,
                  "That step undoes what a cancelled run had done: choose one before it.");
  }
  return 0;
}

std::set<std::string> Plan::names_of_undoing() const {
  std::set<std::string> names;
  for (const auto& line : lines_) {
    if (line.made.doing == FlowDoing::compensation_added) names.insert(line.made.name);
  }
  return names;
}

// What the code heard last before it failed: a step that did not succeed, or what it could not do
// with. Tries of a run around it are passed over, since they only met with the same again.
std::expected<std::size_t, facts::Refusal> Plan::failure() const {
  if (ended_->status != facts::InstanceStatus::failed) {
    return refuse(RefusalCode::nothing_to_retry,
                  "The run has not failed: restart it from a step or from its beginning.");
  }
  const auto undoing = names_of_undoing();
  std::size_t end = 0;
  while (end < lines_.size()) {
    const auto& made = lines_[end].made;
    if (made.doing == FlowDoing::ended) break;
    if (made.doing == FlowDoing::step_asked && undoing.contains(made.name)) break;
    ++end;
  }
  return heard_before(end, {FlowDoing::step_released, FlowDoing::attempt_started});
}

std::expected<std::size_t, facts::Refusal> Plan::place(const RestartPoint& point) const {
  if (point.kind == RestartPoint::Kind::beginning) return 0;
  if (point.kind == RestartPoint::Kind::failure) return failure();
  const auto asked = std::ranges::find_if(lines_, [&](const Line& line) {
    return line.made.doing == FlowDoing::step_asked && line.made.name == point.step;
  });
  if (asked == lines_.end()) {
    return refuse(RefusalCode::not_found, "The run never came to a step " + quoted(point.step) +
                                              "; list its steps with `perdure show`.");
  }
  return heard_before(static_cast<std::size_t>(asked - lines_.begin()), {FlowDoing::step_released});
}

// ---- what is taken over -----------------------------------------------------------------------

Restart Plan::take(std::size_t count, bool ends_unheard) && {
  Restart restart{.started = *std::move(started_), .entries = {}};
  if (count == 0) return restart; // the beginning is the new run's own
  std::unordered_set<std::string> ended;
  std::unordered_set<std::string> dropped;
  const auto last =
      ends_unheard && lines_[count].made.doing == FlowDoing::step_ended ? count + 1 : count;
  for (std::size_t i = 0; i < last; ++i) {
    if (lines_[i].made.doing == FlowDoing::step_ended) ended.insert(lines_[i].made.name);
    if (lines_[i].made.doing == FlowDoing::step_dropped) dropped.insert(lines_[i].made.name);
  }
  for (std::size_t i = 0; i < last; ++i) {
    auto& [made, heard, failed, called, fact] = lines_[i];
    if (made.doing == FlowDoing::step_ended && i == count) made.flag = true;
    if (made.doing == FlowDoing::step_asked) {
      const bool over = ended.contains(made.name) || dropped.contains(made.name);
      if (made.type == facts::StepType::call_activity && over) {
        made.flag = true;
        made.number = ended.contains(made.name) ? called.value_or(kNoKey) : kNoKey;
      } else if (made.type == facts::StepType::run && !made.nested && !ended.contains(made.name)) {
        made.flag = true;
      }
      const auto& opened = std::get<facts::FlowStepOpened>(fact->data);
      if (!over && opened.timer && made.type == facts::StepType::sleep) {
        made.at = opened.timer->due_at;
      } else if (!over && opened.timer) {
        made.after = opened.timer->due_at - fact->at;
      }
    }
    restart.entries.push_back(std::move(made));
  }
  return restart;
}

} // namespace

std::expected<Restart, facts::Refusal> plan_restart(
    const std::function<std::optional<facts::Fact>()>& next, const RestartPoint& point) {
  Plan plan(next);
  if (auto read = plan.read(); !read) return std::unexpected(std::move(read.error()));
  const auto count = plan.place(point);
  if (!count) return std::unexpected(count.error());
  // What failed is done again; whatever else the code heard there it hears again.
  const bool again = point.kind == RestartPoint::Kind::failure && plan.failed_at(*count);
  return std::move(plan).take(*count, !again);
}

} // namespace perdure::flow
