// Flows in a round: where a run is that a message is for, which runs of a name with limits are let
// in, and which occurrences of schedules are started. Rows say who waits, who runs and who began
// lately, so that every node counts the same.
#include <algorithm>
#include <limits>
#include <utility>

#include "decide/catalog.h"
#include "decide/schedule.h"
#include "engine/fact_reader.h"
#include "engine/flow_host.h"
#include "engine/round.h"
#include "flow/inherit.h"

namespace perdure::engine {

namespace {

constexpr std::int64_t kAdmittedAtOnce = 256;
constexpr std::int64_t kSchedulesAtOnce = 256;
/// Another node lets runs of that name in at the moment.
constexpr Duration kWhileAnother{100};
/// An occurrence that is later than this was missed: nobody was there.
constexpr Duration kMissed{60'000};
constexpr std::int64_t kAnyNumber = std::numeric_limits<std::int32_t>::max();

bool may_end_flow(const facts::EventData& event) {
  const auto ends = [](const std::vector<facts::FlowEntry>& entries) {
    return !entries.empty() && entries.back().doing == facts::FlowDoing::ended;
  };
  if (const auto* advanced = std::get_if<facts::FlowAdvanced>(&event)) {
    return ends(advanced->entries);
  }
  if (const auto* start = std::get_if<facts::StartRequested>(&event)) return ends(start->entries);
  return std::holds_alternative<facts::CancelRequested>(event);
}

} // namespace

// ---- what is asked of one run ------------------------------------------------------------------

// What is said of the flow is asked for when the event may end the run.
flow::Kind Round::kind_of(const Unit& unit, const facts::EventData& data) {
  flow::Kind kind{.process_id = unit.definition->process_id()};
  kind.queues = std::holds_alternative<facts::StartRequested>(data) && queues(kind.process_id);
  if (!may_end_flow(data)) return kind;
  const auto delivers = parts_.definitions.delivers(kind.process_id);
  if (!delivers) throw decide::CatalogUnavailable(delivers.error().message);
  kind.delivers = *delivers;
  return kind;
}

// The run that the message is for may have gone on as a new one. False when the message is answered
// or put off.
bool Round::find_run(Work& work) {
  using State = store::ChainState;
  auto& errand = *work.errand;
  const auto run_id = *errand.message->run_id;
  const auto last = parts_.store.chain_end(run_id);
  if (!last) {
    miss(work, failure_of(last.error()));
    return false;
  }
  if (!*last) {
    reply(work, std::unexpected(Failure{.kind = Failure::Kind::not_found,
                                        .message = "There is no run " + key_text(run_id) +
                                                   "; list them with `perdure ps`."}));
    return false;
  }
  if ((*last)->state == State::over) {
    reply(work, Outcome{.fate = Correlated::Fate::dropped});
    return false;
  }
  if ((*last)->state == State::starting) {
    later_.push_back(std::move(work));
    return false;
  }
  errand.message->key = key_text((*last)->run_id);
  errand.events.addressed = {(*last)->run_id};
  return true;
}

// ---- limits -----------------------------------------------------------------------------------

// Throws CatalogUnavailable when the database cannot say.
bool Round::queues(const std::string& process_id) {
  const auto limit = parts_.limits.of(process_id);
  if (!limit) throw decide::CatalogUnavailable(limit.error().message);
  return *limit != nullptr;
}

void Round::let_in(std::vector<Work>& works) {
  const auto names = parts_.store.flow_names_waiting();
  auto done = names ? Result<void>() : std::unexpected(names.error());
  for (std::size_t i = 0; done && i < names->size(); ++i)
    done = let_in((*names)[i], works);
  if (done) return;
  parts_.log.write(LogLevel::error, "admission_failed", {{"error", done.error().message}});
  failed_ = true; // the next sweep asks again
}

// As many as have room, the most important first, of these the oldest. The database counts once
// more when they are written.
Result<void> Round::let_in(const std::string& name, std::vector<Work>& works) {
  const auto known = parts_.limits.of(name);
  if (!known) return std::unexpected(known.error());
  const auto look_again = [&](Instant at) {
    if (!next_due_ || at < *next_due_) next_due_ = at;
  };
  auto room = kAdmittedAtOnce;
  std::optional<store::KeyRoom> key_room;
  if (const auto* limit = *known) {
    const auto claimed = parts_.store.claim_flow_limit(name);
    if (!claimed) return std::unexpected(claimed.error());
    if (!*claimed) {
      look_again(now_ + kWhileAnother);
      return {};
    }
    if (limit->running) {
      const auto running = parts_.store.flow_running(name);
      if (!running) return std::unexpected(running.error());
      room = std::min(room, *limit->running - *running);
    }
    // When a period moves on there may be room again.
    for (const auto period : {limit->starts_period, limit->starts_per_key_period}) {
      if (!period) continue;
      const auto begun = parts_.store.flow_admitted_since(name, now_ - Duration(*period));
      if (!begun) return std::unexpected(begun.error());
      if (begun->first) look_again(*begun->first + Duration(*period));
      if (period == limit->starts_period && limit->starts) {
        room = std::min(room, *limit->starts - begun->count);
      }
    }
    if (limit->per_key()) {
      key_room = store::KeyRoom{.running = limit->running_per_key.value_or(kAnyNumber),
                                .starts = limit->starts_per_key.value_or(kAnyNumber),
                                .since = now_ - Duration(limit->starts_per_key_period.value_or(0))};
    }
  }
  if (room <= 0) return {};
  const auto next = parts_.store.flow_slots_waiting(name, room, key_room);
  if (!next) return std::unexpected(next.error());
  for (const auto instance_id : *next) {
    works.push_back({.target = Target::instance,
                     .key = instance_id,
                     .instance_id = instance_id,
                     .event = facts::FlowAdmission{},
                     // Refused, it is asked for again: no reason to set the run aside.
                     .reply = [](const std::expected<Outcome, Failure>&) {}});
  }
  return {};
}

// What a run that waited has of an earlier one is in its own history.
Result<void> Round::inherit(const Unit& unit, facts::FlowAdmission& admission) {
  const auto* run = unit.state->flow_runs.find(unit.instance_id);
  if (run == nullptr || !run->previous_instance_id || !parts_.flows.history()) return {};
  admission.entries.clear();
  FactReader facts(parts_.flows.history(), unit.instance_id);
  while (const auto fact = facts.next()) {
    const auto* inherited = std::get_if<facts::FlowInherited>(&fact->data);
    if (inherited == nullptr) continue;
    auto entries = flow::read_entries(inherited->entries);
    if (!entries) return std::unexpected(entries.error());
    admission.entries = *std::move(entries);
    admission.worker_id = inherited->worker_id;
    break;
  }
  return facts.error() ? Result<void>(std::unexpected(*facts.error())) : Result<void>();
}

// The place of a run among those that share its limits goes with its facts.
void Round::note_slot(Unit& unit, const facts::Fact& fact) {
  if (const auto* placed = std::get_if<facts::FlowPlaced>(&fact.data)) {
    if (!placed->queued) return;
    unit.events.queued.push_back({.run_id = unit.state->instance.id,
                                  .process_id = unit.definition->process_id(),
                                  .limit_key = placed->limit_key,
                                  .priority = placed->priority,
                                  .queued_at = fact.at});
  } else if (std::holds_alternative<facts::FlowAdmitted>(fact.data)) {
    const auto limit = parts_.limits.of(unit.definition->process_id());
    unit.events.admitted.push_back(
        {.instance_id = unit.instance_id,
         .admitted_at = fact.at,
         .counts_until = counts_until(limit.value_or(nullptr), fact.at)});
  } else if (std::holds_alternative<facts::FlowEnded>(fact.data)) {
    const auto* run = unit.state->flow_runs.find(unit.state->instance.id);
    const bool waited = !unit.state->instance.started_at;
    if (!waited && !run->admitted_at) return;
    unit.events.left.push_back({.instance_id = unit.state->instance.id, .left_at = fact.at});
  }
}

// What may make room, or end what a schedule waits for. The rows say whether it does.
void Round::note_flow(const Unit& unit) {
  const auto& events = unit.events;
  if (!events.queued.empty() || !events.admitted.empty() || !events.left.empty()) {
    parts_.events.admissions = true;
  }
  const auto& instance = unit.state->instance;
  const auto* run = unit.state->flow_runs.find(instance.id);
  const bool may_be_of_schedule =
      instance.unique_business_key || (run != nullptr && run->previous_instance_id);
  if (facts::is_terminal(instance.status) && may_be_of_schedule && instance.business_key &&
      instance.business_key->find('@') != std::string::npos) {
    parts_.events.schedules_due = true;
  }
}

// ---- schedules --------------------------------------------------------------------------------

void Round::take_schedules(std::vector<Work>& works) {
  const auto rows = parts_.store.due_flow_schedules(now_, kSchedulesAtOnce);
  if (!rows) {
    parts_.log.write(LogLevel::error, "due_schedules_failed", {{"error", rows.error().message}});
    failed_ = true;
    return;
  }
  if (std::cmp_equal(rows->size(), kSchedulesAtOnce)) parts_.events.schedules_due = true;
  for (const auto& row : *rows)
    fire(row, works);
}

// One occurrence: started, or passed over. It is over with the row's step to the next one, so that
// nobody starts it twice; the id of the run says the same.
void Round::fire(const store::FlowSchedule& schedule, std::vector<Work>& works) {
  const auto due_at = schedule.due_at.value_or(now_);
  // The run before may have gone on as a new one.
  const auto last = schedule.last_instance_id ? parts_.store.chain_end(*schedule.last_instance_id)
                                              : Result<std::optional<store::ChainEnd>>();
  const auto keys = ensure_keys(1);
  if (!last || !keys) {
    failed_ = true;
    return;
  }
  const bool live = *last && (*last)->state != store::ChainState::over;
  const auto last_id = live ? std::optional((*last)->run_id) : schedule.last_instance_id;
  if (live && schedule.overlap == store::Overlap::queue) return; // its end brings it again
  const bool one_by_one = schedule.misfire == store::Misfire::fire_all;
  const auto next = decide::start_after(schedule.cycle, schedule.opened_at,
                                        {.number = schedule.occurrence, .due_at = due_at},
                                        one_by_one ? due_at : now_);
  store::ScheduleMoved moved{.id = schedule.id,
                             .occurrence_before = schedule.occurrence,
                             .occurrence = next ? next->number : schedule.occurrence,
                             .due_at = next ? std::optional(next->due_at) : std::nullopt,
                             .last_instance_id = last_id};
  if (next && next->due_at <= now_) parts_.events.schedules_due = true;
  if (next && (!next_due_ || next->due_at < *next_due_)) next_due_ = next->due_at;
  const bool missed = schedule.misfire == store::Misfire::skip && now_ - due_at > kMissed;
  if (missed || (live && schedule.overlap == store::Overlap::skip)) {
    store::Delivered events;
    events.scheduled.push_back(moved);
    write_loose(nullptr, std::move(events));
    return;
  }
  Work work{.target = Target::fresh, .process_id = schedule.process_id};
  work.event = facts::StartRequested{.business_key = schedule.name + "@" + to_text(due_at),
                                     .unique_business_key = true,
                                     .variables = schedule.input,
                                     .parent_instance_id = {},
                                     .parent_token_id = {}};
  work.errand = std::make_unique<Errand>();
  work.errand->events.scheduled.push_back(moved);
  if (live && schedule.overlap == store::Overlap::cancel_previous) {
    work.errand->events.sent.push_back(
        {.id = parts_.keys.take(),
         .instance_id = {},
         .tenant_id = {},
         .node_id = {},
         .kind = facts::PendingKind::call_cancelled,
         .name = {},
         .correlation_key = {},
         .target_instance_id = last_id,
         .target_token_id = {},
         .payload =
             Object{{"reason", "The schedule \"" + schedule.name + "\" has started the next run."}},
         .created_at = now_,
         .closed_at = {}});
  }
  works.push_back(std::move(work));
}

} // namespace perdure::engine
