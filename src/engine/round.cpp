#include "engine/round.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "engine/flow_host.h"
#include "flow/decide.h"

namespace perdure::engine {

namespace {

/// A node that is frozen keeps its instances until the database ends its transaction.
constexpr int kMaxOvertaken = 16;
constexpr std::string_view kBusinessKeyOnce = "process_instance_business_key_once";

std::string nothing_of(const Work& work) {
  if (work.target == Target::incident) {
    return "There is no incident " + key_text(work.key) +
           "; list instances that have one with `perdure ps --incidents`.";
  }
  return "There is no task " + key_text(work.key) + "; list the open ones with `perdure tasks`.";
}

/// Whether an operator's word may give a failed task more attempts. The database allows that to a
/// task that is saved as failed: what else happens to it in the same round is committed before.
bool may_grant_attempts(const facts::EventData& event) {
  const auto* completed = std::get_if<facts::TaskCompleted>(&event);
  return std::holds_alternative<facts::RetryRequested>(event) ||
         (completed && !completed->worker_id);
}

bool migrates(const facts::EventData& event) {
  return std::holds_alternative<facts::MigrateRequested>(event);
}

/// Whether the sender had to hold a lease when he sent it.
bool is_of_lease_holder(const facts::EventData& event) {
  const auto* completed = std::get_if<facts::TaskCompleted>(&event);
  return std::holds_alternative<facts::TaskFailed>(event) ||
         std::holds_alternative<facts::TaskLockExtended>(event) ||
         (completed && completed->worker_id);
}

facts::Refusal lease_conflict() {
  return {facts::RefusalCode::lease_conflict,
          "The lease of this attempt ran out and the task went on without it: nothing is to do."};
}

} // namespace

std::vector<Work> Round::run(std::vector<Work> works) {
  if (parts_.store.is_shared()) { // another node may have deployed
    parts_.definitions.forget_latest();
    parts_.decisions.forget_latest();
  }
  take_events(works);
  offer_backlog(works);
  std::vector<Work*> resolved;
  for (auto& work : works) {
    if (resolve(work)) resolved.push_back(&work);
  }
  load_missing(resolved);
  for (auto* work : resolved)
    decide_one(*work);
  for (auto& unit : units_) {
    if (!unit.broken) assign_fresh_tasks(unit);
  }
  commit();
  // What was refused for good is written off.
  if (!loose_.empty()) commit_loose();
  parts_.cache.trim();
  return std::move(later_);
}

// ---- before deciding

// Finds the instance that the work is for; false when the work is answered or put off.
bool Round::resolve(Work& work) {
  if (work.errand && work.errand->pending &&
      !pending_seen_.insert(work.errand->pending->id).second) {
    return false; // it was put off, and its row brought it again
  }
  if (answered_before(work)) return false;
  if (work.instance_id != kNoKey) return true;
  if (work.target == Target::message) return find_receiver(work);
  if (work.target == Target::none) {
    if (work.errand->pending) {
      spread_signal(work);
    } else if (work.errand->offer) {
      begin_by_conditions(work);
    } else {
      send_signal(work);
    }
    return false;
  }
  if (work.target == Target::fresh) return find_definition(work);
  if (work.target == Target::instance) {
    work.instance_id = work.key;
    return true;
  }
  const auto owner = owner_of(work);
  if (!owner) {
    turn_away(work, failure_of(owner.error()));
    return false;
  }
  if (!*owner) {
    turn_away(work, {.kind = Failure::Kind::not_found, .message = nothing_of(work)});
    return false;
  }
  work.instance_id = **owner;
  return true;
}

// The latest version, unless the start names one.
bool Round::find_definition(Work& work) {
  auto& start = std::get<facts::StartRequested>(work.event);
  if (start.definition_id != kNoKey) return true;
  const auto latest = parts_.definitions.latest(work.tenant_id, work.process_id);
  if (!latest) {
    turn_away(work, failure_of(latest.error()));
    return false;
  }
  start.definition_id = *latest;
  return true;
}

// The instance whose row the work names.
Result<std::optional<Key>> Round::owner_of(const Work& work) {
  if (work.target == Target::incident) return parts_.store.instance_of_incident(work.key);
  if (work.target == Target::user_task) return parts_.store.instance_of_user_task(work.key);
  return parts_.store.instance_of_task(work.key);
}

// A command with an idempotency key that was seen before is answered from its record.
bool Round::answered_before(Work& work) {
  if (!work.idempotency) return false;
  const auto key = std::pair(work.tenant_id, work.idempotency->key);
  if (idempotency_seen_.contains(key)) {
    // Its twin is decided in this very round: look again when that one is committed.
    later_.push_back(std::move(work));
    return true;
  }
  const auto record = parts_.store.idempotency(work.tenant_id, work.idempotency->key);
  if (!record) {
    turn_away(work, failure_of(record.error()));
    return true;
  }
  if (!*record) {
    idempotency_seen_.insert(key);
    return false;
  }
  if ((*record)->request_digest != work.idempotency->digest) {
    turn_away(work,
              {.kind = Failure::Kind::refused,
               .violation = "IdempotencyKeyReused",
               .message = "This idempotency key was used with another request; use a new key."});
    return true;
  }
  const auto outcome = json::parse((*record)->outcome);
  const auto* id = outcome ? outcome->find("instance_id") : nullptr;
  const auto* text = id ? id->as<std::string>() : nullptr;
  const auto* fate = outcome ? outcome->find("fate") : nullptr;
  const auto* fate_name = fate ? fate->as<std::string>() : nullptr;
  const auto* begun = outcome ? outcome->find("begun") : nullptr;
  const auto* list = begun ? begun->as<Array>() : nullptr;
  ++parts_.counters.repeated;
  reply(work, Outcome{.instance_id = text ? parse_key(*text).value_or(kNoKey) : kNoKey,
                      .repeated = true,
                      .begun = list ? *list : Array{},
                      .fate = enum_from<Correlated::Fate>(fate_name ? *fate_name : "taken")
                                  .value_or(Correlated::Fate::taken)});
  return true;
}

void Round::load_missing(const std::vector<Work*>& works) {
  std::vector<Key> missing;
  for (const auto* work : works) {
    if (work->instance_id != kNoKey && !parts_.cache.find(work->instance_id)) {
      missing.push_back(work->instance_id);
    }
  }
  drop_outdated(works, missing);
  if (missing.empty()) return;
  std::ranges::sort(missing);
  const auto [first, last] = std::ranges::unique(missing);
  missing.erase(first, last);
  auto states = parts_.store.load(missing);
  if (!states) {
    parts_.log.write(LogLevel::error, "load_failed", {{"error", states.error().message}});
    load_error_ = std::move(states.error());
    failed_ = true;
    return;
  }
  for (auto& state : *states)
    parts_.cache.put(std::move(state));
}

// Another node may have decided since a state was cached. A refusal is not guarded by a commit: it
// must be of what is true now.
void Round::drop_outdated(const std::vector<Work*>& works, std::vector<Key>& missing) {
  if (!parts_.store.is_shared()) return;
  std::vector<Key> cached;
  for (const auto* work : works) {
    if (work->instance_id != kNoKey && parts_.cache.find(work->instance_id)) {
      cached.push_back(work->instance_id);
    }
  }
  if (cached.empty()) return;
  // Without an answer nothing is known to be true: the load says what is wrong.
  const auto versions = parts_.store.versions(cached);
  std::set<Key> current;
  for (const auto& [instance_id, version] :
       versions.value_or(std::vector<store::InstanceVersion>())) {
    if (parts_.cache.find(instance_id)->instance.version == version) current.insert(instance_id);
  }
  for (const auto instance_id : cached) {
    if (current.contains(instance_id)) continue;
    ++parts_.counters.reloads;
    parts_.cache.drop(instance_id);
    missing.push_back(instance_id);
  }
}

// ---- deciding

void Round::decide_one(Work& work) {
  if (work.target == Target::fresh) {
    begin_instance(work);
    return;
  }
  const auto found = unit_of(work.instance_id);
  if (was_misled(work, found.value_or(nullptr))) return;
  if (!found) {
    release(work.consumer);
    turn_away(work, found.error());
    return;
  }
  auto& unit = **found;
  if (work.errand && !fits_in(work, unit)) return;
  const bool busy = !unit.accepted.empty() || !unit.refused.empty();
  if (unit.broken || unit.alone || (work.tries > 0 && busy) ||
      // What was paused is saved as running before anything else happens: it cannot end at once.
      ((unit.was_paused || may_grant_attempts(work.event) || migrates(work.event)) &&
       !unit.facts.empty())) {
    // What was sent after a migration is decided after it.
    unit.alone |= migrates(work.event);
    later_.push_back(std::move(work));
    return;
  }
  if (lost_its_lease(work, unit)) {
    refuse(unit, work, lease_conflict());
    return;
  }
  if (auto* admission = std::get_if<facts::FlowAdmission>(&work.event)) {
    if (const auto read = inherit(unit, *admission); !read) {
      turn_away(work, failure_of(read.error()));
      return;
    }
  }
  if (const auto keys = ensure_keys(unit, work.event); !keys) {
    release(work.consumer);
    turn_away(work, failure_of(keys.error()));
    return;
  }
  if (migrates(work.event) && !prepare_migration(unit, work)) return;
  if (work.dry_run) {
    try_out(unit, work);
    return;
  }
  // The database compares a migration with what it last saw of the instance.
  unit.alone = work.tries > 0 || migrates(work.event);
  try {
    accept(unit, work, decide_event(unit, work.event, time_of(work)));
  } catch (const BugFound& bug) {
    found_bug(unit, &work, bug);
  } catch (const decide::CatalogUnavailable& reason) {
    put_off(unit, work, reason);
  }
}

// Decides on a copy and tells the facts; nobody else will ever see them.
void Round::try_out(const Unit& unit, Work& work) {
  auto copy = *unit.state;
  Unit trial{.instance_id = unit.instance_id, .state = &copy, .definition = unit.definition};
  try {
    const auto decision = decide_event(trial, work.event, now_);
    if (decision.refusal) {
      turn_away(work, failure_of(*decision.refusal));
      return;
    }
    Outcome outcome{.instance_id = unit.instance_id};
    for (const auto& fact : decision.facts) {
      const auto payload = json::parse(facts::payload_of(fact.data));
      PERDURE_CHECK(payload);
      outcome.facts.push_back(
          Object{{"type", std::string(facts::type_of(fact.data))}, {"payload", *payload}});
    }
    reply(work, std::move(outcome));
  } catch (const BugFound& bug) {
    log_bug(unit.instance_id, bug);
    turn_away(work, {.message = "This dry run hit a bug; see the log."});
  }
}

// A caller's word of where the task is may be wrong: then the database is asked in the next round.
bool Round::was_misled(Work& work, const Unit* unit) {
  if (!work.hinted) return false;
  if (unit && (unit->broken || unit->state->external_tasks.find(work.key))) return false;
  work.hinted = false;
  work.instance_id = kNoKey;
  later_.push_back(std::move(work));
  return true;
}

// A handler that was slower than its lease must not speak for the attempt that came after it.
bool Round::lost_its_lease(const Work& work, const Unit& unit) {
  if (work.attempt == 0) return false;
  const auto* task = unit.state->external_tasks.find(work.key);
  return task && task->attempt != work.attempt;
}

void Round::begin_instance(Work& work) {
  const auto& start = std::get<facts::StartRequested>(work.event);
  auto definition = parts_.definitions.get(start.definition_id);
  if (!definition) {
    turn_away(work, failure_of(definition.error()));
    return;
  }
  facts::InstanceState fresh;
  Unit unit{.state = &fresh, .definition = std::move(*definition), .alone = work.tries > 0};
  if (const auto keys = ensure_keys(unit, work.event); !keys) {
    turn_away(work, failure_of(keys.error()));
    return;
  }
  decide::Decision decision;
  try {
    decision = decide_event(unit, work.event, now_);
  } catch (const BugFound& bug) {
    log_bug(unit.instance_id, bug);
    turn_away(work, {.message = "The start of this process hit a bug; see the log."});
    return;
  } catch (const decide::CatalogUnavailable& reason) {
    failed_ = true;
    turn_away(work, {.kind = Failure::Kind::unavailable, .message = reason.what()});
    return;
  }
  if (decision.refusal) {
    turn_away(work, failure_of(*decision.refusal));
    return;
  }
  unit.instance_id = fresh.instance.id;
  work.instance_id = fresh.instance.id;
  unit.state = &parts_.cache.put(std::move(fresh));
  unit_by_instance_.emplace(unit.instance_id, units_.size());
  units_.push_back(std::move(unit));
  accept(units_.back(), work, std::move(decision));
}

std::expected<Round::Unit*, Failure> Round::unit_of(Key instance_id) {
  if (const auto found = unit_by_instance_.find(instance_id); found != unit_by_instance_.end()) {
    return &units_[found->second];
  }
  auto* state = parts_.cache.find(instance_id);
  if (!state && load_error_) return std::unexpected(failure_of(*load_error_));
  if (!state) {
    return std::unexpected(Failure{.kind = Failure::Kind::not_found,
                                   .message = "There is no process instance " +
                                              key_text(instance_id) +
                                              "; list them with `perdure ps`."});
  }
  auto definition = parts_.definitions.get(state->instance.definition_id);
  if (!definition) {
    parts_.log.write(
        LogLevel::error, "definition_unreadable",
        {{"instance_id", key_text(instance_id)}, {"error", definition.error().message}});
    return std::unexpected(failure_of(definition.error()));
  }
  unit_by_instance_.emplace(instance_id, units_.size());
  units_.push_back({.instance_id = instance_id,
                    .state = state,
                    .base_version = state->instance.version,
                    .definition = std::move(*definition),
                    .was_paused = state->instance.status == facts::InstanceStatus::paused});
  return &units_.back();
}

// Throws BugFound and CatalogUnavailable: the state is then worthless.
decide::Decision Round::decide_event(Unit& unit, const facts::EventData& data, Instant at) {
  facts::Event event{.at = time_of(unit, at), .keys = parts_.keys, .data = data};
  // A lock lasts as long as was asked for, by the instance's own time.
  const auto ahead = std::max(event.at - now_, Duration::zero());
  if (auto* locked = std::get_if<facts::TaskLocked>(&event.data)) locked->lock_expires_at += ahead;
  if (auto* longer = std::get_if<facts::TaskLockExtended>(&event.data)) {
    longer->lock_expires_at += ahead;
  }
  if (unit.definition->is_flow()) {
    const auto kind = kind_of(unit, data);
    auto verdict = flow::decide(kind, *unit.state, event);
    parts_.keys = verdict.keys;
    ++parts_.counters.events;
    return {.facts = std::move(verdict.facts),
            .refusal = std::move(verdict.refusal),
            .keys = verdict.keys};
  }
  // However many events come for one instance, one commit has the moves of one decision.
  auto policy = parts_.options.policy;
  policy.max_moves = std::max<std::int64_t>(policy.max_moves - unit.moves, 0);
  auto decision = migrates(data) ? decide_migration(unit, event, policy)
                                 : decide::decide(*unit.definition, *unit.state, event, policy,
                                                  &parts_.catalog);
  unit.moves += decision.moves;
  parts_.keys = decision.keys;
  ++parts_.counters.events;
  return decision;
}

// A clock that was set back between two runs of the engine must not make an instance end before it
// began.
Instant Round::time_of(const Unit& unit, Instant at) {
  return std::max(at, unit.state->instance.updated_at);
}

// A report that came in time is in time, however long the disk took before it was decided. When the
// lease was lost meanwhile the row says so: another holds the task, or it is ready.
Instant Round::time_of(const Work& work) const {
  return is_of_lease_holder(work.event) ? std::min(work.arrived.value_or(now_), now_) : now_;
}

// Enough for one decision, its audit entry and the row of a message.
Result<void> Round::ensure_keys(const Unit& unit, const facts::EventData& event) {
  const auto count = unit.definition->is_flow()
                         ? flow::keys_needed(*unit.state, event)
                         : decide::keys_needed(parts_.options.policy, *unit.definition);
  return ensure_keys(count + 2);
}

Result<void> Round::ensure_keys(std::int64_t count) {
  if (parts_.keys.left() >= count) return {};
  const auto keys = parts_.store.take_keys(std::max(parts_.options.key_block, count));
  if (!keys) {
    failed_ = true;
    return std::unexpected(keys.error());
  }
  parts_.keys = *keys;
  return {};
}

void Round::accept(Unit& unit, Work& work, decide::Decision decision) {
  if (decision.refusal) {
    release(work.consumer);
    refuse(unit, work, std::move(*decision.refusal));
    return;
  }
  if (work.errand) write_errand(unit, work);
  if (work.consumer.kind != Consumer::Kind::none) {
    unit.assignments.push_back(
        {work.consumer, job_of(unit, std::get<facts::TaskLocked>(work.event).task_id)});
  }
  unit.accepted.push_back(&work);
  add_facts(unit, std::move(decision.facts));
  if (work.idempotency) {
    Object outcome{{"instance_id", key_text(unit.instance_id)}};
    if (work.errand) outcome.set("fate", std::string(name_of(work.errand->fate)));
    unit.idempotency.push_back({.key = work.idempotency->key,
                                .tenant_id = work.tenant_id,
                                .request_digest = work.idempotency->digest,
                                .outcome = json::write(Value(std::move(outcome))),
                                .created_at = now_,
                                .expires_at = now_ + parts_.options.idempotency_ttl});
  }
  if (work.audit) {
    unit.audit.push_back({.id = parts_.keys.take(),
                          .tenant_id = work.tenant_id,
                          .instance_id = unit.instance_id,
                          .actor = work.audit->actor,
                          .action = work.audit->action,
                          .details = work.audit->details,
                          .occurred_at = now_});
  }
}

void Round::refuse(Unit& unit, Work& work, facts::Refusal refusal) {
  if (work.errand) {
    miss(work, failure_of(refusal));
    return;
  }
  ++parts_.counters.refusals;
  if (refusal.code == facts::RefusalCode::lease_conflict) ++parts_.counters.fenced;
  if (work.consumer.kind != Consumer::Kind::none) ++parts_.counters.claims_lost;
  unit.refused.push_back({&work, std::move(refusal)});
}

// The unit's other works are innocent: they are decided again, each alone. The guilty one is too,
// and when it breaks the rules again its instance is set aside with a visible incident.
void Round::found_bug(Unit& unit, Work* work, const BugFound& bug) {
  log_bug(unit.instance_id, bug);
  abandon(unit);
  if (!work) return;
  release(work->consumer);
  work->consumer = {};
  if (work->tries == 0) {
    again(*work);
    return;
  }
  const bool was_setting_aside = std::holds_alternative<facts::SetAside>(work->event);
  turn_away(*work, {.message = std::string("This instance hit a bug (") + bug.what() +
                               ") and was set aside; see its incident."});
  if (!was_setting_aside) set_aside(unit.instance_id, bug.what());
}

// The decision needed something that the database could not say.
void Round::put_off(Unit& unit, Work& work, const decide::CatalogUnavailable& reason) {
  parts_.log.write(LogLevel::error, "decision_put_off",
                   {{"instance_id", key_text(unit.instance_id)}, {"error", reason.what()}});
  failed_ = true;
  abandon(unit);
  release(work.consumer);
  turn_away(work, {.kind = Failure::Kind::unavailable, .message = reason.what()});
}

// The state is worthless; what else was decided on it is decided again.
void Round::abandon(Unit& unit) {
  unit.broken = true;
  parts_.cache.drop(unit.instance_id);
  parts_.backlog.clear();
  for (const auto& assignment : unit.assignments)
    release(assignment.consumer);
  unit.assignments.clear();
  for (auto* innocent : unit.accepted)
    again(*innocent);
  for (auto& refused : unit.refused)
    again(*refused.work);
  unit.accepted.clear();
  unit.refused.clear();
}

void Round::log_bug(Key instance_id, const BugFound& bug) {
  parts_.log.write(LogLevel::error, "bug_found",
                   {{"instance_id", key_text(instance_id)}, {"what", bug.what()}});
}

// Nobody may be waiting for an answer that says what is wrong: an incident shows it.
void Round::set_aside(Key instance_id, std::string why) {
  later_.push_back(Work{.target = Target::instance,
                        .key = instance_id,
                        .instance_id = instance_id,
                        .event = facts::SetAside{.message = std::move(why)},
                        .tries = 1});
}

void Round::add_facts(Unit& unit, std::vector<facts::Fact> facts) {
  for (auto& fact : facts) {
    note_due(fact);
    if (unit.definition->is_flow()) note_slot(unit, fact);
    if (std::holds_alternative<facts::InstanceResumed>(fact.data)) parts_.backlog.clear();
    unit.facts.push_back(std::move(fact));
  }
}

void Round::note_due(const facts::Fact& fact) {
  std::optional<Instant> due;
  if (const auto* opened = std::get_if<facts::StepOpened>(&fact.data)) {
    if (opened->timer) due = opened->timer->due_at;
  } else if (const auto* started = std::get_if<facts::AttemptStarted>(&fact.data)) {
    due = started->lock_expires_at;
  } else if (const auto* failed = std::get_if<facts::AttemptFailed>(&fact.data)) {
    due = failed->next_attempt_at;
  } else if (const auto* interrupted = std::get_if<facts::AttemptInterrupted>(&fact.data)) {
    due = interrupted->available_at;
  } else if (std::holds_alternative<facts::InstanceResumed>(fact.data)) {
    due = now_; // whatever was held back
  } else if (const auto* scheduled = std::get_if<facts::TimerScheduled>(&fact.data)) {
    due = scheduled->due_at;
  } else if (const auto* asked = std::get_if<facts::FlowStepOpened>(&fact.data)) {
    if (asked->timer) due = asked->timer->due_at;
  } else if (const auto* tried = std::get_if<facts::FlowAttemptFailed>(&fact.data)) {
    due = tried->timer.due_at;
  } else if (const auto* fired = std::get_if<facts::TimerFired>(&fact.data)) {
    due = fired->next_due_at;
  }
  if (due && (!next_due_ || *due < *next_due_)) next_due_ = due;
}

// ---- after deciding

void Round::commit() {
  std::vector<store::Unit> writes;
  std::vector<Unit*> written;
  for (auto& unit : units_) {
    if (unit.broken) continue;
    if (unit.facts.empty()) {
      succeed(unit);
      continue;
    }
    writes.push_back({.state = unit.state,
                      .base_version = unit.base_version,
                      .facts = unit.facts,
                      .idempotency = std::move(unit.idempotency),
                      .audit = std::move(unit.audit),
                      .events = unit.events});
    written.push_back(&unit);
  }
  auto loose_rows = std::exchange(loose_, {});
  for (const auto& loose : loose_rows)
    writes.push_back(loose.unit);
  if (writes.empty()) return;
  const auto outcomes = parts_.store.commit(writes);
  ++parts_.counters.batches;
  if (!outcomes) {
    failed_ = true;
    for (auto* unit : written)
      give_up(*unit, outcomes.error());
    for (auto& loose : loose_rows)
      finish_loose(loose, std::unexpected(outcomes.error()));
    parts_.log.write(LogLevel::error, "commit_failed", {{"error", outcomes.error().message}});
    return;
  }
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (const auto& outcome = (*outcomes)[i]) {
      succeed(*written[i]);
    } else {
      give_up(*written[i], outcome.error());
    }
  }
  for (std::size_t i = 0; i < loose_rows.size(); ++i)
    finish_loose(loose_rows[i], (*outcomes)[written.size() + i]);
}

