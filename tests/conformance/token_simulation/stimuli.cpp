#include "conformance/token_simulation/stimuli.h"

#include <algorithm>
#include <optional>

namespace perdure::conformance {

namespace {

/// A row and the instance that holds it.
template <class Row>
struct Found {
  std::size_t instance = 0;
  const Row* row = nullptr;
};

/// The oldest row of that kind for which `fits` holds.
template <class Row, class Fits>
std::optional<Found<Row>> find_row(const World& world,
                                   facts::Table<Row> facts::InstanceState::* table,
                                   const Fits& fits) {
  for (std::size_t index = 0; index < world.instances().size(); ++index) {
    for (const auto& slot : (world.instances()[index].state.*table).slots()) {
      if (fits(slot.row)) return Found<Row>{index, &slot.row};
    }
  }
  return std::nullopt;
}

Problem nothing_waits(const Stimulus& stimulus) {
  return "nothing waits for " + stimulus.event + " at `" + stimulus.element + "`";
}

Problem choose_flow(World& world, const Stimulus& stimulus) {
  Array flows;
  for (const auto& flow : stimulus.flows)
    flows.emplace_back(flow);
  return world.set_variable(choice_variable(stimulus.element), flows);
}

Problem start(World& world, const Stimulus& stimulus) { return world.start_at(stimulus.element); }

Problem resume(World& world, const Stimulus& stimulus) {
  const auto task =
      find_row(world, &facts::InstanceState::user_tasks, [&](const facts::UserTask& row) {
        const bool there =
            row.node_id == stimulus.element || row.node_id == wait_node(stimulus.element);
        return there && row.state == facts::UserTaskState::open;
      });
  if (!task) return "nobody waits at `" + stimulus.element + "`";
  return world.send(task->instance,
                    facts::UserTaskCompleted{.task_id = task->row->id, .variables = {}});
}

Problem fire_timer(World& world, const Stimulus& stimulus) {
  const auto timer = find_row(world, &facts::InstanceState::timers, [&](const facts::Timer& row) {
    return row.node_id == stimulus.element && row.status == facts::TimerStatus::scheduled;
  });
  if (!timer) return nothing_waits(stimulus);
  world.advance_to(timer->row->due_at);
  return world.send(timer->instance, facts::TimerDue{.timer_id = timer->row->id});
}

/// A message, a signal or a condition that became true.
Problem occur(World& world, const Stimulus& stimulus) {
  const auto waiting = find_row(
      world, &facts::InstanceState::subscriptions, [&](const facts::EventSubscription& row) {
        return row.node_id == stimulus.element && row.state == facts::SubscriptionState::open;
      });
  if (!waiting) return nothing_waits(stimulus);
  if (waiting->row->kind == facts::SubscriptionKind::conditional) {
    // Until it is false again it cannot become true once more.
    auto problem = world.set_variable(condition_variable(stimulus.element), true);
    return problem.empty() ? world.set_variable(condition_variable(stimulus.element), false)
                           : problem;
  }
  return world.send(waiting->instance, facts::EventOccurred{waiting->row->id, {}});
}

/// What a token or a scope waits for at this element comes.
Problem happen(World& world, const Stimulus& stimulus) {
  return stimulus.event == "timer" ? fire_timer(world, stimulus) : occur(world, stimulus);
}

Problem trigger(World& world, const Stimulus& stimulus) {
  switch (stimulus.kind) {
    case TriggerKind::start: return start(world, stimulus);
    case TriggerKind::implicit_start: return start(world, stimulus);
    case TriggerKind::resume: return resume(world, stimulus);
    case TriggerKind::caught:
    case TriggerKind::event_based_gateway:
    case TriggerKind::boundary:
    case TriggerKind::event_sub_process_start: return happen(world, stimulus);
  }
  return {};
}

Problem signal(World& world, const Stimulus& stimulus) {
  const auto& flows = world.drawing().message_flows;
  const auto flow = std::ranges::find(flows, stimulus.message_flow, &MessageFlow::id);
  if (flow == flows.end()) return "no message flow `" + stimulus.message_flow + "` is drawn";
  world.post(*flow);
  return {};
}

Problem begin(World& world, const Stimulus& stimulus) {
  switch (stimulus.action) {
    case Action::choose_flow: return choose_flow(world, stimulus);
    case Action::wait_at: return {}; // prepared in the model
    case Action::trigger: return trigger(world, stimulus);
    case Action::signal: return signal(world, stimulus);
    case Action::check: return {};
  }
  return {};
}

} // namespace

Problem give(World& world, const Stimulus& stimulus) {
  auto problem = begin(world, stimulus);
  return problem.empty() ? world.settle() : problem;
}

} // namespace perdure::conformance
