#include "engine/engine.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "decide/schedule.h"
#include "engine/deployment_rows.h"
#include "engine/ring.h"

namespace perdure::engine {

namespace {

Failure bad_input(std::string message) {
  return {.kind = Failure::Kind::invalid_input, .message = std::move(message)};
}

template <class T>
auto answer_with(Reply<T> reply, std::move_only_function<T(const Outcome&)> make) {
  return [reply = std::move(reply),
          make = std::move(make)](std::expected<Outcome, Failure> outcome) mutable {
    if (!outcome) {
      reply(std::unexpected(std::move(outcome.error())));
    } else {
      reply(make(*outcome));
    }
  };
}

auto answer_done(Reply<Done> reply) {
  return answer_with<Done>(std::move(reply), [](const Outcome&) { return Done{}; });
}

/// A wait beyond this is as good as for ever, and adding it to a time stays defined.
Duration bounded(Duration duration) {
  return std::min<Duration>(duration, std::chrono::days(36'500));
}

Value details_of(std::initializer_list<Object::Member> members) { return Object(members); }

Array shown(const facts::ModifyRequested& request) {
  Array list;
  for (const auto& change : request.modifications) {
    Object entry{{"kind", std::string(name_of(change.kind))}};
    if (!change.node_id.empty()) entry.set("element_id", change.node_id);
    if (change.token_id != kNoKey) entry.set("token_id", key_text(change.token_id));
    if (change.scope_id != kNoKey) entry.set("scope_id", key_text(change.scope_id));
    list.push_back(std::move(entry));
  }
  return list;
}

Value shown(const facts::MigrateRequested& request) {
  Object mapping;
  for (const auto& [old_id, new_id] : request.mapping)
    mapping.append(old_id, new_id);
  Object details{{"mapping", std::move(mapping)}};
  if (request.definition_id != kNoKey) {
    details.append("definition_id", key_text(request.definition_id));
  } else {
    details.append("version", request.version);
  }
  return details;
}

} // namespace

Engine::Engine(std::unique_ptr<store::Store> store, Compile compile, Clock& clock, Log& log,
               Options options)
    : ring_(std::make_unique<Ring>(std::move(store), std::move(compile), clock, log,
                                   std::move(options))) {}

Engine::~Engine() = default;

void Engine::handle(std::string type, Handler handler) {
  ring_->handlers().add(std::move(type), std::move(handler));
}

void Engine::define(FlowCode code) { ring_->flows().define(std::move(code)); }

void Engine::on_end(std::string flow, CompletionHandler handler) {
  ring_->deliveries().add(std::move(flow), std::move(handler));
}

void Engine::read_history_with(ReadHistory read) { ring_->flows().read_with(std::move(read)); }

void Engine::listen(Listener& listener) { ring_->listeners().push_back(&listener); }

Result<void> Engine::start() { return ring_->start(); }
void Engine::end_waits() { ring_->end_waits(); }
void Engine::stop() { ring_->stop(); }
void Engine::wake() { ring_->wake(); }
std::optional<Instant> Engine::settle() { return ring_->settle(); }
Instant Engine::now() const { return ring_->clock().now(); }
const Counters& Engine::counters() const { return ring_->counters(); }

void Engine::deploy(DeployCommand command, Reply<Deployed> reply) {
  auto compiled = ring_->compile()(command.resources);
  if (!compiled) {
    auto failure = bad_input("The model cannot be deployed; see the diagnostics.");
    failure.diagnostics = std::move(compiled.error());
    reply(std::unexpected(std::move(failure)));
    return;
  }
  Deployment deployment{.rows = rows_of(command, *compiled, ring_->clock().now()),
                        .warnings = std::move(compiled->warnings),
                        .reply = {}};
  auto errors = add_starts(deployment.rows, command, *compiled, ring_->clock().now());
  if (!errors.empty()) {
    auto failure = bad_input("The model cannot be deployed; see the diagnostics.");
    failure.diagnostics = std::move(errors);
    reply(std::unexpected(std::move(failure)));
    return;
  }
  deployment.reply = std::move(reply);
  ring_->submit(std::move(deployment));
}

Answer<DecisionResult> Engine::evaluate(store::Reader& reader, const EvaluateCommand& command) {
  return evaluate_decision(reader, ring_->models(), command, ring_->clock().now());
}

void Engine::start_instance(StartCommand command, Reply<Started> reply) {
  if (command.variables.is_null()) command.variables = Object{};
  if (!command.variables.is_object()) {
    reply(std::unexpected(bad_input("variables must be a JSON object.")));
    return;
  }
  Work work{.target = Target::fresh,
            .process_id = std::move(command.process_id),
            .tenant_id = command.tenant_id,
            .idempotency = std::move(command.idempotency)};
  work.event = facts::StartRequested{.definition_id = command.definition_id.value_or(kNoKey),
                                     .tenant_id = std::move(command.tenant_id),
                                     .business_key = std::move(command.business_key),
                                     .unique_business_key = command.unique_business_key,
                                     .variables = std::move(command.variables),
                                     .start_node_id = std::move(command.start_node_id),
                                     .start_before = std::move(command.start_before),
                                     .parent_instance_id = {},
                                     .parent_token_id = {},
                                     .priority = command.priority,
                                     .limit_key = std::move(command.limit_key)};
  if (command.restart_of) {
    work.audit = AuditDraft{command.actor.value_or("operator"), "restart_instance",
                            details_of({{"restart_of", key_text(*command.restart_of)}})};
  }
  work.reply = answer_with<Started>(std::move(reply), [](const Outcome& outcome) {
    return Started{outcome.instance_id, outcome.repeated};
  });
  if (!ring_->flows().begin(work)) ring_->submit(std::move(work));
}

void Engine::schedule(ScheduleCommand command, Reply<Done> reply) {
  if (command.name.empty() || command.process_id.empty()) {
    reply(std::unexpected(bad_input("a schedule has a name, and names what it starts.")));
    return;
  }
  if (command.input.is_null()) command.input = Object{};
  if (!command.input.is_object()) {
    reply(std::unexpected(bad_input("the input of a schedule is an object of variables.")));
    return;
  }
  const auto now = ring_->clock().now();
  const auto first = decide::first_start(command.cycle, now);
  if (!first) {
    reply(std::unexpected(bad_input(first.error().message)));
    return;
  }
  auto name = command.name;
  ring_->submit(
      ScheduleChange{.name = std::move(name),
                     .schedule = store::FlowSchedule{.name = std::move(command.name),
                                                     .process_id = std::move(command.process_id),
                                                     .input = std::move(command.input),
                                                     .cycle = std::move(command.cycle),
                                                     .overlap = command.overlap,
                                                     .misfire = command.misfire,
                                                     .occurrence = first->number,
                                                     .due_at = first->due_at,
                                                     .last_instance_id = {},
                                                     .opened_at = now},
                     .reply = std::move(reply)});
}

void Engine::unschedule(std::string name, Reply<Done> reply) {
  ring_->submit(ScheduleChange{.name = std::move(name), .schedule = {}, .reply = std::move(reply)});
}

void Engine::complete_task(CompleteTaskCommand command, Reply<Done> reply) {
  Work work{.target = Target::external_task,
            .key = command.task_id,
            .instance_id = command.instance_id.value_or(kNoKey),
            .hinted = command.instance_id.has_value(),
            .attempt = command.attempt,
            .idempotency = std::move(command.idempotency)};
  if (command.actor) {
    work.audit = AuditDraft{*command.actor, "complete_task",
                            details_of({{"task_id", key_text(command.task_id)}})};
  }
  work.event = facts::TaskCompleted{.task_id = command.task_id,
                                    .worker_id = std::move(command.worker_id),
                                    .variables = std::move(command.variables)};
  work.reply = answer_done(std::move(reply));
  ring_->submit(std::move(work));
}

void Engine::fail_task(FailTaskCommand command, Reply<Done> reply) {
  Work work{.target = Target::external_task,
            .key = command.task_id,
            .instance_id = command.instance_id.value_or(kNoKey),
            .hinted = command.instance_id.has_value(),
            .attempt = command.attempt};
  work.event = facts::TaskFailed{.task_id = command.task_id,
                                 .worker_id = std::move(command.worker_id),
                                 .error_name = std::move(command.error_name),
                                 .error_message = std::move(command.error_message),
                                 .retries = command.retries,
                                 .retry_delay = command.retry_delay};
  work.reply = answer_done(std::move(reply));
  ring_->submit(std::move(work));
}

void Engine::throw_error(ThrowCommand command, Reply<Done> reply) {
  if (!command.worker_id || command.code.empty()) {
    reply(std::unexpected(bad_input("An error needs the worker that has the task, and a code.")));
    return;
  }
  Work work{.target = Target::external_task,
            .key = command.task_id,
            .instance_id = command.instance_id.value_or(kNoKey),
            .hinted = command.instance_id.has_value(),
            .attempt = command.attempt};
  work.event = facts::TaskErrorThrown{.task_id = command.task_id,
                                      .worker_id = *std::move(command.worker_id),
                                      .code = std::move(command.code),
                                      .message = std::move(command.message),
                                      .variables = std::move(command.variables)};
  work.reply = answer_done(std::move(reply));
  ring_->submit(std::move(work));
}

void Engine::throw_escalation(ThrowCommand command, Reply<Done> reply) {
  if (command.code.empty()) {
    reply(std::unexpected(bad_input("An escalation needs a code.")));
    return;
  }
  Work work{.target = command.worker_id ? Target::external_task : Target::user_task,
            .key = command.task_id,
            .instance_id = command.instance_id.value_or(kNoKey),
            .hinted = command.worker_id && command.instance_id,
            .attempt = command.attempt};
  work.event = facts::TaskEscalationThrown{.task_id = command.task_id,
                                           .worker_id = std::move(command.worker_id),
                                           .code = std::move(command.code),
                                           .variables = std::move(command.variables)};
  work.reply = answer_done(std::move(reply));
  ring_->submit(std::move(work));
}

void Engine::send_message(MessageCommand command, Reply<Correlated> reply) {
  if (command.variables.is_null()) command.variables = Object{};
  if (!command.variables.is_object()) {
    reply(std::unexpected(bad_input("variables must be a JSON object.")));
    return;
  }
  if (command.name.empty() || command.time_to_live < Duration::zero() ||
      (command.message_id && command.message_id->empty())) {
    reply(std::unexpected(bad_input(
        "A message needs a name and a time to live of at least 0 ms, and its id, if it has one, "
        "must not be empty.")));
    return;
  }
  if (command.start_once_per_key && !command.correlation_key) {
    reply(std::unexpected(bad_input("To start once per key the message needs a key.")));
    return;
  }
  Work work{.target = Target::message,
            .tenant_id = std::move(command.tenant_id),
            .idempotency = std::move(command.idempotency)};
  work.errand = std::make_unique<Errand>();
  work.errand->message = Message{.name = std::move(command.name),
                                 .key = std::move(command.correlation_key),
                                 .id = std::move(command.message_id),
                                 .variables = std::move(command.variables),
                                 .time_to_live = bounded(command.time_to_live),
                                 .refuse_ambiguous = command.refuse_ambiguous,
                                 .start_once_per_key = command.start_once_per_key,
                                 .starts_nothing = command.starts_nothing,
                                 .run_id = command.run_id};
  work.reply = answer_with<Correlated>(std::move(reply), [](const Outcome& outcome) {
    Correlated correlated{.fate = outcome.fate, .instance_id = {}, .repeated = outcome.repeated};
    if (outcome.instance_id != kNoKey) correlated.instance_id = outcome.instance_id;
    return correlated;
  });
  ring_->submit(std::move(work));
}

void Engine::send_signal(SignalCommand command, Reply<Done> reply) {
  if (command.variables.is_null()) command.variables = Object{};
  if (command.name.empty() || !command.variables.is_object()) {
    reply(std::unexpected(
        bad_input("A signal needs a name, and its variables must be a JSON object.")));
    return;
  }
  Work work{.target = Target::none,
            .tenant_id = command.tenant_id,
            .idempotency = std::move(command.idempotency)};
  work.errand = std::make_unique<Errand>();
  work.errand->events.sent.push_back(
      {.instance_id = {},
       .tenant_id = std::move(command.tenant_id),
       .node_id = {},
       .kind = facts::PendingKind::signal,
       .name = std::move(command.name),
       .correlation_key = {},
       .target_instance_id = {},
       .target_token_id = {},
       .payload = Object{{"variables", std::move(command.variables)}},
       .closed_at = {}});
  work.reply = answer_done(std::move(reply));
  ring_->submit(std::move(work));
}

namespace {

Begun begun_of(const Outcome& outcome) {
  Begun begun{.instances = {}, .repeated = outcome.repeated};
  for (const auto& entry : outcome.begun) {
    const auto text = [&](std::string_view name) {
      const auto* member = entry.find(name);
      const auto* value = member ? member->as<std::string>() : nullptr;
      return value ? *value : std::string();
    };
    begun.instances.push_back({.id = parse_key(text("instance_id")).value_or(kNoKey),
                               .process_id = text("process_id"),
                               .node_id = text("start_node_id")});
  }
  return begun;
}

} // namespace

void Engine::offer_conditions(ConditionsCommand command, Reply<Begun> reply) {
  if (command.variables.is_null()) command.variables = Object{};
  if (!command.variables.is_object()) {
    reply(std::unexpected(bad_input("The variables must be a JSON object.")));
    return;
  }
  Work work{.target = Target::none,
            .tenant_id = std::move(command.tenant_id),
            .idempotency = std::move(command.idempotency)};
  work.errand = std::make_unique<Errand>();
  work.errand->offer = Offer{.variables = std::move(*command.variables.as<Object>()),
                             .business_key = std::move(command.business_key)};
  work.reply = answer_with<Begun>(std::move(reply), begun_of);
  ring_->submit(std::move(work));
}

void Engine::extend_lock(ExtendLockCommand command, Reply<Instant> reply) {
  if (command.lock_duration <= Duration::zero()) {
    reply(std::unexpected(bad_input("The lock duration must be at least 1 ms.")));
    return;
  }
  const auto until = ring_->clock().now() + bounded(command.lock_duration);
  Work work{.target = Target::external_task,
            .key = command.task_id,
            .instance_id = command.instance_id.value_or(kNoKey),
            .hinted = command.instance_id.has_value(),
            .attempt = command.attempt};
  work.event = facts::TaskLockExtended{command.task_id, std::move(command.worker_id), until};
  work.reply = answer_with<Instant>(std::move(reply), [until](const Outcome&) { return until; });
  ring_->submit(std::move(work));
}

void Engine::release_task(ReleaseTaskCommand command, Reply<Done> reply) {
  Work work{.target = Target::external_task,
            .key = command.task_id,
            .instance_id = command.instance_id.value_or(kNoKey),
            .hinted = command.instance_id.has_value(),
            .attempt = command.attempt};
  work.event = facts::TaskReleased{command.task_id, std::move(command.worker_id)};
  work.reply = answer_done(std::move(reply));
  ring_->submit(std::move(work));
}

void Engine::complete_user_task(CompleteUserTaskCommand command, Reply<Done> reply) {
  Work work{.target = Target::user_task,
            .key = command.task_id,
            .idempotency = std::move(command.idempotency)};
  if (command.actor) {
    work.audit = AuditDraft{*command.actor, "complete_user_task",
                            details_of({{"task_id", key_text(command.task_id)}})};
  }
  work.event = facts::UserTaskCompleted{command.task_id, std::move(command.variables)};
  work.reply = answer_done(std::move(reply));
  ring_->submit(std::move(work));
}

void Engine::cancel(CancelCommand command, Reply<Done> reply) {
  Work work{.target = Target::instance, .key = command.instance_id};
  work.audit = AuditDraft{command.actor.value_or("operator"), "cancel_instance",
                          details_of({{"reason", command.reason.value_or("")}})};
  work.event = facts::CancelRequested{std::move(command.reason)};
  work.reply = answer_done(std::move(reply));
  ring_->submit(std::move(work));
}

void Engine::retry(RetryCommand command, Reply<Done> reply) {
  if (command.retries < 1) {
    reply(std::unexpected(bad_input("retries must be at least 1.")));
    return;
  }
  Work work{.target = Target::instance, .key = command.instance_id};
  if (command.instance_id == kNoKey && command.incident_id) {
    work.target = Target::incident;
    work.key = *command.incident_id;
  }
  work.audit = AuditDraft{command.actor.value_or("operator"), "retry",
                          details_of({{"retries", command.retries}})};
  work.event = facts::RetryRequested{.incident_id = command.incident_id.value_or(kNoKey),
                                     .retries = command.retries,
                                     .variables = std::move(command.variables),
                                     .by = command.actor.value_or("operator")};
  work.reply = answer_done(std::move(reply));
  ring_->submit(std::move(work));
}

void Engine::pause(PauseCommand command, Reply<Done> reply) {
  Work work{.target = Target::instance, .key = command.instance_id};
  work.audit = AuditDraft{command.actor.value_or("operator"), "pause_instance",
                          details_of({{"reason", command.reason.value_or("")}})};
  work.event = facts::PauseRequested{std::move(command.reason)};
  work.reply = answer_done(std::move(reply));
  ring_->submit(std::move(work));
}

void Engine::resume(ResumeCommand command, Reply<Done> reply) {
  Work work{.target = Target::instance, .key = command.instance_id};
  work.audit = AuditDraft{command.actor.value_or("operator"), "resume_instance", Object{}};
  work.event = facts::ResumeRequested{};
  work.reply = answer_done(std::move(reply));
  ring_->submit(std::move(work));
}

void Engine::set_variables(SetVariablesCommand command, Reply<Done> reply) {
  Work work{.target = Target::instance, .key = command.instance_id};
  work.audit = AuditDraft{command.actor.value_or("operator"), "set_variables",
                          details_of({{"variables", command.variables}})};
  work.event = facts::VariablesRequested{.scope_id = command.scope_id.value_or(kNoKey),
                                         .variables = std::move(command.variables)};
  work.reply = answer_done(std::move(reply));
  ring_->submit(std::move(work));
}

void Engine::modify(ModifyCommand command, Reply<Modified> reply) {
  Work work{.target = Target::instance, .key = command.instance_id, .dry_run = command.dry_run};
  if (!command.dry_run) {
    work.audit = AuditDraft{command.actor.value_or("operator"), "modify_instance",
                            details_of({{"modifications", shown(command.request)}})};
  }
  work.event = std::move(command.request);
  work.reply = answer_with<Modified>(
      std::move(reply), [](const Outcome& outcome) { return Modified{outcome.facts}; });
  ring_->submit(std::move(work));
}

void Engine::choose_activities(ChooseCommand command, Reply<Done> reply) {
  Work work{.target = Target::instance,
            .key = command.instance_id,
            .idempotency = std::move(command.idempotency)};
  Array chosen(command.activities.begin(), command.activities.end());
  work.audit = AuditDraft{
      command.actor.value_or("operator"), "choose_activities",
      details_of({{"scope_id", key_text(command.scope_id)}, {"activities", std::move(chosen)}})};
  work.event = facts::ActivitiesChosen{.scope_id = command.scope_id,
                                       .node_ids = std::move(command.activities),
                                       .variables = std::move(command.variables)};
  work.reply = answer_done(std::move(reply));
  ring_->submit(std::move(work));
}

void Engine::migrate(MigrateCommand command, Reply<Migrated> reply) {
  if ((command.request.definition_id == kNoKey) == (command.request.version <= 0)) {
    reply(std::unexpected(bad_input("Name the version to go on with by its number or its key.")));
    return;
  }
  Work work{.target = Target::instance, .key = command.instance_id, .dry_run = command.dry_run};
  if (!command.dry_run) {
    work.audit =
        AuditDraft{command.actor.value_or("operator"), "migrate_instance", shown(command.request)};
  }
  work.event = std::move(command.request);
  work.reply = answer_with<Migrated>(
      std::move(reply), [](const Outcome& outcome) { return Migrated{outcome.facts}; });
  ring_->submit(std::move(work));
}

void Engine::give_back(const std::vector<Job>& jobs) {
  for (const auto& job : jobs)
    ring_->submit(release_of(job));
}

PollHandle Engine::fetch(FetchCommand command, Reply<std::vector<Job>> reply) {
  PollHandle handle{std::make_shared<std::atomic<bool>>(true)};
  if (command.worker_id.starts_with(ring_->handler_prefix())) {
    reply(std::unexpected(bad_input("Worker ids that begin with \"" + ring_->handler_prefix() +
                                    "\" are for workers inside the engine; use another one.")));
    return handle;
  }
  if (command.worker_id.empty() || command.task_types.empty() || command.max_tasks < 1 ||
      command.lock_duration <= Duration::zero() || command.wait < Duration::zero()) {
    reply(std::unexpected(bad_input(
        "A fetch needs a worker id, at least one task type, max_tasks of at least 1 and a lock "
        "duration of at least 1 ms.")));
    return handle;
  }
  command.lock_duration = bounded(command.lock_duration);
  const auto deadline = ring_->clock().now() + bounded(command.wait);
  ring_->submit(Poll{.command = std::move(command),
                     .deadline = deadline,
                     .wanted = handle.wanted,
                     .reply = std::move(reply)});
  return handle;
}

} // namespace perdure::engine