void Round::succeed(Unit& unit) {
  std::optional<std::int64_t> flow_begun;
  if (!unit.facts.empty()) {
    parts_.counters.facts += static_cast<std::int64_t>(unit.facts.size());
    if (unit.state->instance.status == facts::InstanceStatus::completed) {
      ++parts_.counters.instances_completed;
    }
    for (auto* listener : parts_.listeners)
      listener->committed(*unit.state, unit.facts);
    if (unit.definition->is_flow()) flow_begun = parts_.flows.committed(*unit.state, unit.facts);
    unit.state->saved();
    note_events(unit);
    proceed_with(unit);
  }
  for (auto* work : unit.accepted) {
    reply(*work, Outcome{.instance_id = unit.instance_id,
                         .flow_begun = work->target == Target::fresh ? flow_begun : std::nullopt,
                         .fate = work->errand ? work->errand->fate : Correlated::Fate::taken});
  }
  for (auto& refused : unit.refused) {
    reply(*refused.work, std::unexpected(failure_of(refused.refusal)));
  }
  for (auto& assignment : unit.assignments) {
    if (assignment.consumer.kind == Consumer::Kind::handler) {
      if (!parts_.handlers.give(assignment.job)) {
        later_.push_back(awaited_release_of(assignment.job));
      }
    } else if (auto* poll = parts_.polls.find(assignment.consumer.poll)) {
      --poll->reserved;
      poll->jobs.push_back(std::move(assignment.job));
    }
  }
  if (facts::is_terminal(unit.state->instance.status)) parts_.cache.drop(unit.instance_id);
}

