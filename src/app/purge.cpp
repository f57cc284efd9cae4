#include "app/purge.h"

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "app/assembly.h"
#include "app/maintenance.h"
#include "app/session.h"
#include "cli/api_client.h"
#include "cli/text_table.h"
#include "store/sqlite/sqlite.h"

namespace perdure::app {

namespace {

using cli::ExitCode;

constexpr std::int64_t kPage = 500;
constexpr std::int64_t kMostFacts = 20'000; ///< of one transaction

/// What goes of one definition.
struct Share {
  std::string process_id;
  std::int64_t version = 0;
  std::int64_t instances = 0;
  std::map<std::string, std::int64_t> rows; ///< by table
};

/// Gathers what goes, page by page, and lets it go unless the run is dry.
class Purge {
public:
  /// Without a store nothing is removed.
  Purge(store::Reader& reader, store::Store* store, engine::RetentionPolicy policy, Instant now)
      : reader_(reader), store_(store), policy_(std::move(policy)), now_(now) {}

  Result<void> run() {
    store::Page page{.limit = kPage, .after = std::nullopt};
    for (;;) {
      const auto ages = reader_.instance_ages(page);
      if (!ages) return std::unexpected(ages.error());
      if (auto done = take(*ages); !done) return done;
      if (std::ssize(*ages) < kPage) return {};
      page.after = ages->back().id;
    }
  }

  [[nodiscard]] const std::map<Key, Share>& shares() const { return shares_; }

private:
  Result<void> take(const std::vector<store::InstanceAge>& ages) {
    const auto over = engine::expired(policy_, ages, now_);
    std::map<Key, std::vector<Key>> by_definition;
    std::size_t next = 0;
    for (const auto& age : ages) {
      if (next == over.size() || over[next].id != age.id) continue;
      by_definition[age.definition_id].push_back(age.id);
      ++next;
    }
    for (const auto& [definition_id, ids] : by_definition) {
      if (auto counted = count(definition_id, ids); !counted) return counted;
    }
    if (store_ == nullptr) return {};
    for (std::span<const store::ExpiredInstance> rest = over; !rest.empty();) {
      const auto part = engine::portion(rest, kPage, kMostFacts);
      const auto purged = store_->purge(part, now_);
      if (!purged) return std::unexpected(purged.error());
      if (purged->busy) {
        return fail(ErrorCode::unavailable,
                    "Another node removes instances at the moment; try again later.");
      }
      rest = rest.subspan(part.size());
    }
    return {};
  }

  Result<void> count(Key definition_id, const std::vector<Key>& ids) {
    auto& share = shares_[definition_id];
    if (share.instances == 0) {
      const auto definition = reader_.definition(definition_id);
      if (!definition) return std::unexpected(definition.error());
      if (*definition) {
        share.process_id = (*definition)->process_id;
        share.version = (*definition)->version;
      }
    }
    const auto counts = reader_.purge_counts(ids);
    if (!counts) return std::unexpected(counts.error());
    share.instances += std::ssize(ids);
    for (const auto& [table, rows] : *counts)
      share.rows[table] += rows;
    return {};
  }

