// Incidents and dead letters: what cannot go on by itself, and letting it try again.
#include <utility>

#include "api/handlers.h"
#include "api/json_shapes.h"
#include "api/pages.h"
#include "api/replies.h"

namespace perdure::api {
namespace {

constexpr std::int64_t kMaxRetries = 1'000;

/// What the body of a retry says; the path says of what.
Parsed<engine::RetryCommand> read_retry(const net::Request& request, const Limits& limits,
                                        bool of_instance) {
  const auto body = parse_body(request, limits, true);
  if (!body) return std::unexpected(body.error());
  BodyReader reader(*body->as<Object>(), limits);
  engine::RetryCommand command{.retries = reader.integer("retries", {1, kMaxRetries}).value_or(1),
                               .variables = reader.object("variables"),
                               .actor = reader.name("actor")};
  if (of_instance) command.incident_id = reader.key("incident_id");
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  if (auto large = oversize(request, command.variables, limits)) {
    return std::unexpected(std::move(*large));
  }
  return command;
}

} // namespace

void retry_instance(const PartsPtr& parts, const net::Request& request,
                    const net::Responder& responder) {
  const auto id = path_key(request, "process instance");
  auto command = id ? read_retry(request, parts->limits(), true) : std::unexpected(id.error());
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  command->instance_id = *id;
  parts->engine.retry(std::move(*command), reply_with_instance(parts, responder, *id, request));
}

void retry_incident(const PartsPtr& parts, const net::Request& request,
                    const net::Responder& responder) {
  const auto id = path_key(request, "incident");
  auto command = id ? read_retry(request, parts->limits(), false) : std::unexpected(id.error());
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  command->incident_id = *id; // the engine finds its instance
  parts->engine.retry(std::move(*command), reply_with<engine::Done>(responder, [id = *id](auto) {
                        return done_response(id, "resolved");
                      }));
}

net::Response list_incidents(Parts& parts, const net::Request& request) {
  const auto id = path_key(request, "process instance");
  if (!id) return id.error();
  QueryReader query(request, parts.limits());
  const auto state = query.enumerator<facts::IncidentState>("state");
  if (auto wrong = query.finish()) return std::move(*wrong);
  auto incidents = parts.reader.incidents(*id);
  if (!incidents) return to_response(incidents.error());
  if (incidents->empty()) {
    if (auto answer = missing_instance(parts, *id)) return std::move(*answer);
  }
  if (state) std::erase_if(*incidents, [&](const auto& row) { return row.state != *state; });
  return list_response(*incidents, std::nullopt,
                       [](std::string& out, const auto& row) { append_json(out, row); });
}

net::Response list_dead_letters(Parts& parts, const net::Request& request) {
  QueryReader query(request, parts.limits());
  const auto page = read_page(query);
  if (auto wrong = query.finish()) return std::move(*wrong);
  const auto rows = parts.reader.dead_letters(page);
  if (!rows) return to_response(rows.error());
  return page_response(*rows, page,
                       [](std::string& out, const auto& row) { append_json(out, row); });
}

} // namespace perdure::api
