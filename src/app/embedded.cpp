// The embedder's front door (perdure/engine.h) on top of an assembly.
#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include "app/assembly.h"
#include "app/system_clock.h"
#include "base/digest.h"
#include "base/json.h"
#include "cli/file.h"
#include "facts/rows.h"
#include "perdure/engine.h"

namespace perdure {

namespace {

ErrorCode code_of(engine::Failure::Kind kind) {
  using Kind = engine::Failure::Kind;
  switch (kind) {
    case Kind::invalid_input: return ErrorCode::invalid_input;
    case Kind::not_found: return ErrorCode::not_found;
    case Kind::refused: return ErrorCode::conflict;
    case Kind::unavailable: return ErrorCode::unavailable;
    case Kind::internal: break;
  }
  return ErrorCode::internal;
}

std::unexpected<Error> to_error(const engine::Failure& failure) {
  std::string message = failure.message;
  for (const auto& diagnostic : failure.diagnostics) {
    message += "\n" + definition::to_text(diagnostic);
  }
  return fail(code_of(failure.kind), std::move(message), failure.violation);
}

engine::Handler adapt(TaskHandler handler) {
  return [handler = std::move(handler)](const engine::Job& job) -> engine::JobResult {
    const Job shown{.task_id = job.task_id,
                    .instance_id = job.instance_id,
                    .type = job.type,
                    .process_id = job.process_id,
                    .node_id = job.node_id,
                    .business_key = job.business_key,
                    .attempt = job.attempt,
                    .variables = job.variables,
                    .headers = job.headers,
                    .listener = job.listener};
    try {
      return handler(shown);
    } catch (const BpmnError& error) {
      return std::unexpected(engine::JobFailure{.error_name = {},
                                                .message = error.what(),
                                                .retry_delay = std::nullopt,
                                                .bpmn_error = error.code(),
                                                .variables = error.variables()});
    } catch (const TaskFailed& failed) { // the engine sees to every other exception
      return std::unexpected(engine::JobFailure{.error_name = failed.name(),
                                                .message = failed.what(),
                                                .retryable = failed.retryable(),
                                                .retry_delay = std::nullopt});
    }
  };
}

/// Wakes those who wait for the end of an instance.
class EndListener final : public engine::Listener {
public:
  void committed(const facts::InstanceState& state, std::span<const facts::Fact>) override {
    if (!facts::is_terminal(state.instance.status)) return;
    {
      const std::lock_guard lock(mutex_);
      ++ended_;
    }
    changed_.notify_all();
  }

  /// How many have ended so far: to be read before looking at an instance.
  [[nodiscard]] std::uint64_t ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  /// Waits until more than `seen` have ended; false when the time is up.
  bool wait_until(std::uint64_t seen, std::chrono::steady_clock::time_point end) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, end, [&] { return ended_ > seen; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t ended_ = 0;
};

} // namespace

Storage sqlite(std::string path) { return {std::move(path)}; }

TaskFailed::TaskFailed(std::string name, const std::string& message, bool retryable)
    : std::runtime_error(message), name_(std::move(name)), retryable_(retryable) {}

BpmnError::BpmnError(std::string code, const std::string& message, Value variables)
    : std::runtime_error(message), code_(std::move(code)), variables_(std::move(variables)) {}

class Engine::Impl {
public:
  Impl(Storage storage, EngineOptions options) : storage_(std::move(storage)), options_(options) {}

  void handle(std::string type, TaskHandler handler) {
    handlers_.insert_or_assign(std::move(type), std::move(handler));
  }

  /// The opened engine; opens it the first time. What failed is tried again at the next call.
  Result<app::Assembly*> opened() {
    const std::lock_guard lock(mutex_);
    if (assembly_) return assembly_.get();
    auto assembly =
        app::Assembly::open({.file = storage_.path,
                             .handler_threads = options_.handler_threads,
                             .retention = {.standard = options_.retention, .by_process = {}}},
                            clock_, log_);
    if (!assembly) return std::unexpected(assembly.error());
    auto& engine = (*assembly)->engine();
    for (const auto& [type, handler] : handlers_)
      engine.handle(type, adapt(handler));
    engine.listen(ends_);
    const auto started = (*assembly)->start();
    if (!started) return std::unexpected(started.error());
    assembly_ = std::move(*assembly);
    return assembly_.get();
  }

  /// Sends a command to the opened engine and waits for its answer.
  template <class T, class Send>
  Result<T> ask(Send&& send) {
    const auto assembly = opened();
    if (!assembly) return std::unexpected(assembly.error());
    auto answer =
        engine::ask<T>([&](auto reply) { send((*assembly)->engine(), std::move(reply)); });
    if (!answer) return to_error(answer.error());
    return std::move(*answer);
  }

