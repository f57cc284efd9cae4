// The embedder's front door (perdure/engine.h) on top of an assembly.
#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>
#include <vector>

#include "app/assembly.h"
#include "app/embedded_storage.h"
#include "app/system_clock.h"
#include "app/test_bed.h"
#include "app/verification.h"
#include "base/digest.h"
#include "base/json.h"
#include "cli/file.h"
#include "engine/flow_verify.h"
#include "facts/rows.h"
#include "flow/storable.h"
#include "perdure/flow.h"

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
      auto result = handler(shown);
      flow::require_storable(result, "what the handler gave");
      return result;
    } catch (const BpmnError& error) {
      return std::unexpected(engine::JobFailure{.error_name = {},
                                                .message = flow::readable(error.what()),
                                                .retry_delay = std::nullopt,
                                                .bpmn_error = error.code(),
                                                .variables = error.variables()});
    } catch (const TaskFailed& failed) { // the engine sees to every other exception
      return std::unexpected(engine::JobFailure{.error_name = flow::readable(failed.name()),
                                                .message = flow::readable(failed.what()),
                                                .retryable = failed.retryable(),
                                                .retry_delay = std::nullopt});
    }
  };
}

/// What the run gave, or why it did not, is read when it is told.
engine::CompletionHandler adapt(CompletionHandler handler, store::Reader& reader) {
  if (!handler) return nullptr;
  return [handler = std::move(handler), &reader](const engine::Completion& ended) {
    const auto row = reader.instance(ended.instance_id);
    const auto scopes = reader.scopes(ended.instance_id);
    if (!row || !scopes)
      throw std::runtime_error(!row ? row.error().message : scopes.error().message);
    if (!*row) return; // it was purged
    Completion shown{.id = key_text(ended.instance_id),
                     .run_id = ended.instance_id,
                     .flow = ended.flow,
                     .status = static_cast<InstanceStatus>(ended.status),
                     .reason = (*row)->end_reason,
                     .finished_at = ended.finished_at,
                     .attempt = ended.attempt};
    for (const auto& scope : *scopes) {
      const auto* output = scope.parent_id ? nullptr : scope.variables.find("output");
      if (output != nullptr) shown.output = *output;
    }
    handler(shown);
  };
}

/// Bounded, so that "for ever" does not run over the clock's range.
std::chrono::steady_clock::time_point deadline_of(std::chrono::milliseconds limit) {
  return std::chrono::steady_clock::now() +
         std::min(limit, std::chrono::milliseconds(std::chrono::years(10)));
}

/// Wakes those who wait for the end of an instance.
class EndListener final : public engine::Listener {
public:
  void committed(const facts::InstanceState& state, std::span<const facts::Fact>) override {
    if (facts::is_terminal(state.instance.status)) may_have_ended();
  }
  void may_have_ended() {
    {
      const std::lock_guard lock(mutex_);
      ++ended_;
    }
    changed_.notify_all();
  }

  /// How often one has ended so far, or may have: to be read before looking at an instance.
  [[nodiscard]] std::uint64_t ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  /// Waits until that is more than `seen`; false when the time is up.
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

TaskFailed::TaskFailed(std::string name, const std::string& message, bool retryable)
    : std::runtime_error(message), name_(std::move(name)), retryable_(retryable) {}

BpmnError::BpmnError(std::string code, const std::string& message, Value variables)
    : std::runtime_error(message), code_(std::move(code)), variables_(std::move(variables)) {}

class Engine::Impl {
public:
  Impl(Storage storage, EngineOptions options) : storage_(std::move(storage)), options_(options) {}
  Impl(const app::TestBed& bed, EngineOptions options)
      : storage_(bed.storage), options_(options), bed_(&bed) {}

  void handle(std::string type, TaskHandler handler) {
    handlers_.insert_or_assign(std::move(type), std::move(handler));
  }
  void define(engine::FlowCode code) {
    std::erase_if(codes_, [&](const engine::FlowCode& known) {
      return known.name == code.name && known.version == code.version;
    });
    codes_.push_back(std::move(code));
  }
  void on_end(std::string flow, CompletionHandler handler) {
    completions_.insert_or_assign(std::move(flow), std::move(handler));
  }

  /// Beside whoever works on the database, unless this one does.
  Result<Verification> verify(const VerifyOptions& options) {
    const std::lock_guard lock(mutex_);
    if (assembly_) return verify(assembly_->reader(), options);
    app::AssemblyOptions reading{.access = app::Access::read};
    if (const auto read = app::read_storage(storage_, reading); !read) {
      return std::unexpected(read.error());
    }
    const auto beside = app::Assembly::open(reading, clock_, log_);
    if (!beside) return std::unexpected(beside.error());
    return verify((*beside)->reader(), options);
  }

