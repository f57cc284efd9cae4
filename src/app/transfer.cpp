#include "app/transfer.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/maintenance.h"
#include "cli/api_client.h"
#include "store/copy.h"
#include "store/postgres/copy.h"
#include "store/postgres/postgres.h"
#include "store/sqlite/copy.h"
#include "store/sqlite/owner_lock.h"
#include "store/sqlite/sqlite.h"

namespace perdure::app {

namespace {

using cli::ExitCode;
using store::CopySource;
using store::CopyTarget;
using store::sqlite::OwnerLock;

store::postgres::Options postgres_options(const Config& config) {
  return {.url = config.database, .schema = config.schema, .node_name = "perdure maintenance"};
}

/// The configuration with another database.
Result<Config> at(const Config& config, const std::string& database) {
  auto other = config;
  other.database = database;
  if (auto named = read_database(other); !named) return std::unexpected(named.error());
  return other;
}

/// Copies rows from a source into what the configuration names; how many.
Result<std::int64_t> copy(CopySource& source, const Config& target, const Clock& clock) {
  const auto tables = store::sqlite::copy_tables();
  if (!tables) return std::unexpected(tables.error());
  std::int64_t rows = 0;
  const auto fill = [&](CopyTarget& empty) -> Result<void> {
    const auto copied = store::copy_database(source, empty, *tables);
    if (!copied) return std::unexpected(copied.error());
    rows = *copied;
    return {};
  };
  const auto done =
      target.database.empty()
          ? store::sqlite::make_file(store::sqlite::database_path(target.data), clock, fill)
          : store::postgres::fill_schema(postgres_options(target), *tables, fill);
  if (!done) return std::unexpected(done.error());
  return rows;
}

/// Nobody may begin to work on the folder meanwhile; nothing for other databases.
Result<std::optional<OwnerLock>> hold(const Config& config) {
  if (!config.database.empty()) return std::nullopt;
  auto lock = OwnerLock::take(config.data);
  if (!lock) return std::unexpected(lock.error());
  return std::optional(std::move(*lock));
}

/// Copies a file into a folder; it may be of an older schema, which is brought up to date.
Result<void> restore_file(const std::string& from, const Config& target, const Clock& clock) {
  const auto path = store::sqlite::database_path(target.data);
  if (auto done = store::sqlite::copy_file(from, path); !done) return done;
  const auto migrated = store::sqlite::migrate(path, clock);
  if (!migrated) return std::unexpected(migrated.error());
  return {};
}

/// A wrong place is wrong usage; what is not empty, or in use, is a refusal.
ExitCode report_copy(cli::Output& output, const Error& error) {
  const auto code = report_unreachable(output, error);
  return error.code == ErrorCode::invalid_input ? ExitCode::usage : code;
}

ExitCode tell_backup(cli::Output& output, const std::string& file) {
  if (output.json())
    output.print_json(Object{{"file", file}});
  else
    output.print("Saved to " + file + ".\n");
  return ExitCode::ok;
}

} // namespace

ExitCode run_backup(const cli::BackupCommand& command, const Config& config,
                    Surroundings& surroundings) {
  auto& output = surroundings.output;
  if (config.database.empty()) {
    const auto saved =
        store::sqlite::copy_file(store::sqlite::database_path(config.data), command.to);
    return saved ? tell_backup(output, command.to) : report_copy(output, saved.error());
  }
  const auto tables = store::sqlite::copy_tables();
  if (!tables) return report_copy(output, tables.error());
  const auto source = store::postgres::copy_source(postgres_options(config));
  if (!source) return report_copy(output, source.error());
  const auto saved = store::sqlite::make_file(
      command.to, surroundings.clock, [&](CopyTarget& target) -> Result<void> {
        const auto copied = store::copy_database(**source, target, *tables);
        return copied ? Result<void>{} : std::unexpected(copied.error());
      });
  return saved ? tell_backup(output, command.to) : report_copy(output, saved.error());
}

ExitCode run_restore(const cli::RestoreCommand& command, const Config& config,
                     Surroundings& surroundings) {
  auto& output = surroundings.output;
  const auto target = at(config, command.to);
  if (!target) return report_copy(output, target.error());
  {
    const auto lock = hold(*target);
    if (!lock) return report_copy(output, lock.error());
    if (target->database.empty()) {
      const auto restored = restore_file(command.from, *target, surroundings.clock);
      if (!restored) return report_copy(output, restored.error());
    } else {
      const auto source = store::sqlite::copy_source(command.from);
      if (!source) return report_copy(output, source.error());
      const auto copied = copy(**source, *target, surroundings.clock);
      if (!copied) return report_copy(output, copied.error());
    }
  }
  return run_check(*target, surroundings);
}

ExitCode run_transfer(const cli::TransferCommand& command, const Config& config,
                      Surroundings& surroundings) {
  auto& output = surroundings.output;
  const auto from = at(config, command.from);
  if (!from) return report_copy(output, from.error());
  const auto target = at(config, command.to);
  if (!target) return report_copy(output, target.error());
  std::int64_t rows = 0;
  {
    const auto source_lock = hold(*from);
    if (!source_lock) return report_copy(output, source_lock.error());
    const auto target_lock = hold(*target);
    if (!target_lock) return report_copy(output, target_lock.error());
    const auto source = from->database.empty()
                            ? store::sqlite::copy_source(store::sqlite::database_path(from->data))
                            : store::postgres::copy_source(postgres_options(*from));
    if (!source) return report_copy(output, source.error());
    const auto copied = copy(**source, *target, surroundings.clock);
    if (!copied) return report_copy(output, copied.error());
    rows = *copied;
  }
  return run_check(*target, surroundings, rows);
}

} // namespace perdure::app
