// Health and figures: for those who keep the server running.
#include <utility>

#include "api/handlers.h"
#include "api/json_shapes.h"
#include "api/openapi_text.h"
#include "api/problems.h"

namespace perdure::api {
namespace {

constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

/// What the engine counts.
std::vector<Figure> figures_of(const engine::Counters& counters) {
  return {
      {"perdure_batches_total", "Transactions committed.", counters.batches},
      {"perdure_events_total", "Events decided.", counters.events},
      {"perdure_facts_total", "Facts recorded.", counters.facts},
      {"perdure_conflicts_total", "Decisions lost because another node had changed the instance.",
       counters.conflicts},
      {"perdure_reloads_total", "Cached instances read again because another node changed them.",
       counters.reloads},
      {"perdure_retries_total", "Commands decided again after a commit that did not take them.",
       counters.retried},
      {"perdure_outcomes_in_doubt_total", "Changes of instances whose commit was not answered.",
       counters.in_doubt},
      {"perdure_outcomes_resolved_total",
       "Reports of handlers in such commits that were sent again and settled.", counters.resolved},
      {"perdure_repeated_total", "Commands answered from the record of their first run.",
       counters.repeated},
      {"perdure_refusals_total", "Commands refused by the state.", counters.refusals},
      {"perdure_fenced_total", "Of these: the lease was over, or another worker's.",
       counters.fenced},
      {"perdure_claims_lost_total", "Tasks offered to a worker that another had taken meanwhile.",
       counters.claims_lost},
      {"perdure_instances_completed_total", "Process instances completed.",
       counters.instances_completed},
      {"perdure_fetches_waiting", "Fetches of workers that wait for tasks.",
       counters.fetches_waiting, true},
  };
}

net::Response status_response(std::string_view status) {
  std::string body;
  ObjectWriter(body).member("status", status);
  return json_response(std::move(body));
}

} // namespace

net::Response get_welcome(Parts& parts, const net::Request&) {
  net::Response response;
  response.content_type = "text/plain; charset=utf-8";
  response.body = "Perdure " + parts.options.version +
                  ", a durable process engine.\n"
                  "API: /api/v1 (try /api/v1/process-definitions and /api/v1/process-instances)\n"
                  "Health: /livez and /readyz; figures: /metrics\n";
  return response;
}

net::Response get_livez(Parts&, const net::Request&) { return status_response("alive"); }

net::Response get_readyz(Parts& parts, const net::Request&) {
  Object answer{{"status", "ready"}};
  if (parts.options.ready) {
    const auto ready = parts.options.ready();
    if (!ready) return unavailable(ready.error().message);
    for (const auto& [name, value] : *ready)
      answer.set(name, value);
  }
  const auto answered = parts.reader.instance_ids({.limit = 1});
  if (!answered) return unavailable(answered.error().message);
  return json_response(json::write(Value(std::move(answer))));
}

net::Response get_metrics(Parts& parts, const net::Request&) {
  net::Response response;
  response.content_type = kMetricsType;
  std::string& out = response.body;
  const auto describe = [&](std::string_view name, std::string_view help, bool is_gauge) {
    out.append("# HELP ").append(name).append(" ").append(help).append("\n");
    out.append("# TYPE ").append(name).append(is_gauge ? " gauge\n" : " counter\n");
  };
  const auto append = [&](const std::vector<Figure>& figures) {
    for (const auto& figure : figures) {
      describe(figure.name, figure.help, figure.is_gauge);
      out.append(figure.name).append(" ");
      json::append_int(out, figure.value);
      out += '\n';
    }
  };
  describe("perdure_build_info", "Version of the program.", true);
  out += "perdure_build_info{version=";
  json::append_string(out, parts.options.version);
  out += "} 1\n";
  append(figures_of(parts.engine.counters()));
  if (parts.options.figures) append(parts.options.figures());
  return response;
}

net::Response get_openapi(Parts&, const net::Request&) {
  net::Response response;
  response.content_type = "application/yaml; charset=utf-8";
  response.body = kOpenapi;
  return response;
}

} // namespace perdure::api
