// Handlers: one function for each route, one source file for each noun. routes.cpp names them all.
#pragma once

#include "api/parts.h"

namespace perdure::api {

// process_definitions.cpp
void deploy(const PartsPtr& parts, const net::Request& request, const net::Responder& responder);
net::Response list_definitions(Parts& parts, const net::Request& request);
net::Response get_definition(Parts& parts, const net::Request& request);
net::Response get_definition_xml(Parts& parts, const net::Request& request);

// decision_definitions.cpp
net::Response list_decisions(Parts& parts, const net::Request& request);
net::Response get_decision(Parts& parts, const net::Request& request);
net::Response get_decision_xml(Parts& parts, const net::Request& request);
net::Response evaluate_decision(Parts& parts, const net::Request& request);
net::Response list_evaluations(Parts& parts, const net::Request& request);

// process_instances.cpp
void start_instance(const PartsPtr& parts, const net::Request& request,
                    const net::Responder& responder);
void cancel_instance(const PartsPtr& parts, const net::Request& request,
                     const net::Responder& responder);
net::Response list_instances(Parts& parts, const net::Request& request);
net::Response get_instance(Parts& parts, const net::Request& request);
net::Response get_variables(Parts& parts, const net::Request& request);

// instance_history.cpp
net::Response get_steps(Parts& parts, const net::Request& request);
net::Response get_history(Parts& parts, const net::Request& request);
net::Response get_trace(Parts& parts, const net::Request& request);

// operations.cpp
void pause_instance(const PartsPtr& parts, const net::Request& request,
                    const net::Responder& responder);
void resume_instance(const PartsPtr& parts, const net::Request& request,
                     const net::Responder& responder);
void set_variables(const PartsPtr& parts, const net::Request& request,
                   const net::Responder& responder);
void modify_instance(const PartsPtr& parts, const net::Request& request,
                     const net::Responder& responder);
void migrate_instance(const PartsPtr& parts, const net::Request& request,
                      const net::Responder& responder);
/// Waits for the engine: on a thread of the pool.
void migrate_instances(const PartsPtr& parts, const net::Request& request,
                       const net::Responder& responder);
void restart_instance(const PartsPtr& parts, const net::Request& request,
                      const net::Responder& responder);
void skip_step(const PartsPtr& parts, const net::Request& request, const net::Responder& responder);
void choose_activities(const PartsPtr& parts, const net::Request& request,
                       const net::Responder& responder);

// audit.cpp
net::Response list_audit(Parts& parts, const net::Request& request);

// incidents.cpp
void retry_instance(const PartsPtr& parts, const net::Request& request,
                    const net::Responder& responder);
void retry_incident(const PartsPtr& parts, const net::Request& request,
                    const net::Responder& responder);
net::Response list_incidents(Parts& parts, const net::Request& request);
net::Response list_dead_letters(Parts& parts, const net::Request& request);

// tasks.cpp
net::Response list_tasks(Parts& parts, const net::Request& request);
void complete_task(const PartsPtr& parts, const net::Request& request,
                   const net::Responder& responder);
void escalate_task(const PartsPtr& parts, const net::Request& request,
                   const net::Responder& responder);

// external_tasks.cpp
void fetch_and_lock(const PartsPtr& parts, const net::Request& request,
                    const net::Responder& responder);
void complete_external_task(const PartsPtr& parts, const net::Request& request,
                            const net::Responder& responder);
void fail_external_task(const PartsPtr& parts, const net::Request& request,
                        const net::Responder& responder);
void extend_lock(const PartsPtr& parts, const net::Request& request,
                 const net::Responder& responder);
void release_external_task(const PartsPtr& parts, const net::Request& request,
                           const net::Responder& responder);

void throw_task_error(const PartsPtr& parts, const net::Request& request,
                      const net::Responder& responder);
void throw_task_escalation(const PartsPtr& parts, const net::Request& request,
                           const net::Responder& responder);

// messages.cpp
void send_message(const PartsPtr& parts, const net::Request& request,
                  const net::Responder& responder);
void send_signal(const PartsPtr& parts, const net::Request& request,
                 const net::Responder& responder);
void offer_conditions(const PartsPtr& parts, const net::Request& request,
                      const net::Responder& responder);

// health.cpp
net::Response get_welcome(Parts& parts, const net::Request& request);
net::Response get_livez(Parts& parts, const net::Request& request);
net::Response get_readyz(Parts& parts, const net::Request& request);
net::Response get_metrics(Parts& parts, const net::Request& request);
net::Response get_openapi(Parts& parts, const net::Request& request);

} // namespace perdure::api
