// Health and figures: for those who keep the server running.
#include <utility>

#include "api/handlers.h"
#include "api/json_shapes.h"
#include "api/problems.h"

namespace perdure::api {
namespace {

constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

struct Figure {
  std::string_view name;
  std::string_view type;
  std::string_view help;
  std::atomic<std::int64_t> engine::Counters::* counter;
};

constexpr Figure kFigures[] = {
    {"perdure_batches_total", "counter", "Transactions committed.", &engine::Counters::batches},
    {"perdure_events_total", "counter", "Events decided.", &engine::Counters::events},
    {"perdure_facts_total", "counter", "Facts recorded.", &engine::Counters::facts},
    {"perdure_conflicts_total", "counter", "Decisions taken again because another was faster.",
     &engine::Counters::conflicts},
    {"perdure_refusals_total", "counter", "Commands refused by the state.",
     &engine::Counters::refusals},
    {"perdure_instances_completed_total", "counter", "Process instances completed.",
     &engine::Counters::instances_completed},
    {"perdure_instances_purged_total", "counter",
     "Process instances removed at the end of their retention.",
     &engine::Counters::instances_purged},
    {"perdure_rows_purged_total", "counter", "Rows that went with them.",
     &engine::Counters::rows_purged},
    {"perdure_fetches_waiting", "gauge", "Fetches of workers that wait for tasks.",
     &engine::Counters::fetches_waiting},
};

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
  const auto describe = [&](std::string_view name, std::string_view type, std::string_view help) {
    out.append("# HELP ").append(name).append(" ").append(help).append("\n");
    out.append("# TYPE ").append(name).append(" ").append(type).append("\n");
  };
  describe("perdure_build_info", "gauge", "Version of the program.");
  out += "perdure_build_info{version=";
  json::append_string(out, parts.options.version);
  out += "} 1\n";
  for (const auto& figure : kFigures) {
    describe(figure.name, figure.type, figure.help);
    out.append(figure.name).append(" ");
    json::append_int(out, (parts.engine.counters().*figure.counter).load());
    out += '\n';
  }
  return response;
}

} // namespace perdure::api
