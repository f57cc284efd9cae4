// tasks, complete, retry, cancel: work that waits, and what a person can do about it.
#include <cstdlib>
#include <utility>

#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/text_table.h"
#include "cli/time_text.h"

namespace perdure::cli {

namespace {

/// Adds who does it, for the audit: the name that the user is logged in with.
Object with_actor(Object body) {
  const char* user = std::getenv("USER");
  if (user != nullptr && *user != '\0' && utf8::is_valid(user)) body.append("actor", user);
  return body;
}

ExitCode done(const Outcome<Value>& answer, Output& output, const std::string& sentence) {
  if (!answer) return report(output, answer.error());
  if (output.json()) {
    output.print_json(answer->is_null() ? Value(Object{}) : *answer);
  } else {
    output.print(sentence + "\n");
  }
  return ExitCode::ok;
}

} // namespace

ExitCode list_tasks(const ListTasksCommand& command, ApiClient& api, Output& output) {
  const auto answer =
      api.get("/tasks", {{"type", command.kind.value_or("")},
                         {"instance_id", command.instance_id ? key_text(*command.instance_id) : ""},
                         {"limit", std::to_string(command.limit)}});
  if (!answer) return report(output, answer.error());
  if (output.json()) {
    output.print_json(*answer);
    return ExitCode::ok;
  }
  TextTable table({{"ID"}, {"TYPE"}, {"TASK"}, {"FOR"}, {"STATE"}, {"INSTANCE"}, {"CREATED"}});
  for (const auto& task : list_of(*answer, "items")) {
    const bool external = text_of(task, "type") == "external";
    const std::string name = text_of(task, "name");
    table.add({text_of(task, "id"), text_of(task, "type"),
               name.empty() ? text_of(task, "node_id") : name,
               text_of(task, external ? "task_type" : "assignee"), text_of(task, "state"),
               text_of(task, "instance_id"), time_text(text_of(task, "created_at"))});
  }
  output.print(table.text());
  return ExitCode::ok;
}

ExitCode complete(const CompleteCommand& command, ApiClient& api, Output& output) {
  const std::string id = key_text(command.task_id);
  const auto answer =
      api.post("/tasks/" + id + "/complete", with_actor({{"variables", command.variables}}));
  return done(answer, output, "Task " + id + " is completed.");
}

ExitCode retry(const RetryCommand& command, ApiClient& api, Output& output) {
  const std::string id = key_text(command.incident_id.value_or(command.instance_id.value_or(0)));
  const std::string place = command.incident_id ? "/incidents/" : "/process-instances/";
  const auto answer =
      api.post(place + id + "/retry",
               with_actor({{"retries", command.retries}, {"variables", command.variables}}));
  return done(answer, output,
              (command.incident_id ? "Incident " : "Instance ") + id + " tries again.");
}

ExitCode cancel(const CancelCommand& command, ApiClient& api, Output& output) {
  const std::string id = key_text(command.instance_id);
  Object body;
  if (command.reason) body.append("reason", *command.reason);
  const auto answer = api.post("/process-instances/" + id + "/cancel", with_actor(std::move(body)));
  return done(answer, output, "Instance " + id + " is cancelled.");
}

} // namespace perdure::cli
