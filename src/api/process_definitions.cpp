// Process definitions: deploy models of processes and decisions, list processes, get one back.
#include <utility>

#include "api/handlers.h"
#include "api/json_shapes.h"
#include "api/pages.h"
#include "api/replies.h"

namespace perdure::api {
namespace {

constexpr std::string_view kXml = "application/xml";

/// Files that belong together, as `{"resources": [{"name": ..., "content": ...}]}`.
Parsed<engine::DeployCommand> read_resources(const net::Request& request, const Limits& limits) {
  const auto body = parse_body(request, limits);
  if (!body) return std::unexpected(body.error());
  BodyReader reader(*body->as<Object>(), limits);
  engine::DeployCommand command;
  for (auto& [name, content] : reader.required_files("resources"))
    command.resources.push_back({std::move(name), std::move(content)});
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  return command;
}

Parsed<engine::DeployCommand> read_deploy(const net::Request& request, const Limits& limits) {
  const auto type = request.header("Content-Type").value_or("");
  if (type.starts_with("multipart/")) {
    return std::unexpected(unsupported_media_type(
        "Send one model as it is, with Content-Type application/xml, or several as JSON."));
  }
  QueryReader query(request, limits);
  const bool is_json = type.starts_with("application/json");
  const auto name = is_json ? std::nullopt : query.text("resource_name");
  if (auto wrong = query.finish()) return std::unexpected(std::move(*wrong));
  if (is_json) return read_resources(request, limits);
  const auto header = header_name(request, "X-Resource-Name", limits);
  if (!header) return std::unexpected(header.error());
  const auto given = name ? name : *header;
  return engine::DeployCommand{.resources = {{given.value_or("process.bpmn"), request.body}},
                               .tenant_id = {}};
}

void append_decisions(ObjectWriter& object, const std::vector<store::DecisionModel>& models) {
  std::vector<std::pair<const facts::DecisionDefinition*, const std::string*>> rows;
  for (const auto& model : models) {
    for (const auto& decision : model.decisions)
      rows.emplace_back(&decision, &model.requirements.resource_name);
  }
  append_list(object.begin_member("decisions"), rows,
              [](std::string& out, const auto& row) { append_json(out, *row.first, *row.second); });
}

net::Response show_deployed(const engine::Deployed& deployed) {
  std::string body;
  {
    ObjectWriter object(body);
    append_list(object.begin_member("definitions"), deployed.definitions,
                [](std::string& out, const auto& row) { append_json(out, row, Detail::list); });
    append_decisions(object, deployed.models);
    append_list(
        object.begin_member("warnings"), deployed.warnings,
        [](std::string& out, const auto& warning) { json::append(out, to_value(warning)); });
  }
  return json_response(std::move(body), 201);
}

Parsed<facts::ProcessDefinition> find_definition(Parts& parts, const net::Request& request) {
  const auto id = path_key(request, "process definition");
  if (!id) return std::unexpected(id.error());
  auto definition = parts.reader.definition(*id);
  if (!definition) return std::unexpected(to_response(definition.error()));
  if (!*definition) return std::unexpected(not_found("process definition", key_text(*id)));
  return std::move(**definition);
}

} // namespace

void deploy(const PartsPtr& parts, const net::Request& request, const net::Responder& responder) {
  auto command = read_deploy(request, parts->limits());
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  parts->engine.deploy(std::move(*command), reply_with<engine::Deployed>(responder, show_deployed));
}

net::Response list_definitions(Parts& parts, const net::Request& request) {
  QueryReader query(request, parts.limits());
  const auto page = read_page(query);
  if (auto wrong = query.finish()) return std::move(*wrong);
  const auto rows = parts.reader.definitions(page);
  if (!rows) return to_response(rows.error());
  return page_response(
      *rows, page, [](std::string& out, const auto& row) { append_json(out, row, Detail::list); });
}

net::Response get_definition(Parts& parts, const net::Request& request) {
  QueryReader query(request, parts.limits());
  const bool with_source = query.one_of("include", {"xml"}).has_value();
  if (auto wrong = query.finish()) return std::move(*wrong);
  const auto definition = find_definition(parts, request);
  if (!definition) return definition.error();
  std::string body;
  append_json(body, *definition, with_source ? Detail::full : Detail::list);
  return json_response(std::move(body));
}

net::Response get_definition_xml(Parts& parts, const net::Request& request) {
  const auto definition = find_definition(parts, request);
  if (!definition) return definition.error();
  if (!definition->source)
    return not_found("process definition with XML", key_text(definition->id));
  net::Response response;
  response.content_type = kXml;
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.body = *definition->source;
  return response;
}

} // namespace perdure::api
