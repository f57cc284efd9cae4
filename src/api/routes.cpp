// The table of routes, and how each is run.
#include <memory>
#include <utility>
#include <variant>

#include "api/api.h"
#include "api/handlers.h"
#include "net/router.h"

namespace perdure::api {
namespace {

/// Bodies above this are read on a thread of the pool.
constexpr std::size_t kLargeBody = 64 * 1024;

/// Answers on the server's thread, from memory alone.
struct Quick {
  Query answer;
};

/// A command that takes long to read: always on a thread of the pool.
struct Slow {
  Command command;
};

struct Line {
  std::string_view method;
  std::string_view pattern;
  std::variant<Quick, Query, Command, Slow> action;
};

const Line kRoutes[] = {
    {"GET", "/", Quick{get_welcome}},
    {"GET", "/livez", Quick{get_livez}},
    {"GET", "/readyz", get_readyz},
    {"GET", "/metrics", Quick{get_metrics}},
    {"GET", "/api/v1/livez", Quick{get_livez}},
    {"GET", "/api/v1/readyz", get_readyz},
    {"GET", "/api/v1/openapi.yaml", Quick{get_openapi}},

    {"POST", "/api/v1/process-definitions/deploy", Slow{deploy}},
    {"GET", "/api/v1/process-definitions", list_definitions},
    {"GET", "/api/v1/process-definitions/{id}", get_definition},
    {"GET", "/api/v1/process-definitions/{id}/xml", get_definition_xml},
    {"POST", "/api/v1/process-definitions/{id}/migrate", Slow{migrate_instances}},

    {"POST", "/api/v1/deployments", Slow{deploy}},
    {"GET", "/api/v1/decision-definitions", list_decisions},
    {"GET", "/api/v1/decision-definitions/{id}", get_decision},
    {"GET", "/api/v1/decision-definitions/{id}/xml", get_decision_xml},
    {"POST", "/api/v1/decision-definitions/{id}/evaluate", evaluate_decision},

    {"POST", "/api/v1/process-instances", start_instance},
    {"GET", "/api/v1/process-instances", list_instances},
    {"GET", "/api/v1/process-instances/{id}", get_instance},
    {"GET", "/api/v1/process-instances/{id}/steps", get_steps},
    {"GET", "/api/v1/process-instances/{id}/history", get_history},
    {"GET", "/api/v1/process-instances/{id}/trace", get_trace},
    {"GET", "/api/v1/process-instances/{id}/variables", get_variables},
    {"GET", "/api/v1/process-instances/{id}/incidents", list_incidents},
    {"GET", "/api/v1/process-instances/{id}/decision-evaluations", list_evaluations},
    {"POST", "/api/v1/process-instances/{id}/cancel", cancel_instance},
    {"POST", "/api/v1/process-instances/{id}/pause", pause_instance},
    {"POST", "/api/v1/process-instances/{id}/resume", resume_instance},
    {"POST", "/api/v1/process-instances/{id}/variables", set_variables},
    {"POST", "/api/v1/process-instances/{id}/modify", modify_instance},
    {"POST", "/api/v1/process-instances/{id}/migrate", migrate_instance},
    {"POST", "/api/v1/process-instances/{id}/restart", Slow{restart_instance}},
    {"POST", "/api/v1/process-instances/{id}/skip-step", skip_step},
    {"POST", "/api/v1/process-instances/{id}/ad-hoc-activities", choose_activities},
    {"POST", "/api/v1/process-instances/{id}/retry", retry_instance},
    {"POST", "/api/v1/incidents/{id}/retry", retry_incident},
    {"GET", "/api/v1/dead-letters", list_dead_letters},
    {"GET", "/api/v1/audit", list_audit},

    {"GET", "/api/v1/tasks", list_tasks},
    {"POST", "/api/v1/tasks/{id}/complete", complete_task},
    {"POST", "/api/v1/tasks/{id}/escalation", escalate_task},

    {"POST", "/api/v1/external-tasks/fetch-and-lock", fetch_and_lock},
    {"POST", "/api/v1/external-tasks/{id}/complete", complete_external_task},
    {"POST", "/api/v1/external-tasks/{id}/fail", fail_external_task},
    {"POST", "/api/v1/external-tasks/{id}/extend-lock", extend_lock},
    {"POST", "/api/v1/external-tasks/{id}/release", release_external_task},
    {"POST", "/api/v1/external-tasks/{id}/bpmn-error", throw_task_error},
    {"POST", "/api/v1/external-tasks/{id}/escalation", throw_task_escalation},

    {"POST", "/api/v1/messages", send_message},
    {"POST", "/api/v1/signals", send_signal},
    {"POST", "/api/v1/conditions", offer_conditions},
};

void post(Parts& parts, const net::Responder& responder, WorkPool::Job job) {
  if (parts.pool.post(std::move(job))) return;
  responder.send(unavailable("The server has more requests than it can read now; try again."));
}

net::Handler handler_of(const PartsPtr& parts, const Quick& quick) {
  return
      [parts, answer = quick.answer](const net::Request& request, const net::Responder& responder) {
        responder.send(answer(*parts, request));
      };
}

net::Handler handler_of(const PartsPtr& parts, Query query) {
  return [parts, query](net::Request request, net::Responder responder) {
    post(*parts, responder, [parts, query, request = std::move(request), responder] {
      responder.send(query(*parts, request));
    });
  };
}

net::Handler handler_of(const PartsPtr& parts, const Slow& slow) {
  return [parts, command = slow.command](net::Request request, net::Responder responder) {
    post(*parts, responder, [parts, command, request = std::move(request), responder] {
      command(parts, request, responder);
    });
  };
}

net::Handler handler_of(const PartsPtr& parts, Command command) {
  return [parts, command, slow = handler_of(parts, Slow{command})](net::Request request,
                                                                   net::Responder responder) {
    if (request.body.size() <= kLargeBody) {
      command(parts, request, responder);
    } else {
      slow(std::move(request), std::move(responder));
    }
  };
}

} // namespace

Api::Api(engine::Engine& engine, store::Reader& reader, Clock& clock, Options options)
    : parts_(std::make_shared<Parts>(engine, reader, clock, std::move(options))) {}

Api::~Api() { parts_->pool.stop(); }

net::Handler Api::handler() const {
  std::vector<net::Route> routes;
  for (const auto& line : kRoutes) {
    auto handler =
        std::visit([&](const auto& action) { return handler_of(parts_, action); }, line.action);
    routes.push_back({std::string(line.method), std::string(line.pattern), std::move(handler)});
  }
  return [router = std::make_shared<net::Router>(std::move(routes))](net::Request request,
                                                                     net::Responder responder) {
    if (is_same_origin(request)) {
      (*router)(std::move(request), responder);
    } else {
      responder.send(cross_origin());
    }
  };
}

std::vector<RouteName> route_names() {
  std::vector<RouteName> names;
  for (const auto& line : kRoutes)
    names.push_back({line.method, line.pattern});
  return names;
}

} // namespace perdure::api
