// Process instances: start, list, look at, cancel, retry.
#include <utility>

#include "api/handlers.h"
#include "api/instance_view.h"
#include "api/json_shapes.h"
#include "api/pages.h"
#include "api/replies.h"

namespace perdure::api {
namespace {

Parsed<engine::StartCommand> read_start(const net::Request& request, const Limits& limits) {
  const auto body = parse_body(request, limits);
  if (!body) return std::unexpected(body.error());
  auto key = idempotency(request, limits);
  if (!key) return std::unexpected(std::move(key.error()));

  BodyReader reader(*body->as<Object>(), limits);
  engine::StartCommand command;
  // A process id is an XML name and never begins with a digit: no text is both a key and a name.
  auto process = reader.required_name_or_integer("process_def_id");
  command.definition_id = parse_key(process);
  if (!command.definition_id) command.process_id = std::move(process);
  command.start_node_id = reader.name("start_node_id").value_or("");
  command.business_key = reader.name("business_key");
  command.unique_business_key = reader.flag("unique_business_key");
  if (command.unique_business_key && !command.business_key) {
    reader.complain("unique_business_key", "needs a business_key beside it");
  }
  command.start_before = reader.names("start_before");
  auto variables = reader.object("variables");
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  if (auto large = oversize(request, variables, limits)) return std::unexpected(std::move(*large));
  if (variables) command.variables = std::move(*variables);
  command.idempotency = std::move(*key);
  return command;
}

InstanceAnswer how_to_answer_start(const engine::Started& started, bool minimal) {
  InstanceAnswer how{.status = started.repeated ? 200 : 201, .minimal = minimal};
  how.headers.emplace_back("Location",
                           "/api/v1/process-instances/" + key_text(started.instance_id));
  if (started.repeated) how.headers.emplace_back("Idempotency-Replayed", "true");
  return how;
}

Parsed<engine::CancelCommand> read_cancel(const net::Request& request, const Limits& limits) {
  const auto id = path_key(request, "process instance");
  if (!id) return std::unexpected(id.error());
  const auto body = parse_body(request, limits, true);
  if (!body) return std::unexpected(body.error());
  BodyReader reader(*body->as<Object>(), limits);
  engine::CancelCommand command{
      .instance_id = *id, .reason = reader.text("reason"), .actor = reader.name("actor")};
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  return command;
}

} // namespace

void start_instance(const PartsPtr& parts, const net::Request& request,
                    const net::Responder& responder) {
  auto command = read_start(request, parts->limits());
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  parts->engine.start_instance(std::move(*command),
                               [parts, responder, minimal = prefers_minimal(request)](
                                   const engine::Answer<engine::Started>& started) {
                                 if (started) {
                                   answer_with_instance(parts, responder, started->instance_id,
                                                        how_to_answer_start(*started, minimal));
                                 } else {
                                   responder.send(to_response(started.error()));
                                 }
                               });
}

void cancel_instance(const PartsPtr& parts, const net::Request& request,
                     const net::Responder& responder) {
  auto command = read_cancel(request, parts->limits());
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  const auto id = command->instance_id;
  parts->engine.cancel(std::move(*command), reply_with_instance(parts, responder, id, request));
}

net::Response list_instances(Parts& parts, const net::Request& request) {
  QueryReader query(request, parts.limits());
  const auto page = read_page(query);
  const store::InstanceFilter filter{
      .process_id = query.text("process_id"),
      .status = query.enumerator<facts::InstanceStatus>("status"),
      .business_key = query.text("business_key"),
      .only_incidents = query.flag("incidents", false),
      .parent_id = query.key("parent_instance_id"),
  };
  if (auto wrong = query.finish()) return std::move(*wrong);
  const auto rows = parts.reader.instances(filter, page);
  if (!rows) return to_response(rows.error());
  std::optional<Key> next_after;
  if (std::cmp_greater_equal(rows->size(), page.limit)) next_after = rows->back().first.id;
  return list_response(*rows, next_after, [](std::string& out, const auto& row) {
    const auto& [instance, open_incidents] = row;
    ObjectWriter object(out);
    append_members(object, instance, Detail::list);
    object.member("incident_count", open_incidents);
  });
}

net::Response get_instance(Parts& parts, const net::Request& request) {
  const auto id = path_key(request, "process instance");
  if (!id) return id.error();
  const auto view = read_view(parts.reader, *id);
  if (!view) return to_response(view.error());
  if (!*view) return not_found("process instance", key_text(*id));
  const auto& seen = **view;
  const auto now = parts.clock.now();
  const auto write = [](std::string& out, const auto& row) { append_json(out, row); };
  std::string body;
  {
    ObjectWriter object(body);
    append_members(object, seen.instance, Detail::full);
    object.member("incident_count", std::ssize(seen.incidents));
    object.member("variables", root_variables(seen.scopes));
    append_list(object.begin_member("scopes"), seen.scopes, write);
    append_list(object.begin_member("tokens"), seen.tokens,
                [&](std::string& out, const auto& token) {
                  append_json(out, token, waiting_for(seen, token, now));
                });
    append_list(object.begin_member("incidents"), seen.incidents, write);
  }
  return json_response(std::move(body));
}

net::Response get_variables(Parts& parts, const net::Request& request) {
  const auto id = path_key(request, "process instance");
  if (!id) return id.error();
  const auto scopes = parts.reader.scopes(*id);
  if (!scopes) return to_response(scopes.error());
  if (scopes->empty()) return not_found("process instance", key_text(*id));
  std::string body;
  {
    ObjectWriter object(body);
    object.member("variables", root_variables(*scopes));
    append_list(object.begin_member("scopes"), *scopes,
                [](std::string& out, const auto& scope) { append_json(out, scope); });
  }
  return json_response(std::move(body));
}

} // namespace perdure::api
