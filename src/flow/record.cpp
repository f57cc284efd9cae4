#include "flow/record.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace perdure::flow {

namespace {

using facts::FlowDoing;
using facts::FlowEnding;
using facts::FlowEntry;

facts::StepType type_of(AskKind kind) {
  switch (kind) {
    case AskKind::run: return facts::StepType::run;
    case AskKind::sleep: return facts::StepType::sleep;
    case AskKind::wait: return facts::StepType::wait;
    case AskKind::call: return facts::StepType::call_activity;
  }
  return facts::StepType::run;
}

AskKind kind_of(facts::StepType type) {
  if (type == facts::StepType::sleep) return AskKind::sleep;
  if (type == facts::StepType::wait) return AskKind::wait;
  return type == facts::StepType::call_activity ? AskKind::call : AskKind::run;
}

FlowEnding ending_of(Ending::Kind kind) {
  switch (kind) {
    case Ending::Kind::succeeded: return FlowEnding::succeeded;
    case Ending::Kind::failed: return FlowEnding::failed;
    case Ending::Kind::timed_out: return FlowEnding::timed_out;
    case Ending::Kind::cancelled: return FlowEnding::cancelled;
  }
  return FlowEnding::succeeded;
}

Ending::Kind kind_of(FlowEnding ending) {
  switch (ending) {
    case FlowEnding::succeeded: return Ending::Kind::succeeded;
    case FlowEnding::failed: return Ending::Kind::failed;
    case FlowEnding::timed_out: return Ending::Kind::timed_out;
    case FlowEnding::cancelled: return Ending::Kind::cancelled;
  }
  return Ending::Kind::succeeded;
}

FlowEntry ended(const std::string& name, const Ending& ending) {
  return {.doing = FlowDoing::step_ended,
          .name = name,
          .value = ending.value,
          .ending = ending_of(ending.kind),
          .error_name = ending.error_name,
          .error_message = ending.error_message};
}

struct ToFactEntry {
  FlowEntry operator()(const StepAsked& deed) const {
    const auto& ask = deed.ask;
    return {.doing = FlowDoing::step_asked,
            .name = ask.name,
            .parent = deed.parent,
            .type = type_of(ask.kind),
            .nested = ask.nested,
            .max_attempts = ask.kind == AskKind::run ? ask.retry.max_attempts : 1,
            .target = ask.target,
            .call_id = ask.call_id,
            .after = ask.after,
            .at = ask.at,
            .value = ask.input};
  }
  FlowEntry operator()(const NestedEnded& deed) const {
    auto entry = ended(deed.name, deed.ending);
    if (deed.pause) {
      entry.doing = FlowDoing::attempt_failed;
      entry.after = deed.pause;
    }
    return entry;
  }
  FlowEntry operator()(const StepDropped& deed) const {
    return {.doing = FlowDoing::step_dropped, .name = deed.name, .flag = deed.busy};
  }
  FlowEntry operator()(const TimeRead& deed) const {
    return {.doing = FlowDoing::time_read, .at = deed.at};
  }
  FlowEntry operator()(const AttributeSet& deed) const {
    return {.doing = FlowDoing::attribute_set, .name = deed.name, .value = deed.value};
  }
  FlowEntry operator()(const PatchTaken& deed) const {
    return {.doing = FlowDoing::patch_taken, .name = deed.name};
  }
  FlowEntry operator()(const CompensationAdded& deed) const {
    return {.doing = FlowDoing::compensation_added, .name = deed.name};
  }
  FlowEntry operator()(const FlowEnded& deed) const {
    FlowEntry entry{.doing = FlowDoing::ended,
                    .flag = deed.kind == FlowEnded::Kind::continued,
                    .value = deed.value,
                    .error_name = deed.error_name,
                    .error_message = deed.error_message};
    if (deed.kind == FlowEnded::Kind::failed) entry.ending = FlowEnding::failed;
    if (deed.kind == FlowEnded::Kind::cancelled) entry.ending = FlowEnding::cancelled;
    return entry;
  }
  FlowEntry operator()(const Begun& heard) const {
    return {.doing = FlowDoing::begun, .number = heard.seed};
  }
  FlowEntry operator()(const StepEnded& heard) const {
    if (heard.recorded) return {.doing = FlowDoing::step_heard, .name = heard.name};
    return ended(heard.name, heard.ending);
  }
  FlowEntry operator()(const AttemptBegun& heard) const {
    return {.doing = FlowDoing::attempt_started,
            .name = heard.name,
            .nested = true,
            .number = heard.number};
  }
  FlowEntry operator()(const StepReleased& heard) const {
    return {.doing = FlowDoing::step_released, .name = heard.name};
  }
  FlowEntry operator()(const CancelSeen&) const { return {.doing = FlowDoing::cancel_heard}; }
};

} // namespace

