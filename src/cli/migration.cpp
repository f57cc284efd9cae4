// migrate-instance, migrate-instances: instances go on with another version of their process.
#include <utility>

#include "cli/commands.h"
#include "cli/deed.h"
#include "cli/text_table.h"

namespace perdure::cli {

namespace {

Object body_of(const MigrationTarget& target) {
  Object body{{"mapping", target.mapping}, {"dry_run", target.dry_run}};
  if (target.version) body.append("version", *target.version);
  if (target.definition_id) body.append("definition_id", key_text(*target.definition_id));
  return with_actor(std::move(body));
}

/// The key of that version; nullopt when there is none.
Outcome<std::optional<std::string>> version_of(const std::string& process_id, std::int64_t version,
                                               ApiClient& api) {
  const auto definitions = api.get_all("/process-definitions");
  if (!definitions) return std::unexpected(definitions.error());
  for (const auto& definition : *definitions) {
    if (text_of(definition, "process_id") == process_id &&
        int_of(definition, "version") == version) {
      return text_of(definition, "id");
    }
  }
  return std::nullopt;
}

/// What became of all portions so far.
struct Report {
  std::int64_t migrated = 0;
  Array refused;
};

/// Portions of one status, until none is left.
Outcome<void> migrate_all(const std::string& definition_id, const MigrationTarget& target,
                          bool paused, ApiClient& api, Report& report) {
  std::string after;
  for (;;) {
    auto body = body_of(target);
    body.append("paused", paused);
    if (!after.empty()) body.append("after", after);
    const auto answer =
        api.post("/process-definitions/" + definition_id + "/migrate", std::move(body));
    if (!answer) return std::unexpected(answer.error());
    report.migrated += std::ssize(list_of(*answer, "migrated"));
    for (const auto& refused : list_of(*answer, "refused"))
      report.refused.push_back(refused);
    after = text_of(*answer, "next_after");
    if (after.empty()) return {};
  }
}

} // namespace

ExitCode migrate_instance(const MigrateInstanceCommand& command, ApiClient& api, Output& output) {
  const std::string id = key_text(command.instance_id);
  const auto answer = api.post("/process-instances/" + id + "/migrate", body_of(command.target));
  if (!answer || output.json() || !command.target.dry_run) {
    return report_deed(answer, output, "Instance " + id + " goes on with the other version.");
  }
  return print_facts_to_be(*answer, output);
}

ExitCode migrate_instances(const MigrateInstancesCommand& command, ApiClient& api, Output& output) {
  const auto definition = version_of(command.process_id, command.from_version, api);
  if (!definition) return report(output, definition.error());
  if (!*definition) {
    output.complain("There is no version " + std::to_string(command.from_version) +
                    " of the process \"" + command.process_id +
                    "\"; name one that has been deployed.");
    return ExitCode::not_found;
  }
  Report total;
  for (const bool paused : {false, true}) {
    const auto done = migrate_all(**definition, command.target, paused, api, total);
    if (!done) return report(output, done.error());
  }
  if (output.json()) {
    output.print_json(Object{{"migrated", total.migrated}, {"refused", total.refused}});
  } else {
    TextTable table({{"REFUSED"}, {"REASON"}});
    for (const auto& refused : total.refused)
      table.add({text_of(refused, "instance_id"), text_of(refused, "detail")});
    const std::string verb = command.target.dry_run ? " could go on" : " go on";
    output.print(std::to_string(total.migrated) + " instances" + verb +
                 " with the other version; " + std::to_string(total.refused.size()) +
                 " are refused.\n" + (total.refused.empty() ? "" : table.text()));
  }
  return total.refused.empty() ? ExitCode::ok : ExitCode::failed;
}

} // namespace perdure::cli
