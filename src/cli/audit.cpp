// audit: what operators did.
#include "base/json.h"
#include "cli/commands.h"
#include "cli/text_table.h"
#include "cli/time_text.h"

namespace perdure::cli {

ExitCode list_audit(const AuditCommand& command, ApiClient& api, Output& output) {
  const auto answer =
      api.get("/audit", {{"instance_id", command.instance_id ? key_text(*command.instance_id) : ""},
                         {"actor", command.actor.value_or("")},
                         {"action", command.action.value_or("")},
                         {"limit", std::to_string(command.limit)}});
  if (!answer) return report(output, answer.error());
  if (output.json()) {
    output.print_json(*answer);
    return ExitCode::ok;
  }
  TextTable table({{"WHEN"}, {"ACTOR"}, {"ACTION"}, {"INSTANCE"}, {"DETAILS"}});
  for (const auto& entry : list_of(*answer, "items")) {
    const auto* details = entry.find("details");
    table.add({time_text(text_of(entry, "occurred_at")), text_of(entry, "actor"),
               text_of(entry, "action"), text_of(entry, "instance_id"),
               details ? json::write(*details) : ""});
  }
  output.print(table.text());
  return ExitCode::ok;
}

} // namespace perdure::cli