// What a decision left ready because its bound was reached goes on in the next round.
void Round::proceed_with(const Unit& unit) {
  // While it was paused variables may have been set that conditions read.
  const bool resumed = std::ranges::any_of(unit.facts, [](const facts::Fact& fact) {
    return std::holds_alternative<facts::InstanceResumed>(fact.data);
  });
  if (unit.definition->is_flow()) return; // whoever has its code knows
  if (unit.state->ready.empty() && !resumed) return;
  if (unit.state->instance.status != facts::InstanceStatus::running) return;
  later_.push_back(Work{.target = Target::instance,
                        .key = unit.instance_id,
                        .instance_id = unit.instance_id,
                        .event = facts::Proceed{}});
}

// The database refused this unit, or the whole transaction: memory forgets it. What was only a race
// is decided again from a fresh state; what the schema forbids is answered with the rule's name.
void Round::give_up(Unit& unit, const Error& error) {
  parts_.cache.drop(unit.instance_id);
  parts_.backlog.clear();
  for (const auto& assignment : unit.assignments)
    release(assignment.consumer);
  const bool overtaken = error.code == ErrorCode::conflict;
  if (overtaken) ++parts_.counters.conflicts;
  if (error.code == ErrorCode::unavailable) ++parts_.counters.in_doubt;
  auto works = std::move(unit.accepted);
  for (auto& refused : unit.refused)
    works.push_back(refused.work);
  const bool down = error.code == ErrorCode::unavailable || error.code == ErrorCode::internal;
  for (auto* work : works) {
    const bool is_last = overtaken ? work->overtaken >= kMaxOvertaken : work->tries > 0;
    if (down) {
      work->in_doubt = work->kept && error.code == ErrorCode::unavailable;
      turn_away(*work, failure_of(error));
    } else if (is_last) {
      refused_for_good(unit, *work, error);
    } else {
      again(*work, overtaken ? &Work::overtaken : &Work::tries);
    }
  }
}

