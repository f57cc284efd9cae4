#include "app/flow_list.h"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/assembly.h"
#include "app/maintenance.h"
#include "app/session.h"
#include "cli/text_table.h"
#include "cli/time_text.h"

namespace perdure::app {

namespace {

using cli::ExitCode;
using facts::InstanceStatus;

constexpr std::size_t kStatuses = enum_names(InstanceStatus{}).size();

/// One version of a flow, and how many runs of it have each status.
struct Line {
  std::string name;
  std::int64_t version = 1;
  std::array<std::int64_t, kStatuses> runs{};
};

std::vector<Line> lines_of(const store::FlowOverview& overview) {
  std::vector<Line> lines;
  for (const auto& count : overview.runs) {
    if (lines.empty() || lines.back().name != count.process_id ||
        lines.back().version != count.version) {
      lines.push_back({.name = count.process_id, .version = count.version});
    }
    if (count.status) lines.back().runs.at(static_cast<std::size_t>(*count.status)) += count.runs;
  }
  return lines;
}

std::string seconds(std::int64_t milliseconds) {
  return milliseconds % 1'000 == 0 ? std::to_string(milliseconds / 1'000) + " s"
                                   : std::to_string(milliseconds) + " ms";
}

std::string text_of(const store::FlowLimit& limit) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (limit.running) add(std::to_string(*limit.running) + " run");
  if (limit.running_per_key) add(std::to_string(*limit.running_per_key) + " run per key");
  if (limit.starts) {
    add(std::to_string(*limit.starts) + " begin in " + seconds(limit.starts_period.value_or(0)));
  }
  if (limit.starts_per_key) {
    add(std::to_string(*limit.starts_per_key) + " begin per key in " +
        seconds(limit.starts_per_key_period.value_or(0)));
  }
  return text;
}

/// Members that are there.
Value value_of(const store::FlowLimit& limit) {
  Object object;
  const auto add = [&](std::string_view name, const std::optional<std::int64_t>& number) {
    if (number) object.append(std::string(name), *number);
  };
  add("running", limit.running);
  add("running_per_key", limit.running_per_key);
  add("starts", limit.starts);
  add("starts_period_ms", limit.starts_period);
  add("starts_per_key", limit.starts_per_key);
  add("starts_per_key_period_ms", limit.starts_per_key_period);
  return object;
}

Value value_of(const store::FlowSchedule& schedule) {
  return Object{
      {"name", schedule.name},
      {"flow", schedule.process_id},
      {"cycle", schedule.cycle},
      {"overlap", std::string(name_of(schedule.overlap))},
      {"misfire", std::string(name_of(schedule.misfire))},
      {"due_at", schedule.due_at ? Value(to_text(*schedule.due_at)) : Value()},
      {"last_run_id",
       schedule.last_instance_id ? Value(key_text(*schedule.last_instance_id)) : Value()}};
}

Value value_of(const store::FlowOverview& overview,
               const std::map<std::string, const store::FlowLimit*>& limits) {
  Array items;
  for (const auto& line : lines_of(overview)) {
    Object runs;
    for (std::size_t i = 0; i < kStatuses; ++i)
      runs.append(std::string(enum_names(InstanceStatus{}).at(i)), line.runs.at(i));
    const auto limit = limits.find(line.name);
    items.push_back(Object{{"flow", line.name},
                           {"version", line.version},
                           {"runs", std::move(runs)},
                           {"limits", limit == limits.end() ? Value() : value_of(*limit->second)}});
  }
  Array schedules;
  for (const auto& schedule : overview.schedules)
    schedules.push_back(value_of(schedule));
  return Object{{"items", std::move(items)}, {"schedules", std::move(schedules)}};
}

std::string text_of(const store::FlowOverview& overview,
                    const std::map<std::string, const store::FlowLimit*>& limits) {
  std::vector<cli::TextTable::Column> columns{{"FLOW"}, {"VERSION", cli::Align::right}};
  for (const auto name : enum_names(InstanceStatus{})) {
    std::string title(name);
    for (auto& letter : title)
      letter = static_cast<char>(letter - 'a' + 'A');
    columns.push_back({std::move(title), cli::Align::right});
  }
  columns.push_back({"LIMITS"});
  cli::TextTable flows(std::move(columns));
  for (const auto& line : lines_of(overview)) {
    std::vector<std::string> cells{line.name, std::to_string(line.version)};
    for (const auto count : line.runs)
      cells.push_back(std::to_string(count));
    const auto limit = limits.find(line.name);
    cells.push_back(limit == limits.end() ? "" : text_of(*limit->second));
    flows.add(std::move(cells));
  }
  if (flows.empty() && overview.schedules.empty()) return "No program has defined a flow here.\n";
  auto text = flows.empty() ? std::string() : flows.text();
  if (overview.schedules.empty()) return text;
  cli::TextTable schedules({{"SCHEDULE"}, {"FLOW"}, {"CYCLE"}, {"OVERLAP"}, {"MISFIRE"}, {"NEXT"}});
  for (const auto& schedule : overview.schedules) {
    schedules.add({schedule.name, schedule.process_id, schedule.cycle,
                   std::string(name_of(schedule.overlap)), std::string(name_of(schedule.misfire)),
                   schedule.due_at ? cli::time_text(to_text(*schedule.due_at)) : "never"});
  }
  return text + (text.empty() ? "" : "\n") + schedules.text();
}

} // namespace

ExitCode run_flow_list(const Config& config, Surroundings& surroundings) {
  auto& output = surroundings.output;
  if (config.server) {
    output.complain("flow list reads the database itself: name it with --data or --database");
    return ExitCode::usage;
  }
  const auto assembly =
      Assembly::open(assembly_options(config, Access::read), surroundings.clock, surroundings.log);
  if (!assembly) return report_unreachable(output, assembly.error());
  const auto overview = (*assembly)->reader().flow_overview();
  if (!overview) return report_unreachable(output, overview.error());
  std::map<std::string, const store::FlowLimit*> limits;
  for (const auto& limit : overview->limits)
    limits.emplace(limit.process_id, &limit);
  if (output.json()) {
    output.print_json(value_of(*overview, limits));
  } else {
    output.print(text_of(*overview, limits));
  }
  return ExitCode::ok;
}

} // namespace perdure::app
