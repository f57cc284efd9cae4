// ps, show, history: instances and what happened in them.
#include <utility>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/step_lines.h"
#include "cli/text_table.h"
#include "cli/time_text.h"

namespace perdure::cli {

namespace {

std::string instance_path(Key id) { return "/process-instances/" + key_text(id); }

std::string lifetime(const Value& instance) {
  const auto from = parse_instant(text_of(instance, "created_at"));
  const auto to = parse_instant(text_of(instance, "ended_at"));
  return from && to ? duration_text(*to - *from) : "-";
}

/// "running", or what it is as well: "running, 2 incidents".
std::string status_text(const Value& instance) {
  const auto count = int_of(instance, "incident_count");
  if (count == 0) return text_of(instance, "status");
  return text_of(instance, "status") + ", " + std::to_string(count) +
         (count == 1 ? " incident" : " incidents");
}

std::string instance_text(const Value& instance) {
  std::string text = "Instance " + text_of(instance, "id") + " of " +
                     printable(text_of(instance, "process_id")) + ": " + status_text(instance) +
                     "\n";
  const auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += "  " + std::string(name) + printable(value) + "\n";
  };
  line("business key  ", text_of(instance, "business_key"));
  line("called by     ", text_of(instance, "parent_instance_id"));
  line("created       ", time_text(text_of(instance, "created_at")));
  line("ended         ", time_text(text_of(instance, "ended_at")));
  line("reason        ", text_of(instance, "end_reason"));
  return text;
}

std::string variables_text(const Value* variables) {
  const auto* object = variables != nullptr ? variables->as<Object>() : nullptr;
  if (object == nullptr || object->empty()) return {};
  std::string text = "\nVariables\n";
  for (const auto& [name, value] : *object) {
    text += "  " + printable(name) + " = " + shortened(json::write(value), 200) + "\n";
  }
  return text;
}

std::string waiting_text(const Array& tokens) {
  std::string text;
  for (const auto& token : tokens) {
    const std::string reason = text_of(token, "waiting_for");
    if (reason.empty()) continue;
    text += "  " + printable(text_of(token, "node_id")) + ": " + printable(reason) + "\n";
  }
  return text.empty() ? text : "\nWaiting\n" + text;
}

/// Why nulls came about, each with its place.
std::string warnings_text(const Value& details) {
  std::string text;
  for (const auto& warning : list_of(details, "warnings")) {
    auto place = "column " + std::to_string(int_of(warning, "column"));
    if (const auto element = text_of(warning, "element"); !element.empty()) {
      place += " in " + element + ", " + text_of(warning, "file") + ":" +
               std::to_string(int_of(warning, "line"));
    }
    text +=
        "    warning     " + printable(place) + ": " + printable(text_of(warning, "reason")) + "\n";
  }
  return text;
}

/// What was evaluated, what it saw and what it noticed, when the incident is about expressions.
std::string evaluation_text(const Value* details) {
  if (details == nullptr) return {};
  std::string text;
  if (const auto expression = text_of(*details, "expression"); !expression.empty()) {
    text += "    expression  " + shortened(printable(expression), 200) + "\n";
  }
  const auto* values = details->find("values");
  const Object none;
  const auto* object = values != nullptr ? values->as<Object>() : nullptr;
  for (const auto& [name, value] : object != nullptr ? *object : none) {
    text +=
        "    with        " + printable(name) + " = " + shortened(json::write(value), 200) + "\n";
  }
  text += warnings_text(*details);
  for (const auto& condition : list_of(*details, "conditions"))
    text += evaluation_text(&condition);
  return text;
}

std::string incidents_text(const Array& incidents) {
  std::string text;
  for (const auto& incident : incidents) {
    if (text_of(incident, "state") != "open") continue;
    text += "  " + text_of(incident, "id") + " at " + printable(text_of(incident, "node_id")) +
            ", " + text_of(incident, "kind") + ": " + printable(text_of(incident, "message")) +
            "\n" + evaluation_text(incident.find("details"));
  }
  return text.empty() ? text : "\nOpen incidents\n" + text;
}

/// One line of a fact: its payload without the members that are null.
std::string payload_text(const Value* payload) {
  const auto* object = payload != nullptr ? payload->as<Object>() : nullptr;
  if (object == nullptr) return {};
  std::string text;
  for (const auto& [name, value] : *object) {
    if (value.is_null()) continue;
    if (!text.empty()) text += " ";
    const auto* plain = value.as<std::string>();
    text += name + "=" + (plain != nullptr ? *plain : json::write(value));
  }
  return text;
}

} // namespace

ExitCode list_instances(const ListInstancesCommand& command, ApiClient& api, Output& output) {
  const auto answer =
      api.get("/process-instances",
              {{"process_id", command.process.value_or("")},
               {"status", command.status.value_or("")},
               {"business_key", command.business_key.value_or("")},
               {"incidents", command.incidents ? "true" : ""},
               {"parent_instance_id", command.parent_id ? key_text(*command.parent_id) : ""},
               {"limit", std::to_string(command.limit)}});
  if (!answer) return report(output, answer.error());
  if (output.json()) {
    output.print_json(*answer);
    return ExitCode::ok;
  }
  TextTable table(
      {{"ID"}, {"PROCESS"}, {"BUSINESS KEY"}, {"STATUS"}, {"CREATED"}, {"DURATION", Align::right}});
  for (const auto& instance : list_of(*answer, "items")) {
    table.add({text_of(instance, "id"), text_of(instance, "process_id"),
               text_of(instance, "business_key"), status_text(instance),
               time_text(text_of(instance, "created_at")), lifetime(instance)});
  }
  output.print(table.text());
  return ExitCode::ok;
}

ExitCode show(const ShowCommand& command, ApiClient& api, Output& output) {
  const std::string path = instance_path(command.instance_id);
  auto instance = api.get(path);
  if (!instance) return report(output, instance.error());
  auto steps = api.get(path + "/steps", {{"limit", std::to_string(command.limit)},
                                         {"after", std::to_string(command.after)}});
  if (!steps) return report(output, steps.error());
  const auto next = text_of(*steps, "next_after");
  if (output.json()) {
    output.print_json(Object{{"instance", std::move(*instance)},
                             {"steps", list_of(*steps, "items")},
                             {"next_after", next.empty() ? Value() : Value(next)}});
    return ExitCode::ok;
  }
  std::string text = instance_text(*instance);
  if (!list_of(*steps, "items").empty()) text += "\n" + step_table(list_of(*steps, "items"));
  if (!next.empty()) text += "More steps: --after " + next + "\n";
  output.print(text + waiting_text(list_of(*instance, "tokens")) +
               incidents_text(list_of(*instance, "incidents")) +
               variables_text(instance->find("variables")));
  return ExitCode::ok;
}

ExitCode history(const HistoryCommand& command, ApiClient& api, Output& output) {
  const auto events = api.get_all(instance_path(command.instance_id) + "/history");
  if (!events) return report(output, events.error());
  if (output.json()) {
    output.print_json(Object{{"items", *events}});
    return ExitCode::ok;
  }
  TextTable table({{"SEQUENCE", Align::right}, {"TIME"}, {"FACT"}, {"DETAILS"}});
  for (const auto& event : *events) {
    table.add({std::to_string(int_of(event, "sequence")), text_of(event, "occurred_at"),
               text_of(event, "event_type"), shortened(payload_text(event.find("payload")), 160)});
  }
  output.print(table.text());
  return ExitCode::ok;
}

} // namespace perdure::cli