void Round::refused_for_good(const Unit& unit, Work& work, const Error& error) {
  if (error.where == kBusinessKeyOnce) {
    turn_away(work, business_key_taken(unit, work));
    return;
  }
  parts_.log.write(LogLevel::error, "commit_refused",
                   {{"instance_id", key_text(unit.instance_id)},
                    {"constraint", error.where},
                    {"error", error.message}});
  const bool unseen =
      (!work.reply || work.kept) && !std::holds_alternative<facts::SetAside>(work.event);
  if (unseen && error.code != ErrorCode::conflict) set_aside(unit.instance_id, error.message);
  turn_away(work, failure_of(error));
}

// A start that the database refused for its business key: the caller learns who holds it.
Failure Round::business_key_taken(const Unit& unit, const Work& work) {
  const auto key = std::get<facts::StartRequested>(work.event).business_key.value_or("");
  Failure failure{.kind = Failure::Kind::refused,
                  .violation = "BusinessKeyTaken",
                  .message =
                      "An instance of this process has the business key already; use that "
                      "one, or another key."};
  const auto holder =
      parts_.store.instance_of_business_key(work.tenant_id, unit.definition->process_id(), key);
  if (!holder || !*holder) return failure;
  // A run that went on as a new one is found where it is now.
  const auto last = parts_.store.chain_end(**holder);
  failure.existing_id = last && *last ? (*last)->run_id : **holder;
  return failure;
}

