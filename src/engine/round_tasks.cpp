// Tasks and who takes them: within a round a fresh one goes to a hungry worker, and what lies ready
// since earlier rounds is offered.
#include <algorithm>
#include <utility>

#include "engine/round.h"

namespace perdure::engine {

// Hungry workers get what lies ready since earlier rounds: the lock is an event like any other.
void Round::offer_backlog(std::vector<Work>& works) {
  auto types = parts_.polls.types();
  for (auto& type : parts_.handlers.types())
    types.push_back(std::move(type));
  for (const auto& type : types) {
    if (const auto known = parts_.backlog.find(type);
        known != parts_.backlog.end() && !known->second) {
      continue;
    }
    const auto handler_places = parts_.handlers.has(type) ? parts_.handlers.free() : 0;
    const auto demand =
        std::min(handler_places + parts_.polls.demand(type), parts_.options.max_batch);
    if (demand == 0) continue;
    const auto ready = parts_.store.ready_tasks(type, now_, static_cast<std::int64_t>(demand));
    if (!ready) {
      parts_.log.write(LogLevel::error, "ready_tasks_failed", {{"error", ready.error().message}});
      failed_ = true;
      outage_ = failure_of(ready.error());
      return;
    }
    parts_.backlog[type] = ready->size() >= demand;
    for (const auto& task : *ready) {
      auto claim = claim_for(type, task.task_id);
      if (!claim) break;
      works.push_back(Work{.target = Target::instance,
                           .key = task.task_id,
                           .instance_id = task.instance_id,
                           .event = std::move(claim->locked),
                           .consumer = claim->consumer});
    }
  }
}

// Sets a place aside with whoever takes a task of the type, handlers first. Without a taker the
// task stays ready, and the backlog of the type remembers that.
std::optional<Round::Claim> Round::claim_for(const std::string& type, Key task_id) {
  if (parts_.handlers.has(type) && parts_.handlers.free() > 0) {
    parts_.handlers.reserve();
    return Claim{.consumer = {.kind = Consumer::Kind::handler},
                 .locked = {.task_id = task_id,
                            .worker_id = parts_.handler_worker_id,
                            .lock_expires_at = now_ + parts_.options.handler_lease}};
  }
  if (auto* poll = parts_.polls.taker(type)) {
    ++poll->reserved;
    return Claim{.consumer = {.kind = Consumer::Kind::poll, .poll = poll->id},
                 .locked = {.task_id = task_id,
                            .worker_id = poll->command.worker_id,
                            .lock_expires_at = now_ + poll->command.lock_duration}};
  }
  parts_.backlog[type] = true;
  return std::nullopt;
}

void Round::assign_fresh_tasks(Unit& unit) {
  // Assigning appends facts of its own: look only at those that are there now.
  const auto count = unit.facts.size();
  for (std::size_t i = 0; i < count && !unit.broken; ++i) {
    const auto& data = unit.facts[i].data;
    if (const auto* opened = std::get_if<facts::StepOpened>(&data)) {
      if (opened->worker) assign(unit, opened->worker->task_id);
    } else if (const auto* retried = std::get_if<facts::StepRetried>(&data)) {
      assign(unit, retried->task_id);
    } else if (const auto* interrupted = std::get_if<facts::AttemptInterrupted>(&data)) {
      if (interrupted->available_at) assign(unit, interrupted->task_id);
    } else if (const auto* released = std::get_if<facts::AttemptReleased>(&data)) {
      assign(unit, released->task_id);
    }
  }
}

// Locks a fresh task for a hungry worker within the same commit; without one it stays ready.
void Round::assign(Unit& unit, Key task_id) {
  const auto* task = unit.state->external_tasks.find(task_id);
  if (!task || task->state != facts::TaskState::ready || task->available_at > time_of(unit, now_))
    return;
  if (unit.state->instance.status == facts::InstanceStatus::paused) return;
  if (!ensure_keys(unit, facts::TaskLocked{})) return;
  auto claim = claim_for(task->type, task_id);
  if (!claim) return;
  try {
    auto decision = decide_event(unit, std::move(claim->locked), now_);
    PERDURE_CHECK(!decision.refusal);
    add_facts(unit, std::move(decision.facts));
    unit.assignments.push_back({claim->consumer, job_of(unit, task_id)});
  } catch (const BugFound& bug) {
    release(claim->consumer);
    found_bug(unit, nullptr, bug);
  }
}

namespace {

/// The listener whose work the task is; nullptr: it is that of the node itself.
const definition::ListenerSpec* listener_of(const facts::InstanceState& state,
                                            const definition::Node& node,
                                            const facts::ExternalTask& task) {
  const auto* step = state.steps.find(task.step_id);
  if (!step || !step->listener || *step->listener > std::ssize(node.listeners)) return nullptr;
  return &node.listeners[static_cast<std::size_t>(*step->listener - 1)];
}

} // namespace

Job Round::job_of(const Unit& unit, Key task_id) const {
  const auto& state = *unit.state;
  const auto* task = state.external_tasks.find(task_id);
  PERDURE_CHECK(task);
  const auto* token = state.tokens.find(task->token_id);
  PERDURE_CHECK(token);
  const auto& node = unit.definition->node(unit.definition->find_node(task->node_id));
  auto variables = decide::visible_variables(state, decide::variables_of(state, token->id));
  if (const auto* own = task->variables.as<Object>(); own && !own->empty()) {
    for (const auto& [name, value] : *own)
      variables.as<Object>()->set(name, value);
  }
  const auto* listener = listener_of(state, node, *task);
  Object headers;
  const auto add_headers = [&](const definition::WorkerSpec& worker) {
    for (const auto& [name, text] : worker.headers)
      headers.set(name, text);
  };
  if (node.worker) add_headers(*node.worker);
  if (listener) add_headers(listener->worker);
  return {
      .task_id = task->id,
      .instance_id = state.instance.id,
      .definition_id = state.instance.definition_id,
      .type = task->type,
      .process_id = state.instance.process_id,
      .node_id = task->node_id,
      .node_name = node.name,
      .business_key = state.instance.business_key,
      .worker_id = task->worker_id.value_or(""),
      .lock_expires_at = task->lock_expires_at.value_or(now_),
      .attempt = task->attempt,
      .retries = task->retries,
      .priority = task->priority,
      .variables = std::move(variables),
      .headers = Value(std::move(headers)),
      .listener = listener ? std::optional(std::string(name_of(listener->phase))) : std::nullopt};
}

} // namespace perdure::engine
