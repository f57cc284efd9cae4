// deploy and start.
#include <utility>

#include "cli/commands.h"
#include "cli/deployment.h"
#include "cli/file.h"
#include "cli/text_table.h"

namespace perdure::cli {

Outcome<Value> deploy_file(ApiClient& api, const std::string& path) {
  const auto source = read_file(path);
  if (!source) return std::unexpected(to_failure(source.error()));
  return api.upload("/process-definitions/deploy", {{"resource_name", file_name(path)}}, *source,
                    "application/xml");
}

Outcome<Value> start_instance(ApiClient& api, const StartCommand& command) {
  Object body{{"process_def_id", command.process}, {"variables", command.variables}};
  if (command.business_key) body.append("business_key", *command.business_key);
  if (command.start_node) body.append("start_node_id", *command.start_node);
  net::Fields headers;
  if (command.idempotency_key) headers.emplace_back("Idempotency-Key", *command.idempotency_key);
  return api.post("/process-instances", std::move(body), std::move(headers));
}

void tell_warnings(const Value& deployed, Output& output) {
  for (const auto& warning : list_of(deployed, "warnings")) {
    output.complain("warning: " + printable(text_of(warning, "file")) + ":" +
                    std::to_string(int_of(warning, "line")) + ": " +
                    printable(text_of(warning, "message")));
  }
}

ExitCode deploy(const DeployCommand& command, ApiClient& api, Output& output) {
  ExitCode code = ExitCode::ok;
  Array definitions;
  TextTable table({{"ID"}, {"PROCESS"}, {"VERSION", Align::right}, {"NAME"}, {"FILE"}});
  for (const auto& path : command.files) {
    const auto deployed = deploy_file(api, path);
    if (!deployed) { // the other files are still deployed: each stands for itself
      code = report(output, deployed.error());
      continue;
    }
    tell_warnings(*deployed, output);
    for (const auto& definition : list_of(*deployed, "definitions")) {
      table.add({text_of(definition, "id"), text_of(definition, "process_id"),
                 std::to_string(int_of(definition, "version")), text_of(definition, "name"),
                 text_of(definition, "resource_name")});
      definitions.push_back(definition);
    }
  }
  if (output.json()) {
    if (code == ExitCode::ok) output.print_json(Object{{"definitions", std::move(definitions)}});
  } else if (!table.empty()) {
    output.print(table.text());
  }
  return code;
}

ExitCode start(const StartCommand& command, ApiClient& api, Output& output) {
  const auto started = start_instance(api, command);
  if (!started) return report(output, started.error());
  if (output.json()) {
    output.print_json(*started);
  } else {
    output.print(text_of(*started, "id") + "\n");
  }
  return ExitCode::ok;
}

} // namespace perdure::cli