void Round::again(Work& work, int Work::* counter) {
  // A lock was for a worker that is no longer promised: the task is offered anew from the backlog.
  if (work.consumer.kind != Consumer::Kind::none) {
    work.consumer = {};
    return;
  }
  if (work.errand) {
    put_back(work,
             counter == &Work::tries ? &EventNotes::Trials::tries : &EventNotes::Trials::overtaken);
    return;
  }
  ++(work.*counter);
  ++parts_.counters.retried;
  if (work.target == Target::fresh) work.instance_id = kNoKey;
  later_.push_back(std::move(work));
}

void Round::release(const Consumer& consumer) {
  if (consumer.kind == Consumer::Kind::handler) {
    parts_.handlers.release();
  } else if (consumer.kind == Consumer::Kind::poll) {
    if (auto* poll = parts_.polls.find(consumer.poll)) --poll->reserved;
  }
}

void Round::reply(Work& work, std::expected<Outcome, Failure> outcome) {
  if (std::exchange(work.in_doubt, false)) ++parts_.counters.resolved;
  if (work.reply) std::exchange(work.reply, nullptr)(std::move(outcome));
}

// The work has no effect now. What nobody would send again is kept while that is the database's
// fault.
void Round::turn_away(Work& work, Failure failure) {
  if (work.errand) {
    miss(work, std::move(failure));
    return;
  }
  if (work.kept && failure.kind == Failure::Kind::unavailable) {
    kept_.push_back(std::move(work));
    return;
  }
  reply(work, std::unexpected(std::move(failure)));
}

} // namespace perdure::engine