FlowEntry to_fact_entry(const Entry& entry) {
  return std::visit([](const auto& side) { return std::visit(ToFactEntry(), side); }, entry);
}

Ending ending_of(const facts::FlowStepEnded& fact) {
  return {.kind = kind_of(fact.ending),
          .value = fact.output,
          .error_name = fact.error_name.value_or(""),
          .error_message = fact.error_message.value_or("")};
}

void Recorded::hear(Notice::Kind kind, const std::string& name) {
  const auto found = std::ranges::find_if(
      notices_, [&](const Notice& notice) { return notice.kind == kind && notice.name == name; });
  PERDURE_CHECK(found != notices_.end());
  notices_.erase(found);
}

template <class Data>
std::optional<Entry> Recorded::read_step(const Data& fact) {
  if constexpr (std::is_same_v<Data, facts::FlowStepOpened>) {
    StepAsked asked{.ask = {.kind = kind_of(fact.type),
                            .name = fact.name,
                            .nested = fact.nested,
                            .target = fact.target.value_or("")},
                    .parent = {}};
    if (fact.parent_step_id) asked.parent = steps_.at(*fact.parent_step_id).name;
    steps_.emplace(fact.step_id, Opened{fact.name, fact.nested});
    if (fact.type == facts::StepType::run) {
      const bool later = !fact.nested && !fact.worker_id;
      runs_.emplace(fact.name, OpenRun{later ? 0 : 1, fact.nested, !later, fact.worker_id});
      if (later) notices_.push_back({Notice::Kind::attempt_due, fact.name, {}, false});
    }
    return Deed(std::move(asked));
  } else if constexpr (std::is_same_v<Data, facts::FlowStepEnded>) {
    const auto [name, nested] = steps_.at(fact.step_id);
    const auto attempt = runs_.contains(name) ? runs_.at(name).attempt : 1;
    steps_.erase(fact.step_id);
    runs_.erase(name);
    auto ending = ending_of(fact);
    if (!fact.heard) {
      std::erase_if(notices_, [&](const Notice& notice) { return notice.name == name; });
      notices_.push_back({Notice::Kind::step_ended, name, ending});
      endings_.emplace(name, std::move(ending));
      return std::nullopt;
    }
    if (nested) return Deed(NestedEnded{name, attempt, std::move(ending)});
    return Observation(StepEnded{name, std::move(ending)});
  } else if constexpr (std::is_same_v<Data, facts::FlowStepHeard>) {
    hear(Notice::Kind::step_ended, fact.name);
    auto ending = endings_.extract(fact.name);
    PERDURE_CHECK(!ending.empty());
    return Observation(StepEnded{fact.name, std::move(ending.mapped()), true});
  } else if constexpr (std::is_same_v<Data, facts::FlowAttemptFailed>) {
    const auto& step = steps_.at(fact.step_id);
    auto& run = runs_.at(step.name);
    run.running = false;
    if (!step.nested) return std::nullopt;
    Ending ending{.kind = Ending::Kind::failed,
                  .value = std::nullopt,
                  .error_name = fact.error_name,
                  .error_message = fact.error_message};
    return Deed(NestedEnded{step.name, fact.number, std::move(ending), Duration::zero()});
  } else if constexpr (std::is_same_v<Data, facts::FlowAttemptDue>) {
    const auto& step = steps_.at(fact.step_id);
    notices_.push_back({Notice::Kind::attempt_due, step.name, {}, step.nested});
  } else if constexpr (std::is_same_v<Data, facts::FlowAttemptStarted>) {
    const auto& step = steps_.at(fact.step_id);
    hear(Notice::Kind::attempt_due, step.name);
    runs_[step.name] = OpenRun{fact.number, step.nested, true, fact.worker_id};
    if (step.nested) return Observation(AttemptBegun{step.name, fact.number});
  } else if constexpr (std::is_same_v<Data, facts::FlowStepDropped>) {
    if (!fact.step_id) { // it had ended, and its code was not told
      hear(Notice::Kind::step_ended, fact.name);
      endings_.erase(fact.name);
    } else {
      steps_.erase(*fact.step_id);
      std::erase_if(notices_, [&](const Notice& notice) { return notice.name == fact.name; });
    }
    runs_.erase(fact.name);
    return Deed(StepDropped{fact.name, fact.busy});
  } else if constexpr (std::is_same_v<Data, facts::FlowStepReleased>) {
    return Observation(StepReleased{fact.name});
  }
  return std::nullopt;
}

