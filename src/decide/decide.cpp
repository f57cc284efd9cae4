#include "decide/decide.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.h"
#include "decide/conditions.h"
#include "decide/draft.h"
#include "decide/elements.h"
#include "decide/events.h"
#include "decide/joins.h"
#include "decide/quiescence.h"

namespace perdure::decide {

namespace {

/// Keys beyond this for one event would burn through the sequence; a decision stops early instead.
constexpr std::int64_t kMaxKeys = 50'000;

/// Events about one task or timer find it gone when the instance has ended: that says more.
template <class Event>
constexpr bool kNeedsRunningInstance =
    std::is_same_v<Event, facts::CancelRequested> || std::is_same_v<Event, facts::RetryRequested> ||
    std::is_same_v<Event, facts::PauseRequested> || std::is_same_v<Event, facts::ResumeRequested> ||
    std::is_same_v<Event, facts::VariablesRequested> ||
    std::is_same_v<Event, facts::ModifyRequested> ||
    std::is_same_v<Event, facts::ActivitiesChosen> || std::is_same_v<Event, facts::Proceed> ||
    std::is_same_v<Event, facts::SetAside>;

/// What an operator may do with an instance that he holds.
template <class Event>
constexpr bool kTouchesPaused =
    std::is_same_v<Event, facts::CancelRequested> || std::is_same_v<Event, facts::PauseRequested> ||
    std::is_same_v<Event, facts::ResumeRequested> ||
    std::is_same_v<Event, facts::VariablesRequested> ||
    std::is_same_v<Event, facts::ModifyRequested> || std::is_same_v<Event, facts::SetAside>;

/// What the code of a flow tells; flow/decide.h.
template <class Event>
constexpr bool kIsOfFlows =
    std::is_same_v<Event, facts::FlowAdvanced> || std::is_same_v<Event, facts::FlowDiverged> ||
    std::is_same_v<Event, facts::FlowHostLost> || std::is_same_v<Event, facts::FlowAdmission> ||
    std::is_same_v<Event, facts::FlowStepSkipped>;

template <class Event>
MaybeRefusal handle_event(Draft& draft, const Event& event) {
  // It needs two definitions: migrate().
  PERDURE_CHECK((!std::is_same_v<Event, facts::MigrateRequested>));
  if constexpr (!std::is_same_v<Event, facts::StartRequested>) {
    PERDURE_CHECK(draft.state().instance.id != kNoKey);
  }
  if constexpr (kNeedsRunningInstance<Event>) {
    if (is_terminal(draft.state().instance.status)) {
      return refuse(facts::RefusalCode::instance_finished,
                    "The instance has ended: start a new one.");
    }
  }
  if constexpr (!kTouchesPaused<Event>) {
    if (draft.state().instance.status == facts::InstanceStatus::paused) {
      return refuse(facts::RefusalCode::instance_paused,
                    "An operator has paused the instance: resume it first.");
    }
  }
  if constexpr (std::is_same_v<Event, facts::MigrateRequested>) {
    return accepted();
  } else {
    return decide_event(draft, event);
  }
}

template <class Event>
MaybeRefusal handle(Draft& draft, const Event& event) {
  if constexpr (kIsOfFlows<Event>) {
    return refuse(facts::RefusalCode::token_invalid_transition,
                  "This instance runs a model: no code speaks for it.");
  } else {
    return handle_event(draft, event);
  }
}

} // namespace

void run_to_rest(Draft& draft) {
  for (;;) {
    if (!review_conditions(draft)) break;
    if (fire_inclusive(draft)) continue;
    const auto token_id = draft.next_ready();
    if (!token_id) break;
    enter(draft, draft.visit_of(*token_id));
  }
  review_joins(draft);
}

std::int64_t keys_needed(const Policy& policy, const definition::Definition& definition) {
  const auto reserve = keys_per_move(definition);
  return std::min(4 * reserve + 4 * std::max<std::int64_t>(policy.max_moves, 1), kMaxKeys);
}

Decision decide(const definition::Definition& definition, facts::InstanceState& state,
                const facts::Event& event, const Policy& policy, const Catalog* catalog) {
  // A clock that was set back must not turn the order of the facts around.
  const auto at = std::max(event.at, state.instance.updated_at);
  Draft draft(definition, state, at, event.keys, policy, catalog);
  auto refusal = std::visit([&](const auto& data) { return handle(draft, data); }, event.data);
  if (refusal) {
    PERDURE_CHECK(!draft.has_facts());
    return {.facts = {}, .refusal = std::move(refusal), .keys = event.keys};
  }
  // What is set aside must not run into the same bug again. What is resumed goes on by an event of
  // its own: the database lets no instance end that it saw paused.
  const bool rests = std::holds_alternative<facts::SetAside>(event.data) ||
                     std::holds_alternative<facts::ResumeRequested>(event.data) ||
                     state.instance.status == facts::InstanceStatus::paused;
  if (!rests) run_to_rest(draft);
  return std::move(draft).take_decision();
}

} // namespace perdure::decide