  EndListener& ends() { return ends_; }

private:
  Storage storage_;
  EngineOptions options_;
  app::SystemClock clock_;
  NullLog log_;
  EndListener ends_;
  std::map<std::string, TaskHandler> handlers_;
  std::mutex mutex_;
  std::unique_ptr<app::Assembly> assembly_; ///< last, so that it stops before what it uses goes
};

Engine::Engine(Storage storage, EngineOptions options)
    : impl_(std::make_unique<Impl>(std::move(storage), options)) {}

Engine::~Engine() = default;

void Engine::handle(std::string type, TaskHandler handler) {
  impl_->handle(std::move(type), std::move(handler));
}

Result<void> Engine::open() {
  const auto opened = impl_->opened();
  if (!opened) return std::unexpected(opened.error());
  return {};
}

namespace {

/// The ids of the processes, then those of the decisions.
std::vector<std::string> names_of(const engine::Deployed& deployed) {
  std::vector<std::string> ids;
  for (const auto& row : deployed.definitions)
    ids.push_back(row.process_id);
  for (const auto& model : deployed.models) {
    for (const auto& decision : model.decisions)
      ids.push_back(decision.decision_id);
  }
  return ids;
}

} // namespace

Result<std::vector<std::string>> Engine::deploy_file(const std::string& path) {
  return deploy_files({path});
}

Result<std::vector<std::string>> Engine::deploy_files(const std::vector<std::string>& paths) {
  std::vector<Resource> resources;
  for (const auto& path : paths) {
    auto source = cli::read_file(path);
    if (!source) return std::unexpected(source.error());
    resources.push_back({cli::file_name(path), *std::move(source)});
  }
  return deploy(std::move(resources));
}

Result<std::vector<std::string>> Engine::deploy(const std::string& xml, const std::string& name) {
  return deploy({{name, xml}});
}

Result<std::vector<std::string>> Engine::deploy(std::vector<Resource> resources) {
  engine::DeployCommand command;
  for (auto& [name, xml] : resources)
    command.resources.push_back({std::move(name), std::move(xml)});
  const auto deployed = impl_->ask<engine::Deployed>(
      [&](auto& engine, auto reply) { engine.deploy(std::move(command), std::move(reply)); });
  if (!deployed) return std::unexpected(deployed.error());
  return names_of(*deployed);
}

Result<Value> Engine::decide(const std::string& decision_id, Value variables) {
  const auto assembly = impl_->opened();
  if (!assembly) return std::unexpected(assembly.error());
  if (!variables.is_null() && !variables.is_object()) {
    return fail(ErrorCode::invalid_input, "The variables of a decision are an object.");
  }
  const engine::EvaluateCommand command{.decision_id = decision_id,
                                        .tenant_id = {},
                                        .version = {},
                                        .variables = std::move(variables)};
  const auto result = (*assembly)->engine().evaluate((*assembly)->reader(), command);
  if (!result) return to_error(result.error());
  const auto* error = result->outcome.find("error");
  const auto* reason = error ? error->find("message") : nullptr;
  if (reason) return fail(ErrorCode::invalid_input, *reason->as<std::string>());
  return *result->outcome.find("value");
}

Result<std::int64_t> Engine::start(const std::string& process_id, Value variables,
                                   StartOptions options) {
  engine::StartCommand command;
  command.process_id = process_id;
  command.start_node_id = std::move(options.start_node_id);
  command.business_key = std::move(options.business_key);
  if (options.idempotency_key) {
    std::string request = process_id + "\n" + command.business_key.value_or("") + "\n";
    if (!command.start_node_id.empty()) request += command.start_node_id + "\n";
    request += json::write(variables);
    command.idempotency = {.key = *options.idempotency_key, .digest = sha256_hex(request)};
  }
  command.variables = std::move(variables);
  const auto started = impl_->ask<engine::Started>([&](auto& engine, auto reply) {
    engine.start_instance(std::move(command), std::move(reply));
  });
  if (!started) return std::unexpected(started.error());
  return started->instance_id;
}

Result<std::optional<std::int64_t>> Engine::send_message(const std::string& name, Value variables,
                                                         MessageOptions options) {
  const auto correlated = impl_->ask<engine::Correlated>([&](auto& engine, auto reply) {
    engine.send_message({.name = name,
                         .correlation_key = std::move(options.correlation_key),
                         .tenant_id = {},
                         .variables = std::move(variables),
                         .time_to_live = options.time_to_live,
                         .message_id = std::move(options.message_id),
                         .refuse_ambiguous = options.refuse_ambiguous,
                         .idempotency = {}},
                        std::move(reply));
  });
  if (!correlated) return std::unexpected(correlated.error());
  return correlated->instance_id;
}

Result<void> Engine::send_signal(const std::string& name, Value variables) {
  const auto done = impl_->ask<engine::Done>([&](auto& engine, auto reply) {
    engine.send_signal(
        {.name = name, .tenant_id = {}, .variables = std::move(variables), .idempotency = {}},
        std::move(reply));
  });
  if (!done) return std::unexpected(done.error());
  return {};
}

Result<std::vector<std::int64_t>> Engine::offer(Value variables, ConditionOptions options) {
  engine::ConditionsCommand command;
  command.business_key = std::move(options.business_key);
  if (options.idempotency_key) {
    const auto request = command.business_key.value_or("") + "\n" + json::write(variables);
    command.idempotency = {.key = *options.idempotency_key, .digest = sha256_hex(request)};
  }
  command.variables = std::move(variables);
  const auto begun = impl_->ask<engine::Begun>([&](auto& engine, auto reply) {
    engine.offer_conditions(std::move(command), std::move(reply));
  });
  if (!begun) return std::unexpected(begun.error());
  std::vector<std::int64_t> ids;
  for (const auto& instance : begun->instances)
    ids.push_back(instance.id);
  return ids;
}

Result<void> Engine::complete(std::int64_t task_id, Value variables) {
  std::optional<Value> output;
  if (!variables.is_null()) output = std::move(variables);
  auto done = impl_->ask<engine::Done>([&](auto& engine, auto reply) {
    engine.complete_user_task({.task_id = task_id, .variables = output}, std::move(reply));
  });
  if (!done && done.error().code == ErrorCode::not_found) { // the id tells no kind
    done = impl_->ask<engine::Done>([&](auto& engine, auto reply) {
      engine.complete_task({.task_id = task_id, .variables = output}, std::move(reply));
    });
  }
  if (!done) return std::unexpected(done.error());
  return {};
}

Result<void> Engine::cancel(std::int64_t instance_id, const std::string& reason) {
  engine::CancelCommand command{.instance_id = instance_id};
  if (!reason.empty()) command.reason = reason;
  const auto done = impl_->ask<engine::Done>(
      [&](auto& engine, auto reply) { engine.cancel(std::move(command), std::move(reply)); });
  if (!done) return std::unexpected(done.error());
  return {};
}

Result<void> Engine::choose_activities(std::int64_t instance_id, const std::string& element_id,
                                       std::vector<std::string> activities, Value variables) {
  const auto assembly = impl_->opened();
  if (!assembly) return std::unexpected(assembly.error());
  const auto scopes = (*assembly)->reader().scopes(instance_id);
  if (!scopes) return std::unexpected(scopes.error());
  std::vector<Key> open;
  for (const auto& scope : *scopes) {
    const bool is_it = scope.kind == facts::ScopeKind::ad_hoc && scope.node_id == element_id;
    if (is_it && scope.state == facts::ScopeState::open) open.push_back(scope.id);
  }
  if (open.size() != 1) {
    return fail(ErrorCode::not_found, "Instance " + key_text(instance_id) + " has " +
                                          (open.empty() ? "no" : "more than one") +
                                          " open ad hoc sub-process `" + element_id +
                                          "`: look at the instance again.");
  }
  engine::ChooseCommand command{
      .instance_id = instance_id, .scope_id = open.front(), .activities = std::move(activities)};
  if (!variables.is_null()) command.variables = std::move(variables);
  const auto done = impl_->ask<engine::Done>([&](auto& engine, auto reply) {
    engine.choose_activities(std::move(command), std::move(reply));
  });
  if (!done) return std::unexpected(done.error());
  return {};
}

Result<void> Engine::migrate(std::int64_t instance_id, std::int64_t version,
                             MigrateOptions options) {
  engine::MigrateCommand command{.instance_id = instance_id, .dry_run = options.dry_run};
  command.request.version = version;
  for (auto& [old_id, new_id] : options.mapping)
    command.request.mapping.emplace(old_id, std::move(new_id));
  const auto done = impl_->ask<engine::Migrated>(
      [&](auto& engine, auto reply) { engine.migrate(std::move(command), std::move(reply)); });
  if (!done) return std::unexpected(done.error());
  return {};
}

Result<Instance> Engine::instance(std::int64_t instance_id) {
  const auto assembly = impl_->opened();
  if (!assembly) return std::unexpected(assembly.error());
  auto& reader = (*assembly)->reader();
  const auto row = reader.instance(instance_id);
  if (!row) return std::unexpected(row.error());
  if (!*row) {
    return fail(ErrorCode::not_found,
                "There is no instance " + key_text(instance_id) + "; check the id.");
  }
  const auto scopes = reader.scopes(instance_id);
  if (!scopes) return std::unexpected(scopes.error());
  Instance result{.id = instance_id,
                  .status = static_cast<InstanceStatus>((*row)->status),
                  .variables = Object{}};
  for (const auto& scope : *scopes) {
    if (!scope.parent_id) result.variables = scope.variables;
  }
  return result;
}

Result<Instance> Engine::wait(std::int64_t instance_id, std::chrono::milliseconds limit) {
  // Bounded, so that "for ever" does not run over the clock's range.
  const auto end = std::chrono::steady_clock::now() +
                   std::min(limit, std::chrono::milliseconds(std::chrono::years(10)));
  for (;;) {
    const auto seen = impl_->ends().ended();
    auto now = instance(instance_id);
    if (!now) return now;
    const bool ended = now->status == InstanceStatus::completed ||
                       now->status == InstanceStatus::failed ||
                       now->status == InstanceStatus::cancelled;
    if (ended || !impl_->ends().wait_until(seen, end)) return now;
  }
}

static_assert(static_cast<int>(InstanceStatus::pending) ==
              static_cast<int>(facts::InstanceStatus::pending));
static_assert(static_cast<int>(InstanceStatus::cancelled) ==
              static_cast<int>(facts::InstanceStatus::cancelled));

} // namespace perdure
