#include "cli/step_lines.h"

#include <map>
#include <vector>

#include "cli/api_client.h"
#include "cli/text_table.h"
#include "cli/time_text.h"

namespace perdure::cli {

namespace {

std::string words(std::string text) {
  for (char& c : text) {
    if (c == '_') c = ' ';
  }
  return text;
}

/// What an open step waits for, seen from its type.
std::string waiting_text(const Value& step) {
  const std::string status = text_of(step, "status");
  const std::string type = text_of(step, "type");
  if (status == "pending") {
    return int_of(step, "attempt_count") > 0 ? "waits for its next attempt" : "waits for a worker";
  }
  if (status == "waiting" && type == "user_task") return "waits for a person";
  if (status == "waiting" && type == "sleep") return "waits for its time";
  return words(status);
}

std::string attempts_text(const Value& step) {
  const auto count = int_of(step, "attempt_count");
  return count > 1 ? " after " + std::to_string(count) + " attempts" : "";
}

} // namespace

std::string status_mark(const Value& step) {
  const std::string status = text_of(step, "status");
  if (status == "completed") return "[x]";
  if (status == "failed") return "[!]";
  if (status == "cancelled") return "[-]";
  return status == "running" ? "[>]" : "[ ]";
}

std::optional<Duration> step_duration(const Value& step) {
  auto from = parse_instant(text_of(step, "started_at"));
  if (!from) from = parse_instant(text_of(step, "created_at"));
  const auto to = parse_instant(text_of(step, "completed_at"));
  if (!from || !to) return std::nullopt;
  return *to - *from;
}

std::string step_name(const Value& step) {
  std::string name = text_of(step, "name");
  if (name.empty()) name = text_of(step, "node_id");
  const std::string slug = text_of(step, "slug");
  const auto visit = slug.rfind('#');
  if (visit != std::string::npos) name += " " + slug.substr(visit);
  return name;
}

std::string step_line(const Value& step) {
  std::string line = printable(step_name(step)) + ": ";
  const std::string status = text_of(step, "status");
  if (status == "completed" || status == "failed" || status == "cancelled") {
    line += status + attempts_text(step);
    if (const auto duration = step_duration(step)) line += " in " + duration_text(*duration);
  } else {
    line += waiting_text(step);
    if (status == "running" && int_of(step, "attempt_count") > 1) {
      line += ", attempt " + std::to_string(int_of(step, "attempt_count"));
    }
  }
  const std::string error = text_of(step, "error_message");
  if (!error.empty() && status != "completed") line += " (" + printable(error) + ")";
  return line;
}

std::string step_tree(const Array& steps) {
  std::map<std::string, std::size_t> depths;
  std::string text;
  for (const auto& step : steps) {
    const std::string parent = text_of(step, "parent_step_id");
    const auto found = depths.find(parent);
    const std::size_t depth = found != depths.end() ? found->second + 1 : 0;
    depths[text_of(step, "id")] = depth;
    text += std::string(2 + 2 * depth, ' ') + status_mark(step) + " " + step_line(step) + "\n";
  }
  return text;
}

std::string step_table(const Array& steps) {
  TextTable table({{"STEP"},
                   {"TYPE"},
                   {"STATUS"},
                   {"ATTEMPTS", Align::right},
                   {"DURATION", Align::right},
                   {"ERROR"}});
  for (const auto& step : steps) {
    const auto duration = step_duration(step);
    const auto attempts = int_of(step, "attempt_count");
    table.add({step_name(step), words(text_of(step, "type")), text_of(step, "status"),
               attempts > 0 ? std::to_string(attempts) : "-",
               duration ? duration_text(*duration) : "-",
               shortened(text_of(step, "error_message"), 60)});
  }
  return table.text();
}

} // namespace perdure::cli
