// deploy and start.
#include <utility>

#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/deployment.h"
#include "cli/file.h"
#include "cli/text_table.h"

namespace perdure::cli {

namespace {

/// As it is, whatever its encoding.
Outcome<Value> deploy_file(ApiClient& api, const std::string& path) {
  const auto source = read_file(path);
  if (!source) return std::unexpected(to_failure(source.error()));
  return api.upload("/deployments", {{"resource_name", file_name(path)}}, *source,
                    "application/xml");
}

} // namespace

Outcome<Value> deploy_files(ApiClient& api, const std::vector<std::string>& paths) {
  if (paths.size() == 1) return deploy_file(api, paths.front());
  Array resources;
  for (const auto& path : paths) {
    auto source = read_file(path);
    if (!source) return std::unexpected(to_failure(source.error()));
    if (!utf8::is_valid(*source)) {
      return std::unexpected(to_failure(Error{
          ErrorCode::invalid_input,
          "the file " + path + " is not in UTF-8; save it so to deploy it with others", path}));
    }
    resources.emplace_back(Object{{"name", file_name(path)}, {"content", *std::move(source)}});
  }
  return api.post("/deployments", Object{{"resources", std::move(resources)}});
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
  const auto deployed = deploy_files(api, command.files);
  if (!deployed) return report(output, deployed.error());
  tell_warnings(*deployed, output);
  const auto& definitions = list_of(*deployed, "definitions");
  const auto& decisions = list_of(*deployed, "decisions");
  if (output.json()) {
    output.print_json(Object{{"definitions", definitions}, {"decisions", decisions}});
    return ExitCode::ok;
  }
  TextTable table({{"ID"}, {"KIND"}, {"NAME"}, {"VERSION", Align::right}, {"TITLE"}, {"FILE"}});
  const auto add = [&](const Value& row, const std::string& kind, std::string_view name) {
    table.add({text_of(row, "id"), kind, text_of(row, name), std::to_string(int_of(row, "version")),
               text_of(row, "name"), text_of(row, "resource_name")});
  };
  for (const auto& definition : definitions)
    add(definition, "process", "process_id");
  for (const auto& decision : decisions)
    add(decision, text_of(decision, "kind"), "decision_id");
  output.print(table.text());
  return ExitCode::ok;
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