  /// The opened engine; opens it the first time. What failed is tried again at the next call.
  Result<app::Assembly*> opened() {
    if (const auto request = app::verify_request()) {
      app::end_with_report(*request, verify(request->options));
    }
    const std::lock_guard lock(mutex_);
    if (assembly_) return assembly_.get();
    app::AssemblyOptions wanted{.in_memory = bed_ != nullptr && bed_->in_memory,
                                .handler_threads = options_.handler_threads,
                                .retention = {.standard = options_.retention, .by_process = {}},
                                .flows = {.callback_threads = options_.callback_threads,
                                          .resident = options_.resident_flows},
                                .others_committed = [this] { ends_.may_have_ended(); },
                                .guard = bed_ != nullptr ? bed_->guard : nullptr};
    if (const auto read = app::read_storage(storage_, wanted); !read) {
      return std::unexpected(read.error());
    }
    auto assembly = app::Assembly::open(
        wanted, bed_ != nullptr ? bed_->clock : static_cast<Clock&>(clock_), log_);
    if (!assembly) return std::unexpected(assembly.error());
    auto& engine = (*assembly)->engine();
    for (const auto& [type, handler] : handlers_)
      engine.handle(type, adapt(handler));
    for (const auto& code : codes_)
      engine.define(code);
    for (const auto& [flow, handler] : completions_)
      engine.on_end(flow, adapt(handler, (*assembly)->reader()));
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
  void close() {
    const std::lock_guard lock(mutex_);
    assembly_.reset();
  }

private:
  Result<Verification> verify(store::Reader& reader, const VerifyOptions& options) {
    auto found = engine::verify_flows(reader, codes_, options.ended);
    if (!found) return std::unexpected(found.error());
    Verification shown{.runs = found->runs, .misfits = {}};
    for (auto& [id, flow, version, parting] : found->misfits) {
      Misfit misfit{
          .run_id = id, .flow = std::move(flow), .version = version, .missing_version = !parting};
      if (parting) {
        misfit.asked = std::move(parting->asked);
        misfit.recorded = std::move(parting->recorded);
        misfit.advice = std::move(parting->advice);
      }
      shown.misfits.push_back(std::move(misfit));
    }
    return shown;
  }

  Storage storage_;
  EngineOptions options_;
  const app::TestBed* bed_ = nullptr; ///< outlives this one
  app::SystemClock clock_;
  NullLog log_;
  EndListener ends_;
  std::map<std::string, TaskHandler> handlers_;
  std::vector<engine::FlowCode> codes_;
  std::map<std::string, CompletionHandler> completions_;
  std::mutex mutex_;
  std::unique_ptr<app::Assembly> assembly_; ///< last, so that it stops before what it uses goes
};

Engine::Engine(Storage storage, EngineOptions options)
    : impl_(std::make_unique<Impl>(std::move(storage), options)) {}

Engine::Engine(const app::TestBed& bed, EngineOptions options)
    : impl_(std::make_unique<Impl>(bed, options)) {}

Engine::~Engine() = default;

Result<app::Assembly*> Engine::assembly() { return impl_->opened(); }
void Engine::close() { impl_->close(); }

void Engine::handle(std::string type, TaskHandler handler) {
  impl_->handle(std::move(type), std::move(handler));
}

namespace {

std::optional<std::int64_t> some(std::int64_t number) {
  return number > 0 ? std::optional(number) : std::nullopt;
}

std::optional<store::FlowLimit> limit_of(const FlowLimits& limits) {
  store::FlowLimit limit{.process_id = {},
                         .running = some(limits.running),
                         .running_per_key = some(limits.running_per_key),
                         .starts = some(limits.starts.count),
                         .starts_per_key = some(limits.starts_per_key.count)};
  const auto period = [](const Rate& rate) {
    return std::max<std::int64_t>(rate.period.count(), 1);
  };
  if (limit.starts) limit.starts_period = period(limits.starts);
  if (limit.starts_per_key) limit.starts_per_key_period = period(limits.starts_per_key);
  if (limit == store::FlowLimit{}) return std::nullopt;
  return limit;
}

/// The times as expr::Recurrence reads them.
Result<std::string> cycle_of(const ScheduleOptions& options) {
  const bool repeats = options.every.count() > 0;
  if (repeats == !options.cron.empty()) {
    return fail(ErrorCode::invalid_input, "A schedule has either cron or every.");
  }
  if (repeats) return "R/PT" + std::to_string(options.every.count()) + "S";
  std::istringstream text(options.cron);
  const std::vector<std::string> fields{std::istream_iterator<std::string>(text), {}};
  const auto cron = fields.size() == 5 ? "0 " + options.cron : options.cron;
  if (options.zone.empty() || options.zone == "UTC") return cron;
  return "CRON_TZ=" + options.zone + " " + cron;
}

} // namespace

void Engine::define_flow(std::string name, FlowOptions options, const FlowProgram& program) {
  impl_->define({.name = std::move(name),
                 .version = options.version,
                 .program = [begin = program.begin](const Value& input) { return begin(input); },
                 .limit = limit_of(options.limits)});
}

void Engine::on_end(std::string flow, CompletionHandler handler) {
  impl_->on_end(std::move(flow), std::move(handler));
}

Result<Verification> Engine::verify(VerifyOptions options) { return impl_->verify(options); }

Result<void> Engine::open() {
  const auto opened = impl_->opened();
  if (!opened) return std::unexpected(opened.error());
  return {};
}

namespace {

std::unexpected<Error> not_storable() {
  return fail(ErrorCode::invalid_input,
              "A text in there is not UTF-8, or a number not finite; keep bytes as "
              "std::vector<std::byte>.");
}

bool has_ended(InstanceStatus status) {
  return status == InstanceStatus::completed || status == InstanceStatus::failed ||
         status == InstanceStatus::cancelled;
}

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
  if (!flow::is_storable(variables)) return not_storable();
  engine::StartCommand command;
  command.process_id = process_id;
  command.start_node_id = std::move(options.start_node_id);
  command.business_key = std::move(options.business_key);
  if (options.id) {
    command.business_key = std::move(options.id);
    command.unique_business_key = true;
  }
  if (options.idempotency_key) {
    std::string request = process_id + "\n" + command.business_key.value_or("") + "\n";
    if (!command.start_node_id.empty()) request += command.start_node_id + "\n";
    request += json::write(variables);
    command.idempotency = {.key = *options.idempotency_key, .digest = sha256_hex(request)};
  }
  command.variables = std::move(variables);
  command.priority = options.priority;
  command.limit_key = std::move(options.limit_key);
  const bool by_id = command.unique_business_key;
  std::optional<Key> first;
  const auto started = impl_->ask<engine::Started>([&](auto& engine, auto reply) {
    engine.start_instance(std::move(command),
                          [&first, reply = std::move(reply)](auto answer) mutable {
                            if (!answer) first = answer.error().existing_id;
                            reply(std::move(answer));
                          });
  });
  if (!started && by_id && first) return *first;
  if (!started) return std::unexpected(started.error());
  return started->instance_id;
}

Result<void> Engine::schedule(const std::string& name, const std::string& process_id,
                              Value variables, ScheduleOptions options) {
  auto cycle = cycle_of(options);
  if (!cycle) return std::unexpected(cycle.error());
  engine::ScheduleCommand command{.name = name,
                                  .process_id = process_id,
                                  .input = std::move(variables),
                                  .cycle = *std::move(cycle),
                                  .overlap = static_cast<store::Overlap>(options.overlap),
                                  .misfire = static_cast<store::Misfire>(options.misfire)};
  const auto done = impl_->ask<engine::Done>(
      [&](auto& engine, auto reply) { engine.schedule(std::move(command), std::move(reply)); });
  if (!done) return std::unexpected(done.error());
  return {};
}

Result<void> Engine::unschedule(const std::string& name) {
  const auto done = impl_->ask<engine::Done>(
      [&](auto& engine, auto reply) { engine.unschedule(name, std::move(reply)); });
  if (!done) return std::unexpected(done.error());
  return {};
}

Result<void> Engine::send(std::int64_t flow_id, const std::string& event,
                          std::optional<std::string> message_id) {
  return send_event(flow_id, event, Object{}, std::move(message_id));
}

Result<void> Engine::send_event(std::int64_t flow_id, const std::string& event, Value variables,
                                std::optional<std::string> message_id) {
  constexpr Duration kept = std::chrono::days(365);
  if (!flow::is_storable(variables)) return not_storable();
  const auto key = key_text(flow_id);
  if (message_id && !message_id->empty())
    message_id = key + ":" + *message_id; // each run has ids of its own
  const auto sent = impl_->ask<engine::Correlated>([&](auto& engine, auto reply) {
    engine.send_message({.name = event,
                         .correlation_key = key,
                         .tenant_id = {},
                         .variables = std::move(variables),
                         .time_to_live = kept,
                         .message_id = std::move(message_id),
                         .starts_nothing = true,
                         .run_id = flow_id,
                         .idempotency = {}},
                        std::move(reply));
  });
  if (!sent) return std::unexpected(sent.error());
  return {};
}

// Of a run that went on as a new one: what that gives.
Result<std::optional<Value>> Engine::output(std::int64_t flow_id, std::chrono::milliseconds limit) {
  const auto assembly = impl_->opened();
  if (!assembly) return std::unexpected(assembly.error());
  const auto end = deadline_of(limit);
  for (;;) {
    const auto seen = impl_->ends().ended();
    const auto last = (*assembly)->reader().chain_end(flow_id);
    if (!last) return std::unexpected(last.error());
    const bool over = *last && (*last)->state == store::ChainState::over;
    if (over || !*last) { // nobody has the id: it says so
      const auto ended = instance(*last ? (*last)->run_id : flow_id);
      if (!ended) return std::unexpected(ended.error());
      if (ended->status != InstanceStatus::completed) {
        return fail(ErrorCode::conflict, ended->end_reason.value_or("The flow was cancelled."));
      }
      const auto* output = ended->variables.find("output");
      return output != nullptr ? std::optional(*output) : std::nullopt;
    }
    if (!impl_->ends().wait_until(seen, end)) {
      return fail(ErrorCode::unavailable, "The flow has not ended in time; wait longer.");
    }
  }
}

Result<void> Engine::pause(std::int64_t instance_id, const std::string& reason) {
  engine::PauseCommand command{.instance_id = instance_id};
  if (!reason.empty()) command.reason = reason;
  const auto done = impl_->ask<engine::Done>(
      [&](auto& engine, auto reply) { engine.pause(std::move(command), std::move(reply)); });
  if (!done) return std::unexpected(done.error());
  return {};
}

Result<void> Engine::resume(std::int64_t instance_id) {
  const auto done = impl_->ask<engine::Done>([&](auto& engine, auto reply) {
    engine.resume({.instance_id = instance_id, .actor = {}}, std::move(reply));
  });
  if (!done) return std::unexpected(done.error());
  return {};
}

Result<std::int64_t> Engine::restart(std::int64_t run_id, RestartOptions options) {
  using Kind = flow::RestartPoint::Kind;
  if (options.from_step && options.from_failure) {
    return fail(ErrorCode::invalid_input, "Name a step or the failure, not both.");
  }
  engine::RestartFlowCommand command{
      .instance_id = run_id, .insist = options.insist, .latest = options.latest};
  if (options.from_failure) command.from.kind = Kind::failure;
  if (options.from_step) command.from = {Kind::step, *std::move(options.from_step)};
  if (options.input) command.input = convert::wrapped(*std::move(options.input), "input");
  if (!options.reason.empty()) command.reason = std::move(options.reason);
  if (!options.actor.empty()) command.actor = std::move(options.actor);
  const auto started = impl_->ask<engine::Started>(
      [&](auto& engine, auto reply) { engine.restart_flow(std::move(command), std::move(reply)); });
  if (!started) return std::unexpected(started.error());
  return started->instance_id;
}

Result<void> Engine::skip_step(std::int64_t flow_id, const std::string& step,
                               std::optional<Value> result, const std::string& reason) {
  engine::SkipStepCommand command{
      .instance_id = flow_id, .step = step, .output = std::move(result)};
  if (!reason.empty()) command.reason = reason;
  const auto done = impl_->ask<engine::Done>(
      [&](auto& engine, auto reply) { engine.skip_step(std::move(command), std::move(reply)); });
  if (!done) return std::unexpected(done.error());
  return {};
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
                  .variables = Object{},
                  .end_reason = (*row)->end_reason};
  for (const auto& scope : *scopes) {
    if (!scope.parent_id) result.variables = scope.variables;
  }
  return result;
}

Result<Instance> Engine::wait(std::int64_t instance_id, std::chrono::milliseconds limit) {
  const auto end = deadline_of(limit);
  for (;;) {
    const auto seen = impl_->ends().ended();
    auto now = instance(instance_id);
    if (!now) return now;
    if (has_ended(now->status) || !impl_->ends().wait_until(seen, end)) return now;
  }
}

static_assert(static_cast<int>(InstanceStatus::pending) ==
              static_cast<int>(facts::InstanceStatus::pending));
static_assert(static_cast<int>(InstanceStatus::cancelled) ==
              static_cast<int>(facts::InstanceStatus::cancelled));

} // namespace perdure
