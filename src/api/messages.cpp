// Messages, signals and conditions: what comes from outside for those who wait, or begins
// something.
#include <utility>

#include "api/handlers.h"
#include "api/json_shapes.h"
#include "api/replies.h"

namespace perdure::api {
namespace {

constexpr std::int64_t kLongestLife = std::int64_t{365} * 24 * 3'600'000;

Parsed<engine::MessageCommand> read_message(const net::Request& request, const Limits& limits) {
  const auto body = parse_body(request, limits);
  if (!body) return std::unexpected(body.error());
  auto key = idempotency(request, limits);
  if (!key) return std::unexpected(std::move(key.error()));
  BodyReader reader(*body->as<Object>(), limits);
  engine::MessageCommand command{.name = reader.required_name("name"),
                                 .correlation_key = reader.name("correlation_key"),
                                 .tenant_id = {},
                                 .variables = {},
                                 .message_id = {},
                                 .idempotency = std::move(*key)};
  auto variables = reader.object("variables");
  if (const auto life = reader.milliseconds("time_to_live_ms", {0, kLongestLife})) {
    command.time_to_live = *life;
  }
  command.message_id = reader.name("message_id");
  command.refuse_ambiguous = reader.flag("refuse_ambiguous");
  command.start_once_per_key = reader.flag("start_once_per_key");
  if (command.start_once_per_key && !command.correlation_key) {
    reader.complain("start_once_per_key", "needs a correlation_key beside it");
  }
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  if (auto large = oversize(request, variables, limits)) return std::unexpected(std::move(*large));
  if (variables) command.variables = std::move(*variables);
  return command;
}

Parsed<engine::SignalCommand> read_signal(const net::Request& request, const Limits& limits) {
  const auto body = parse_body(request, limits);
  if (!body) return std::unexpected(body.error());
  auto key = idempotency(request, limits);
  if (!key) return std::unexpected(std::move(key.error()));
  BodyReader reader(*body->as<Object>(), limits);
  engine::SignalCommand command{.name = reader.required_name("name"),
                                .tenant_id = {},
                                .variables = {},
                                .idempotency = std::move(*key)};
  auto variables = reader.object("variables");
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  if (auto large = oversize(request, variables, limits)) return std::unexpected(std::move(*large));
  if (variables) command.variables = std::move(*variables);
  return command;
}

Parsed<engine::ConditionsCommand> read_conditions(const net::Request& request,
                                                  const Limits& limits) {
  const auto body = parse_body(request, limits);
  if (!body) return std::unexpected(body.error());
  auto key = idempotency(request, limits);
  if (!key) return std::unexpected(std::move(key.error()));
  BodyReader reader(*body->as<Object>(), limits);
  engine::ConditionsCommand command{.tenant_id = {},
                                    .variables = {},
                                    .business_key = reader.name("business_key"),
                                    .idempotency = std::move(*key)};
  auto variables = reader.object("variables");
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  if (auto large = oversize(request, variables, limits)) return std::unexpected(std::move(*large));
  if (variables) command.variables = std::move(*variables);
  return command;
}

net::Response show_begun(const engine::Begun& begun) {
  std::string body;
  {
    ObjectWriter object(body);
    append_list(object.begin_member("items"), begun.instances,
                [](std::string& out, const engine::Begun::Instance& instance) {
                  ObjectWriter item(out);
                  item.member("instance_id", instance.id);
                  item.member("process_id", std::string_view(instance.process_id));
                  item.member("start_node_id", std::string_view(instance.node_id));
                });
    object.member("repeated", begun.repeated);
  }
  auto response = json_response(std::move(body));
  response.status = 202;
  return response;
}

net::Response show(const engine::Correlated& correlated) {
  std::string body;
  {
    ObjectWriter object(body);
    object.member("result", name_of(correlated.fate));
    object.member("instance_id", correlated.instance_id);
    object.member("repeated", correlated.repeated);
  }
  auto response = json_response(std::move(body));
  if (correlated.fate == engine::Correlated::Fate::buffered) response.status = 202;
  return response;
}

} // namespace

void send_message(const PartsPtr& parts, const net::Request& request,
                  const net::Responder& responder) {
  auto command = read_message(request, parts->limits());
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  parts->engine.send_message(std::move(*command), reply_with<engine::Correlated>(responder, show));
}

void send_signal(const PartsPtr& parts, const net::Request& request,
                 const net::Responder& responder) {
  auto command = read_signal(request, parts->limits());
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  parts->engine.send_signal(std::move(*command),
                            reply_with<engine::Done>(responder, [](const engine::Done&) {
                              auto response = json_response("{\"result\":\"sent\"}");
                              response.status = 202;
                              return response;
                            }));
}

void offer_conditions(const PartsPtr& parts, const net::Request& request,
                      const net::Responder& responder) {
  auto command = read_conditions(request, parts->limits());
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  parts->engine.offer_conditions(std::move(*command),
                                 reply_with<engine::Begun>(responder, show_begun));
}

} // namespace perdure::api