template <class Data>
std::optional<Entry> Recorded::read(const Data& fact) {
  if constexpr (std::is_same_v<Data, facts::InstanceStarted>) {
    input_ = fact.input;
  } else if constexpr (std::is_same_v<Data, facts::InstancePaused>) {
    paused_ = true;
  } else if constexpr (std::is_same_v<Data, facts::InstanceResumed>) {
    paused_ = false;
  } else if constexpr (std::is_same_v<Data, facts::IncidentOpened>) {
    ++parked_;
  } else if constexpr (std::is_same_v<Data, facts::IncidentResolved>) {
    --parked_;
  } else if constexpr (std::is_same_v<Data, facts::FlowPlaced>) {
    notices_.push_back({.kind = Notice::Kind::begin});
  } else if constexpr (std::is_same_v<Data, facts::FlowBegun>) {
    hear(Notice::Kind::begin, {});
    return Observation(Begun{fact.seed});
  } else if constexpr (std::is_same_v<Data, facts::FlowTimeRead>) {
    return Deed(TimeRead{fact.time});
  } else if constexpr (std::is_same_v<Data, facts::FlowPatchTaken>) {
    return Deed(PatchTaken{fact.name});
  } else if constexpr (std::is_same_v<Data, facts::FlowAttributeSet>) {
    return Deed(AttributeSet{fact.name, fact.value});
  } else if constexpr (std::is_same_v<Data, facts::CompensationRecorded>) {
    return Deed(CompensationAdded{fact.node_id});
  } else if constexpr (std::is_same_v<Data, facts::FlowCancelRequested>) {
    notices_.push_back({Notice::Kind::cancel, {}, {}});
  } else if constexpr (std::is_same_v<Data, facts::FlowCancelHeard>) {
    hear(Notice::Kind::cancel, {});
    return Observation(CancelSeen{});
  } else if constexpr (std::is_same_v<Data, facts::FlowEnded>) {
    ended_ = true;
    FlowEnded end{.kind = FlowEnded::Kind::completed, .value = fact.output};
    if (fact.continued) end.kind = FlowEnded::Kind::continued;
    if (fact.status == facts::InstanceStatus::failed) end.kind = FlowEnded::Kind::failed;
    if (fact.status == facts::InstanceStatus::cancelled) end.kind = FlowEnded::Kind::cancelled;
    return Deed(std::move(end));
  }
  return read_step(fact);
}

std::optional<Entry> Recorded::next() {
  while (auto fact = source_()) {
    version_ = fact->sequence;
    auto entry = std::visit([this](const auto& data) { return read(data); }, fact->data);
    if (entry) return entry;
  }
  return std::nullopt;
}

} // namespace perdure::flow
