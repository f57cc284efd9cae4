// tasks and complete: work that waits.
#include <utility>

#include "cli/commands.h"
#include "cli/deed.h"
#include "cli/text_table.h"
#include "cli/time_text.h"

namespace perdure::cli {

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
  return report_deed(answer, output, "Task " + id + " is completed.");
}

} // namespace perdure::cli