  store::Reader& reader_;
  store::Store* store_;
  const engine::RetentionPolicy policy_;
  const Instant now_;
  std::map<Key, Share> shares_;
};

/// What the command says wins over the configuration.
Result<engine::RetentionPolicy> policy_of(const cli::PurgeCommand& command, const Config& config,
                                          Instant now) {
  auto policy = config.retention;
  std::optional<engine::RetentionPolicy::Time> time;
  if (command.older_than) {
    const auto parsed = engine::parse_retention(*command.older_than);
    if (!parsed) return std::unexpected(parsed.error());
    time = *parsed;
  } else if (command.before) {
    const auto before = parse_instant(*command.before);
    if (!before) return std::unexpected(before.error());
    if (*before > now) {
      return fail(ErrorCode::invalid_input,
                  "\"" + *command.before + "\" is to come; name a time that is over");
    }
    time = now - *before;
  }
  if (time) policy = {.standard = *time, .by_process = {}};
  if (command.process) {
    const auto of_process = policy.of(*command.process);
    policy = {.standard = std::nullopt, .by_process = {{*command.process, of_process}}};
  }
  return policy;
}

/// The parts of a database that a purge needs. `lock` ends last.
struct Opened {
  std::optional<store::sqlite::OwnerLock> lock;
  std::unique_ptr<store::Store> store; ///< null for a dry run
  std::unique_ptr<store::Reader> reader;
  std::shared_ptr<Clock> clock; ///< the database's, when it has one
};

Result<Opened> open(const Config& config, bool dry_run, const Clock& clock) {
  Opened opened;
  if (!config.database.empty()) {
    auto database = store::postgres::open({.url = config.database,
                                           .schema = config.schema,
                                           .migrate = store::postgres::Migrate::refuse,
                                           .node_name = "perdure maintenance"});
    if (!database) return std::unexpected(database.error());
    opened.store = std::move(database->store);
    opened.reader = std::move(database->reader);
    opened.clock = std::move(database->clock);
  } else {
    const auto path = store::sqlite::database_path(config.data);
    if (auto there = require_database(path); !there) return std::unexpected(there.error());
    if (!dry_run) {
      auto lock = store::sqlite::OwnerLock::take(config.data);
      if (!lock) return std::unexpected(lock.error());
      opened.lock = std::move(*lock);
    }
    auto database =
        store::sqlite::open({.path = path, .migrate = store::sqlite::Migrate::refuse}, clock);
    if (!database) return std::unexpected(database.error());
    opened.store = std::move(database->store);
    opened.reader = std::move(database->reader);
  }
  if (dry_run) opened.store.reset();
  return opened;
}

std::int64_t rows_of(const Share& share) {
  std::int64_t rows = 0;
  for (const auto& [table, count] : share.rows)
    rows += count;
  return rows;
}

Value to_value(const std::map<Key, Share>& shares, bool dry_run) {
  Array items;
  for (const auto& [definition_id, share] : shares) {
    Object tables;
    for (const auto& [table, count] : share.rows)
      tables.set(table, count);
    items.push_back(Object{{"definition_id", key_text(definition_id)},
                           {"process_id", share.process_id},
                           {"version", share.version},
                           {"instances", share.instances},
                           {"rows", std::move(tables)}});
  }
  return Object{{"dry_run", dry_run}, {"items", std::move(items)}};
}

void tell(const std::map<Key, Share>& shares, bool dry_run, cli::Output& output) {
  cli::TextTable table(
      {{"PROCESS"}, {"VERSION", cli::Align::right}, {"TABLE"}, {"ROWS", cli::Align::right}});
  std::int64_t instances = 0;
  std::int64_t rows = 0;
  for (const auto& [definition_id, share] : shares) {
    instances += share.instances;
    rows += rows_of(share);
    for (const auto& [name, count] : share.rows) {
      if (count > 0) {
        table.add({share.process_id, std::to_string(share.version), name, std::to_string(count)});
      }
    }
  }
  if (!table.empty()) output.print(table.text());
  output.print(std::string(dry_run ? "Would remove " : "Removed ") + std::to_string(instances) +
               " instances with " + std::to_string(rows) + " rows.\n");
}

} // namespace

ExitCode run_purge(const cli::PurgeCommand& command, const Config& config,
                   Surroundings& surroundings) {
  auto& output = surroundings.output;
  const auto database = open(config, command.dry_run, surroundings.clock);
  if (!database) return report_unreachable(output, database.error());
  const auto now = database->clock ? database->clock->now() : surroundings.clock.now();
  const auto policy = policy_of(command, config, now);
  if (!policy) {
    output.complain(policy.error().message);
    return ExitCode::usage;
  }
  Purge purge(*database->reader, database->store.get(), *policy, now);
  if (const auto done = purge.run(); !done) return report_unreachable(output, done.error());
  if (output.json())
    output.print_json(to_value(purge.shares(), command.dry_run));
  else
    tell(purge.shares(), command.dry_run, output);
  return ExitCode::ok;
}

} // namespace perdure::app
