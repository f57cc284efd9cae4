#include "app/maintenance.h"

#include <algorithm>
#include <set>
#include <utility>

#include "app/assembly.h"
#include "app/fold_check.h"
#include "app/key_check.h"
#include "app/session.h"
#include "base/digest.h"
#include "cli/api_client.h"
#include "cli/text_table.h"
#include "cli/time_text.h"
#include "engine/deployment_rows.h"
#include "store/postgres/postgres.h"
#include "store/sqlite/sqlite.h"

namespace perdure::app {

namespace {

using cli::ExitCode;

constexpr std::int64_t kPage = 500;
constexpr std::size_t kMostTold = 100; ///< differences; more would hide the first

/// What was looked at, and what is wrong.
struct Finding {
  std::int64_t instances = 0;
  std::int64_t facts = 0;
  std::vector<std::string> schema; ///< of the file, the schema and the definitions
  std::vector<Difference> differences;
};

/// Every model is still the one that was deployed.
Result<void> check_definitions(store::Reader& reader, Finding& finding, Key& highest) {
  store::Page page{.limit = kPage, .after = std::nullopt};
  for (;;) {
    const auto definitions = reader.definitions(page);
    if (!definitions) return std::unexpected(definitions.error());
    for (const auto& definition : *definitions) {
      highest = std::max(highest, definition.id);
      if (!definition.source || sha256_hex(*definition.source) == definition.digest) continue;
      finding.schema.push_back("The source of process definition " + key_text(definition.id) +
                               " is not the one that was deployed: its digest differs.");
    }
    if (std::ssize(*definitions) < kPage) return {};
    page.after = definitions->back().id;
  }
}

Result<void> check_decisions(store::Reader& reader, Finding& finding, Key& highest) {
  store::Page page{.limit = kPage, .after = std::nullopt};
  std::set<Key> seen;
  for (;;) {
    const auto decisions = reader.decisions(page);
    if (!decisions) return std::unexpected(decisions.error());
    for (const auto& decision : *decisions) {
      highest = std::max(highest, decision.id);
      if (!seen.insert(decision.requirements_id).second) continue;
      const auto model = reader.requirements(decision.requirements_id);
      if (!model) return std::unexpected(model.error());
      if (*model && engine::model_digest((*model)->source, (*model)->imports) == (*model)->digest) {
        continue;
      }
      finding.schema.push_back("The source of decision model " +
                               key_text(decision.requirements_id) +
                               " is not the one that was deployed: its digest differs.");
    }
    if (std::ssize(*decisions) < kPage) return {};
    page.after = decisions->back().id;
  }
}

Result<void> check_instances(store::Reader& reader, Finding& finding, Key& highest) {
  store::Page page{.limit = kPage, .after = std::nullopt};
  for (;;) {
    const auto ids = reader.instance_ids(page);
    if (!ids) return std::unexpected(ids.error());
    for (const Key id : *ids) {
      const auto record = reader.record(id);
      if (!record) return std::unexpected(record.error());
      if (!*record) continue; // gone since the list was read
      ++finding.instances;
      highest = std::max(highest, highest_key((*record)->rows));
      finding.facts += static_cast<std::int64_t>((*record)->history.size());
      for (auto& difference : compare_with_fold(**record)) {
        finding.differences.push_back(std::move(difference));
      }
    }
    if (std::ssize(*ids) < kPage) return {};
    page.after = ids->back();
  }
}

/// No key is in use that could be handed out once more. Asked after the walk: keys that were handed
/// out during it are below the next one too.
Result<void> check_keys(store::Reader& reader, Key highest, Finding& finding) {
  const auto next = reader.next_key();
  if (!next) return std::unexpected(next.error());
  if (highest >= *next) {
    finding.schema.push_back("The key " + key_text(highest) +
                             " is in use, but the next one to be " + "handed out is " +
                             key_text(*next) + ": set key_block above it.");
  }
  return {};
}

/// Each remembered command fits the instance that it made or changed, if that is still there.
Result<void> check_idempotency(store::Reader& reader, Finding& finding) {
  store::IdempotencyPage page{.limit = kPage, .after_key = {}, .after_tenant_id = {}};
  for (;;) {
    const auto records = reader.idempotency_records(page);
    if (!records) return std::unexpected(records.error());
    for (const auto& record : *records) {
      const auto id = instance_of(record);
      const auto instance =
          id ? reader.instance(*id) : Result<std::optional<facts::ProcessInstance>>();
      if (!instance) return std::unexpected(instance.error());
      if (auto wrong = wrong_record(record, *instance)) finding.schema.push_back(std::move(*wrong));
    }
    if (std::ssize(*records) < kPage) return {};
    page.after_key = records->back().key;
    page.after_tenant_id = records->back().tenant_id;
  }
}

/// All that is beside the schema. Errors are the database's.
Result<void> check_contents(store::Reader& reader, Finding& finding) {
  Key highest = kNoKey;
  if (auto done = check_definitions(reader, finding, highest); !done) return done;
  if (auto done = check_decisions(reader, finding, highest); !done) return done;
  if (auto done = check_instances(reader, finding, highest); !done) return done;
  if (auto done = check_keys(reader, highest, finding); !done) return done;
  return check_idempotency(reader, finding);
}

Object to_value(const Finding& finding) {
  Array schema(finding.schema.begin(), finding.schema.end());
  Array differences;
  for (const auto& difference : finding.differences) {
    differences.push_back(Object{{"instance_id", key_text(difference.instance_id)},
                                 {"table", difference.table},
                                 {"key", difference.key},
                                 {"column", difference.column},
                                 {"stored", difference.stored},
                                 {"folded", difference.folded}});
  }
  return Object{{"instances", finding.instances},
                {"facts", finding.facts},
                {"schema", std::move(schema)},
                {"differences", std::move(differences)}};
}

void tell(const Finding& finding, cli::Output& output) {
  for (const auto& line : finding.schema)
    output.print(cli::printable(line) + "\n");
  const auto told = std::min(finding.differences.size(), kMostTold);
  for (std::size_t i = 0; i < told; ++i) {
    output.print(cli::printable(to_text(finding.differences[i])) + "\n");
  }
  const auto count = finding.schema.size() + finding.differences.size();
  output.print("Checked " + std::to_string(finding.instances) + " instances with " +
               std::to_string(finding.facts) + " facts: " +
               (count == 0   ? "no difference"
                : count == 1 ? "1 difference"
                             : std::to_string(count) + " differences") +
               ".\n");
}

store::postgres::Options postgres_options(const Config& config) {
  return {.url = config.database, .schema = config.schema, .node_name = "perdure maintenance"};
}

std::string place_of(const Config& config) {
  if (!config.database.empty()) return store::postgres::without_password(config.database);
  return store::sqlite::database_path(config.data);
}

Result<std::vector<store::MigrationStatus>> database_status(const Config& config) {
  if (!config.database.empty()) return store::postgres::migration_status(postgres_options(config));
  return store::sqlite::migration_status(store::sqlite::database_path(config.data));
}

Result<std::int64_t> migrate_database(const Config& config, const Clock& clock) {
  if (!config.database.empty()) return store::postgres::migrate(postgres_options(config));
  const auto lock = store::sqlite::OwnerLock::take(config.data);
  if (!lock) return std::unexpected(lock.error());
  return store::sqlite::migrate(store::sqlite::database_path(config.data), clock);
}

Result<std::vector<std::string>> verify_database(const Config& config) {
  if (!config.database.empty()) return store::postgres::verify(postgres_options(config));
  return store::sqlite::verify(store::sqlite::database_path(config.data));
}

} // namespace

ExitCode report_unreachable(cli::Output& output, Error error) {
  if (error.code == ErrorCode::not_found) error.code = ErrorCode::unavailable;
  return cli::report(output, cli::to_failure(error));
}

ExitCode run_migrate(const cli::MigrateCommand& command, const Config& config,
                     Surroundings& surroundings) {
  auto& output = surroundings.output;
  if (command.status) {
    const auto rows = database_status(config);
    if (!rows) return report_unreachable(output, rows.error());
    cli::TextTable table({{"VERSION", cli::Align::right}, {"NAME"}, {"APPLIED"}});
    Array items;
    bool pending = false;
    for (const auto& row : *rows) {
      const auto applied = row.applied_at ? perdure::to_text(*row.applied_at) : "";
      pending = pending || applied.empty();
      table.add({std::to_string(row.version), row.name,
                 applied.empty() ? "pending" : cli::time_text(applied)});
      items.push_back(Object{{"version", row.version},
                             {"name", row.name},
                             {"applied_at", applied.empty() ? Value() : Value(applied)}});
    }
    if (output.json())
      output.print_json(Object{{"items", std::move(items)}});
    else
      output.print(table.text());
    return pending ? ExitCode::difference : ExitCode::ok;
  }
  const auto applied = migrate_database(config, surroundings.clock);
  if (!applied) return report_unreachable(output, applied.error());
  if (output.json())
    output.print_json(Object{{"applied", *applied}});
  else
    output.print("Applied " + std::to_string(*applied) + " migrations to " + place_of(config) +
                 ".\n");
  return ExitCode::ok;
}

ExitCode run_check(const Config& config, Surroundings& surroundings,
                   std::optional<std::int64_t> copied) {
  auto& output = surroundings.output;
  const auto assembly =
      Assembly::open(assembly_options(config, Access::read), surroundings.clock, surroundings.log);
  if (!assembly) return report_unreachable(output, assembly.error());
  Finding finding;
  auto schema = verify_database(config);
  if (!schema) return report_unreachable(output, schema.error());
  finding.schema = std::move(*schema);
  const auto checked = check_contents((*assembly)->reader(), finding);
  if (!checked) return report_unreachable(output, checked.error());
  if (output.json()) {
    auto value = to_value(finding);
    if (copied) value.set("copied_rows", *copied);
    output.print_json(std::move(value));
  } else {
    if (copied) {
      output.print("Copied " + std::to_string(*copied) + " rows to " + place_of(config) + ".\n");
    }
    tell(finding, output);
  }
  return finding.schema.empty() && finding.differences.empty() ? ExitCode::ok
                                                               : ExitCode::difference;
}

} // namespace perdure::app
