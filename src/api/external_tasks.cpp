// External tasks as workers see them: fetch and lock, complete, fail, extend the lock,
// give back.
#include <utility>

#include "api/handlers.h"
#include "api/json_shapes.h"
#include "api/replies.h"

namespace perdure::api {
namespace {

constexpr Duration kUsualLock{30'000};
constexpr std::int64_t kMaxRetries = 1'000;

/// The attempt that the worker was given; 0 when it does not say.
std::int64_t attempt_of(BodyReader& reader) {
  return reader.integer("attempt", {.least = 1}).value_or(0);
}

Parsed<engine::FetchCommand> read_fetch(const net::Request& request, const Limits& limits) {
  const auto body = parse_body(request, limits);
  if (!body) return std::unexpected(body.error());
  BodyReader reader(*body->as<Object>(), limits);
  engine::FetchCommand command{
      .worker_id = reader.required_name("worker_id"),
      .task_types = reader.required_types("task_types"),
      .max_tasks = reader.integer("max_tasks", {1, limits.max_tasks}).value_or(1),
      .lock_duration = reader.milliseconds("lock_duration_ms", {1, limits.max_lock.count()})
                           .value_or(kUsualLock),
      .wait = reader.milliseconds("wait_ms", {0, limits.max_wait.count()}).value_or(Duration{0})};
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  return command;
}

net::Response show_jobs(const std::vector<engine::Job>& jobs) {
  std::string body;
  {
    ObjectWriter object(body);
    append_list(object.begin_member("tasks"), jobs,
                [](std::string& out, const engine::Job& job) { append_json(out, job); });
  }
  return json_response(std::move(body));
}

/// Answers with the tasks. When the client has gone meanwhile they are given back at once.
engine::Reply<std::vector<engine::Job>> reply_with_jobs(const PartsPtr& parts,
                                                        const net::Responder& responder) {
  return [parts, responder](engine::Answer<std::vector<engine::Job>> answer) {
    if (!answer) {
      responder.send(to_response(answer.error()));
      return;
    }
    auto response = show_jobs(*answer);
    responder.send(std::move(response), [parts, jobs = std::move(*answer)](bool delivered) {
      if (!delivered) parts->engine.give_back(jobs);
    });
  };
}

Parsed<engine::CompleteTaskCommand> read_complete(const net::Request& request,
                                                  const Limits& limits) {
  const auto id = path_key(request, "task");
  if (!id) return std::unexpected(id.error());
  auto key = idempotency(request, limits);
  if (!key) return std::unexpected(std::move(key.error()));
  const auto body = parse_body(request, limits);
  if (!body) return std::unexpected(body.error());
  BodyReader reader(*body->as<Object>(), limits);
  engine::CompleteTaskCommand command{.task_id = *id,
                                      .instance_id = reader.key("instance_id"),
                                      .worker_id = reader.required_name("worker_id"),
                                      .attempt = attempt_of(reader),
                                      .variables = reader.object("variables"),
                                      .idempotency = std::move(*key)};
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  if (auto large = oversize(request, command.variables, limits)) {
    return std::unexpected(std::move(*large));
  }
  return command;
}

Parsed<engine::FailTaskCommand> read_fail(const net::Request& request, const Limits& limits) {
  const auto id = path_key(request, "task");
  if (!id) return std::unexpected(id.error());
  const auto body = parse_body(request, limits);
  if (!body) return std::unexpected(body.error());
  BodyReader reader(*body->as<Object>(), limits);
  engine::FailTaskCommand command{
      .task_id = *id,
      .instance_id = reader.key("instance_id"),
      .worker_id = reader.required_name("worker_id"),
      .attempt = attempt_of(reader),
      .error_name = reader.text("error_name").value_or(""),
      .error_message = reader.text("error_message").value_or(""),
      .retries = reader.integer("retries", {0, kMaxRetries}),
      .retry_delay = reader.milliseconds("retry_delay_ms", {0, limits.max_lock.count()})};
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  return command;
}

Parsed<engine::ExtendLockCommand> read_extend(const net::Request& request, const Limits& limits) {
  const auto id = path_key(request, "task");
  if (!id) return std::unexpected(id.error());
  const auto body = parse_body(request, limits);
  if (!body) return std::unexpected(body.error());
  BodyReader reader(*body->as<Object>(), limits);
  engine::ExtendLockCommand command{.task_id = *id,
                                    .instance_id = reader.key("instance_id"),
                                    .worker_id = reader.required_name("worker_id"),
                                    .attempt = attempt_of(reader),
                                    .lock_duration = reader.required_milliseconds(
                                        "lock_duration_ms", {1, limits.max_lock.count()})};
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  return command;
}

Parsed<engine::ReleaseTaskCommand> read_release(const net::Request& request, const Limits& limits) {
  const auto id = path_key(request, "task");
  if (!id) return std::unexpected(id.error());
  const auto body = parse_body(request, limits);
  if (!body) return std::unexpected(body.error());
  BodyReader reader(*body->as<Object>(), limits);
  engine::ReleaseTaskCommand command{.task_id = *id,
                                     .instance_id = reader.key("instance_id"),
                                     .worker_id = reader.required_name("worker_id"),
                                     .attempt = attempt_of(reader)};
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  return command;
}

/// Of an error, with a message; or of an escalation, without.
Parsed<engine::ThrowCommand> read_throw(const net::Request& request, const Limits& limits,
                                        bool is_error) {
  const auto id = path_key(request, "task");
  if (!id) return std::unexpected(id.error());
  const auto body = parse_body(request, limits);
  if (!body) return std::unexpected(body.error());
  BodyReader reader(*body->as<Object>(), limits);
  engine::ThrowCommand command{.task_id = *id,
                               .instance_id = reader.key("instance_id"),
                               .worker_id = reader.required_name("worker_id"),
                               .attempt = attempt_of(reader),
                               .code = reader.required_name("code"),
                               .message = {},
                               .variables = reader.object("variables")};
  if (is_error) command.message = reader.text("message").value_or("");
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  if (auto large = oversize(request, command.variables, limits)) {
    return std::unexpected(std::move(*large));
  }
  return command;
}

} // namespace

void throw_task_error(const PartsPtr& parts, const net::Request& request,
                      const net::Responder& responder) {
  auto command = read_throw(request, parts->limits(), true);
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  parts->engine.throw_error(std::move(*command),
                            reply_with<engine::Done>(responder, [id = command->task_id](auto) {
                              return done_response(id);
                            }));
}

void throw_task_escalation(const PartsPtr& parts, const net::Request& request,
                           const net::Responder& responder) {
  auto command = read_throw(request, parts->limits(), false);
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  parts->engine.throw_escalation(std::move(*command),
                                 reply_with<engine::Done>(responder, [id = command->task_id](auto) {
                                   return done_response(id);
                                 }));
}

void fetch_and_lock(const PartsPtr& parts, const net::Request& request,
                    const net::Responder& responder) {
  auto command = read_fetch(request, parts->limits());
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  auto poll = parts->engine.fetch(std::move(*command), reply_with_jobs(parts, responder));
  responder.on_close([wanted = std::move(poll.wanted)] { wanted->store(false); });
}

void complete_external_task(const PartsPtr& parts, const net::Request& request,
                            const net::Responder& responder) {
  auto command = read_complete(request, parts->limits());
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  parts->engine.complete_task(std::move(*command),
                              reply_with<engine::Done>(responder, [id = command->task_id](auto) {
                                return done_response(id, "completed");
                              }));
}

void fail_external_task(const PartsPtr& parts, const net::Request& request,
                        const net::Responder& responder) {
  auto command = read_fail(request, parts->limits());
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  parts->engine.fail_task(std::move(*command),
                          reply_with<engine::Done>(responder, [id = command->task_id](auto) {
                            return done_response(id);
                          }));
}

void extend_lock(const PartsPtr& parts, const net::Request& request,
                 const net::Responder& responder) {
  auto command = read_extend(request, parts->limits());
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  parts->engine.extend_lock(
      std::move(*command),
      reply_with<Instant>(responder, [id = command->task_id](Instant lock_expires_at) {
        std::string body;
        {
          ObjectWriter object(body);
          object.member("id", id);
          object.member("lock_expires_at", lock_expires_at);
        }
        return json_response(std::move(body));
      }));
}

void release_external_task(const PartsPtr& parts, const net::Request& request,
                           const net::Responder& responder) {
  auto command = read_release(request, parts->limits());
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  parts->engine.release_task(std::move(*command),
                             reply_with<engine::Done>(responder, [id = command->task_id](auto) {
                               return done_response(id, "ready");
                             }));
}

} // namespace perdure::api
