// Repair of flows: a new run in the place of one that has ended, a step that is skipped.
#include <utility>

#include "engine/engine.h"
#include "engine/ring.h"
#include "flow/restart.h"

namespace perdure::engine {

namespace {

constexpr auto kPlaces = std::to_array<std::string_view>({"beginning", "step", "failure"});

Failure bad_input(std::string message) {
  return {.kind = Failure::Kind::invalid_input, .message = std::move(message)};
}

Value details_of(const RestartFlowCommand& command) {
  Object details{{"restart_of", key_text(command.instance_id)},
                 {"from", kPlaces[static_cast<std::size_t>(command.from.kind)]}};
  if (!command.from.step.empty()) details.append("step", command.from.step);
  if (command.input) details.append("input", *command.input);
  if (command.latest) details.append("latest", true);
  if (command.reason) details.append("reason", *command.reason);
  return details;
}

/// What is wrong with the command, if anything.
std::optional<Failure> check(const RestartFlowCommand& command) {
  using Kind = flow::RestartPoint::Kind;
  if (command.input && !command.input->is_object()) {
    return bad_input("The input of a flow is an object of variables.");
  }
  if (command.from.kind == Kind::step && command.from.step.empty()) {
    return bad_input("Name the step that the new run goes on from.");
  }
  if (command.input && command.from.kind != Kind::beginning && !command.insist) {
    return bad_input(
        "What the earlier run did, it did with its own input: restart from the beginning, or "
        "insist on another input.");
  }
  return std::nullopt;
}

} // namespace

void Engine::restart_flow(RestartFlowCommand command, Reply<Started> reply) {
  if (auto wrong = check(command)) return reply(std::unexpected(*std::move(wrong)));
  FactReader facts(ring_->flows().history(), command.instance_id);
  auto plan = flow::plan_restart([&] { return facts.next(); }, command.from);
  if (facts.error()) return reply(std::unexpected(failure_of(*facts.error())));
  if (!plan) return reply(std::unexpected(failure_of(plan.error())));
  auto& started = plan->started;
  Work work{
      .target = Target::fresh, .process_id = started.process_id, .tenant_id = started.tenant_id};
  work.audit = AuditDraft{command.actor.value_or("operator"), "restart_flow", details_of(command)};
  work.event = facts::StartRequested{
      .definition_id = command.latest ? kNoKey : started.definition_id,
      .tenant_id = std::move(started.tenant_id),
      .business_key = std::move(started.business_key),
      .variables = command.input ? *std::move(command.input) : std::move(started.input),
      .parent_instance_id = {},
      .parent_token_id = {},
      .entries = std::move(plan->entries),
      .worker_id = "restart of " + key_text(command.instance_id),
      .previous_instance_id = command.instance_id};
  work.reply = [reply = std::move(reply)](std::expected<Outcome, Failure> outcome) mutable {
    if (!outcome) return reply(std::unexpected(std::move(outcome.error())));
    reply(Started{outcome->instance_id, false});
  };
  ring_->submit(std::move(work));
}

void Engine::skip_step(SkipStepCommand command, Reply<Done> reply) {
  Work work{.target = Target::instance, .key = command.instance_id};
  Object details{{"step", command.step}};
  if (command.output) details.append("result", *command.output);
  if (command.reason) details.append("reason", *command.reason);
  work.audit = AuditDraft{command.actor.value_or("operator"), "skip_step", std::move(details)};
  work.event = facts::FlowStepSkipped{std::move(command.step), std::move(command.output)};
  work.reply = [reply = std::move(reply)](const std::expected<Outcome, Failure>& outcome) mutable {
    if (!outcome) return reply(std::unexpected(outcome.error()));
    reply(Done{});
  };
  ring_->submit(std::move(work));
}

} // namespace perdure::engine
