// Migration: the instance goes on with another version of its process. It is looked at as a whole
// and tried on a copy before its first fact; then what waits beside the tokens follows the new
// version, and tokens at gateways that gather otherwise now come there anew.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "decide/arrivals.h"
#include "decide/decide.h"
#include "decide/incidents.h"
#include "decide/migration.h"
#include "decide/quiescence.h"

namespace perdure::decide {

using facts::RefusalCode;

namespace {

/// So many reasons are told in one text.
constexpr std::size_t kReasonsTold = 20;

facts::Refusal refused(Objections objections) {
  facts::Refusal refusal{RefusalCode::bad_migration, {}};
  for (std::size_t i = 0; i < std::min(objections.size(), kReasonsTold); ++i)
    refusal.message += (i > 0 ? " " : "") + objections[i].message;
  if (objections.size() > kReasonsTold) {
    refusal.message +=
        " There are " + std::to_string(objections.size() - kReasonsTold) + " more reasons.";
  }
  refusal.objections = std::move(objections);
  return refusal;
}

std::optional<facts::Refusal> check_target(const Versions& versions,
                                           const facts::InstanceState& state,
                                           const facts::MigrateRequested& request) {
  if (is_terminal(state.instance.status)) {
    return facts::Refusal{RefusalCode::instance_finished,
                          "The instance has ended: there is nothing left to migrate."};
  }
  if (versions.to().process_id() != state.instance.process_id) {
    return facts::Refusal{RefusalCode::bad_migration,
                          "The instance is one of the process `" + state.instance.process_id +
                              "`, not of `" + versions.to().process_id() +
                              "`: name another version of its own process."};
  }
  if (request.definition_id == state.instance.definition_id) {
    return facts::Refusal{RefusalCode::bad_migration,
                          "The instance runs with this version already: name another one."};
  }
  return std::nullopt;
}

/// What to do, found on the rows as they are.
struct Plan {
  Key from_definition_id = kNoKey;
  Key definition_id = kNoKey;
  Object mapping;
  ArmingPlan arming;
  DataPlan data;
  std::vector<Key> gatherings;
};

Plan plan_migration(const Versions& versions, const facts::InstanceState& state,
                    const facts::MigrateRequested& request) {
  Plan plan{.from_definition_id = state.instance.definition_id,
            .definition_id = request.definition_id,
            .mapping = {},
            .arming = plan_arming(versions, state),
            .data = plan_data(versions, state),
            .gatherings = changed_gatherings(versions, state)};
  for (const auto& [old_id, new_id] : request.mapping) {
    if (old_id != new_id) plan.mapping.append(old_id, new_id);
  }
  return plan;
}

/// Keys for what is armed and for the moves that must fit in: a condition that holds already is
/// looked at once.
std::int64_t keys_for(const Plan& plan, const definition::Definition& to) {
  auto keys = 1 + std::ssize(plan.data.opened);
  std::int64_t moves = 3;
  for (const auto& rearmed : plan.arming.rearmed) {
    for (const auto index : rearmed.events) {
      keys += std::ssize(to.node(index).events);
      moves += to.node(index).has(definition::EventKind::conditional);
    }
  }
  return keys + moves * keys_per_move(to);
}

/// The tokens of the gathering come to their gateway once more.
void gather_again(Draft& draft, Key join_id) {
  std::vector<std::pair<Instant, Key>> tokens;
  for (const auto& arrival : arrivals_of(draft.state(), join_id))
    tokens.emplace_back(arrival.arrived_at, arrival.token_id);
  std::ranges::sort(tokens);
  draft.emit(facts::JoinCancelled{.join_id = join_id});
  for (const auto& [arrived_at, token_id] : tokens) {
    resolve_incidents_of(draft, token_id);
    const auto& token = *draft.state().tokens.find(token_id);
    draft.emit(facts::TokenMoved{
        .token_id = token_id, .flow_id = *token.flow_id, .node_id = token.node_id});
    draft.make_ready(token_id);
  }
}

/// Work that has begun has variables of its own from now on, or no longer: what is given out at its
/// end is as the new version says.
void follow_data(Draft& draft, const DataPlan& plan) {
  for (const auto id : plan.closed)
    draft.emit(facts::ScopeClosed{.scope_id = id, .state = facts::ScopeState::completed});
  for (const auto token_id : plan.opened) {
    const auto visit = draft.visit_of(token_id);
    Object variables;
    for (const auto& name : visit.node.data->locals)
      variables.append(name, nullptr);
    draft.emit(facts::ScopeOpened{.scope_id = draft.take_key(),
                                  .parent_id = visit.scope_id,
                                  .token_id = token_id,
                                  .node_id = visit.node.id,
                                  .kind = facts::ScopeKind::activity,
                                  .loop_index = {},
                                  .variables = std::move(variables),
                                  .keeps_state = true});
  }
}

Objections carry_out(Draft& draft, const Plan& plan) {
  draft.emit(facts::InstanceMigrated{.migration_id = draft.take_key(),
                                     .from_definition_id = plan.from_definition_id,
                                     .definition_id = plan.definition_id,
                                     .mapping = plan.mapping});
  for (const auto id : plan.arming.timers)
    draft.emit(facts::TimerCancelled{.timer_id = id});
  for (const auto id : plan.arming.subscriptions)
    draft.emit(facts::SubscriptionCancelled{.subscription_id = id});
  follow_data(draft, plan.data);
  Objections objections;
  for (const auto& [owner, token_id, scope_id, events] : plan.arming.rearmed) {
    const auto armed = arm_events(draft, token_id, scope_id, events, owner);
    if (armed) continue;
    objections.push_back(
        {draft.definition().node(armed.error().event).id,
         "An event that is new cannot be awaited. " + armed.error().trouble.message});
  }
  for (const auto join_id : plan.gatherings)
    gather_again(draft, join_id);
  draft.look_at_all_conditions();
  draft.touch_all_joins();
  return objections;
}

} // namespace

Decision migrate(const definition::Definition& from, const definition::Definition& to,
                 facts::InstanceState& state, const facts::Event& event, const Policy& policy,
                 const Catalog* catalog) {
  PERDURE_CHECK(state.instance.id != kNoKey);
  const auto& request = std::get<facts::MigrateRequested>(event.data);
  const auto at = std::max(event.at, state.instance.updated_at);
  const Versions versions(from, to, request.mapping);
  const auto refuse = [&](facts::Refusal refusal) {
    return Decision{.facts = {}, .refusal = std::move(refusal), .keys = event.keys};
  };
  if (auto refusal = check_target(versions, state, request)) return refuse(std::move(*refusal));
  if (auto objections = check_migration(versions, state); !objections.empty()) {
    return refuse(refused(std::move(objections)));
  }
  auto plan = plan_migration(versions, state, request);
  if (!plan.arming.objections.empty()) return refuse(refused(std::move(plan.arming.objections)));
  if (event.keys.left() < keys_for(plan, to)) {
    return refuse({RefusalCode::bad_migration,
                   "The new version has more events to await than one change can hold: leave some "
                   "of them out of the model."});
  }
  auto copy = state;
  Draft trial(to, copy, at, event.keys, policy, catalog);
  if (auto objections = carry_out(trial, plan); !objections.empty()) {
    return refuse(refused(std::move(objections)));
  }
  Draft draft(to, state, at, event.keys, policy, catalog);
  PERDURE_CHECK(carry_out(draft, plan).empty());
  if (state.instance.status == facts::InstanceStatus::running) run_to_rest(draft);
  return std::move(draft).take_decision();
}

} // namespace perdure::decide
