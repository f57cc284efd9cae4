// message, signal, conditions, throw-error, throw-escalation: what comes from outside for those who
// wait.
#include <utility>

#include "cli/commands.h"
#include "cli/text_table.h"

namespace perdure::cli {

namespace {

ExitCode tell(const Outcome<Value>& answer, Output& output, const std::string& sentence) {
  if (!answer) return report(output, answer.error());
  if (output.json()) {
    output.print_json(answer->is_null() ? Value(Object{}) : *answer);
  } else {
    output.print(sentence + "\n");
  }
  return ExitCode::ok;
}

std::string fate_of(const std::string& name, const Value& answer) {
  const auto result = text_of(answer, "result");
  if (answer.find("repeated") && *answer.find("repeated") == Value(true)) {
    return "Message " + name + " was received before.";
  }
  if (result == "buffered") return "Message " + name + " is kept: nobody waits for it yet.";
  return "Instance " + text_of(answer, "instance_id") +
         (result == "started" ? " began by message " : " has message ") + name + ".";
}

} // namespace

ExitCode send_message(const MessageCommand& command, ApiClient& api, Output& output) {
  Object body{{"name", command.name}, {"variables", command.variables}};
  if (command.key) body.append("correlation_key", *command.key);
  if (command.message_id) body.append("message_id", *command.message_id);
  if (command.time_to_live_ms) body.append("time_to_live_ms", *command.time_to_live_ms);
  if (command.refuse_ambiguous) body.append("refuse_ambiguous", true);
  if (command.once_per_key) body.append("start_once_per_key", true);
  const auto answer = api.post("/messages", std::move(body));
  return tell(answer, output, answer ? fate_of(command.name, *answer) : "");
}

ExitCode send_signal(const SignalCommand& command, ApiClient& api, Output& output) {
  Object body{{"name", command.name}, {"variables", command.variables}};
  return tell(api.post("/signals", std::move(body)), output,
              "Signal " + command.name + " is on its way.");
}

ExitCode offer_conditions(const ConditionsCommand& command, ApiClient& api, Output& output) {
  Object body{{"variables", command.variables}};
  if (command.business_key) body.append("business_key", *command.business_key);
  net::Fields headers;
  if (command.idempotency_key) headers.emplace_back("Idempotency-Key", *command.idempotency_key);
  const auto answer = api.post("/conditions", std::move(body), std::move(headers));
  std::string lines;
  if (answer) {
    for (const auto& item : list_of(*answer, "items")) {
      if (!lines.empty()) lines += "\n";
      lines += "Instance " + text_of(item, "instance_id") + " of " +
               printable(text_of(item, "process_id")) + " begins at " +
               printable(text_of(item, "start_node_id")) + ".";
    }
  }
  return tell(answer, output, lines.empty() ? "No process has a condition that holds." : lines);
}

ExitCode throw_event(const ThrowCommand& command, ApiClient& api, Output& output) {
  Object body{
      {"worker_id", command.worker}, {"code", command.code}, {"variables", command.variables}};
  if (command.message) body.append("message", *command.message);
  const auto id = key_text(command.task_id);
  return tell(api.post("/external-tasks/" + id + (command.is_error ? "/bpmn-error" : "/escalation"),
                       std::move(body)),
              output,
              (command.is_error ? "Error " : "Escalation ") + command.code +
                  " is reported for task " + id + ".");
}

} // namespace perdure::cli
