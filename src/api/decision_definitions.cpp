// Decision definitions: list them, get one back, have one evaluated; what instances evaluated.
#include <utility>

#include "api/handlers.h"
#include "api/json_shapes.h"
#include "api/pages.h"
#include "api/replies.h"

namespace perdure::api {
namespace {

/// A key, or the id of a decision, of which the latest version is meant.
Parsed<facts::DecisionDefinition> find_decision(Parts& parts, const net::Request& request) {
  const auto& name = request.path_parameter("id");
  const auto key = parse_key(name);
  auto decision = key ? parts.reader.decision(*key)
                      : parts.reader.decision(store::DecisionChoice{.tenant_id = {},
                                                                    .decision_id = name,
                                                                    .version = {},
                                                                    .version_tag = {},
                                                                    .deployment_id = {}});
  if (!decision) return std::unexpected(to_response(decision.error()));
  if (!*decision) return std::unexpected(not_found("decision definition", name));
  return std::move(**decision);
}

Parsed<facts::DecisionRequirements> find_model(Parts& parts, const net::Request& request) {
  const auto decision = find_decision(parts, request);
  if (!decision) return std::unexpected(decision.error());
  auto model = parts.reader.requirements(decision->requirements_id);
  if (!model) return std::unexpected(to_response(model.error()));
  if (!*model) {
    return std::unexpected(not_found("decision model", key_text(decision->requirements_id)));
  }
  return std::move(**model);
}

Parsed<engine::EvaluateCommand> read_evaluate(const net::Request& request, const Limits& limits) {
  const auto body = parse_body(request, limits, true);
  if (!body) return std::unexpected(body.error());
  BodyReader reader(*body->as<Object>(), limits);
  engine::EvaluateCommand command{.decision_id = request.path_parameter("id"),
                                  .tenant_id = {},
                                  .version = reader.integer("version", {.least = 1}),
                                  .variables = {}};
  const auto variables = reader.object("variables");
  if (command.version && parse_key(command.decision_id)) {
    reader.complain("version", "has no meaning with the id of a definition, which is one version");
  }
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  if (auto large = oversize(request, variables, limits)) return std::unexpected(std::move(*large));
  command.variables = variables.value_or(Value());
  return command;
}

/// With a limit reached there is no result: that is a problem, which shows how far it came.
net::Response show_result(engine::DecisionResult result) {
  auto& outcome = *result.outcome.as<Object>();
  const auto* error = outcome.find("error");
  if (error && !error->is_null()) {
    const auto* reason = error->find("message");
    return unprocessable(reason ? *reason->as<std::string>() : "The evaluation failed.",
                         std::move(outcome));
  }
  std::string body;
  {
    ObjectWriter object(body);
    append_json(object.begin_member("definition"), result.definition);
    for (const auto& [name, value] : outcome) {
      if (name != "decision" && name != "error") object.member(name, value);
    }
  }
  return json_response(std::move(body));
}

} // namespace

net::Response list_decisions(Parts& parts, const net::Request& request) {
  QueryReader query(request, parts.limits());
  const auto page = read_page(query);
  if (auto wrong = query.finish()) return std::move(*wrong);
  const auto rows = parts.reader.decisions(page);
  if (!rows) return to_response(rows.error());
  return page_response(*rows, page,
                       [](std::string& out, const auto& row) { append_json(out, row); });
}

net::Response get_decision(Parts& parts, const net::Request& request) {
  QueryReader query(request, parts.limits());
  if (auto wrong = query.finish()) return std::move(*wrong);
  const auto decision = find_decision(parts, request);
  if (!decision) return decision.error();
  const auto model = find_model(parts, request);
  if (!model) return model.error();
  std::string body;
  {
    ObjectWriter object(body);
    append_json(object.begin_member("definition"), *decision, model->resource_name);
    append_json(object.begin_member("model"), *model);
  }
  return json_response(std::move(body));
}

net::Response get_decision_xml(Parts& parts, const net::Request& request) {
  auto model = find_model(parts, request);
  if (!model) return model.error();
  net::Response response;
  response.content_type = "application/xml";
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.body = std::move(model->source);
  return response;
}

net::Response evaluate_decision(Parts& parts, const net::Request& request) {
  const auto command = read_evaluate(request, parts.limits());
  if (!command) return command.error();
  auto result = parts.engine.evaluate(parts.reader, *command);
  return result ? show_result(*std::move(result)) : to_response(result.error());
}

net::Response list_evaluations(Parts& parts, const net::Request& request) {
  const auto id = path_key(request, "process instance");
  if (!id) return id.error();
  QueryReader query(request, parts.limits());
  const auto page = read_page(query);
  if (auto wrong = query.finish()) return std::move(*wrong);
  const auto rows = parts.reader.evaluations(*id, page);
  if (!rows) return to_response(rows.error());
  if (rows->empty()) {
    if (auto answer = missing_instance(parts, *id)) return std::move(*answer);
  }
  return page_response(*rows, page,
                       [](std::string& out, const auto& row) { append_json(out, row); });
}

} // namespace perdure::api
