// Assembly: one database with its engine, its API and, when asked for, its server. The place where
// the rooms meet; main, demo, run and embedders build on it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/api.h"
#include "base/clock.h"
#include "base/log.h"
#include "engine/engine.h"
#include "net/server.h"
#include "perdure/result.h"
#include "store/commit_guard.h"
#include "store/postgres/node_name.h"
#include "store/postgres/postgres.h"
#include "store/sqlite/counters.h"
#include "store/sqlite/owner_lock.h"
#include "store/store.h"

namespace perdure::app {

enum class Access {
  read,   ///< queries only; works beside whoever runs the engine
  write,  ///< runs the engine; on SQLite nobody else may; the database must exist
  create, ///< the same, and makes the database, or PostgreSQL's schema, when there is none
};

struct AssemblyOptions {
  std::string file;               ///< of the SQLite database
  bool in_memory = false;         ///< the file is the name of a database in memory
  std::string postgres;           ///< URL of a PostgreSQL database to be used instead; empty: none
  std::string schema = "perdure"; ///< in it
  std::string node_name;          ///< among others on that database; empty: one of its own
  Access access = Access::create;
  bool migrate = true; ///< apply pending schema files; else refuse to open while there are any
  bool is_short_lived = false; ///< a command, which takes few keys
  std::size_t handler_threads = 2;
  std::size_t max_body_bytes = 16 * 1024 * 1024;
  std::size_t max_connections = 10'000;
  engine::RetentionPolicy retention;
  api::Limits limits;
  engine::FlowHost::Settings flows;
  /// How long a node may be silent before the others take it for dead. Absent: as engine::Options
  /// says.
  std::optional<Duration> lease;
  /// Called after commits of other nodes, on a thread of its own. May be empty.
  std::function<void()> others_committed;
  /// For tests: sees the commits. With it the clock that is given is the time of PostgreSQL too.
  std::shared_ptr<store::CommitGuard> guard;
};

/// Unavailable when there is no such file.
[[nodiscard]] Result<void> require_database(const std::string& file);

class Assembly {
public:
  /// Opens the database. Clock and log must outlive the assembly. Errors: unavailable when the
  /// database is missing or cannot be used, conflict when another process runs its engine or its
  /// schema is not that of this program.
  [[nodiscard]] static Result<std::unique_ptr<Assembly>> open(const AssemblyOptions& options,
                                                              Clock& clock, Log& log);
  /// Stops as stop() does.
  ~Assembly();
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  [[nodiscard]] engine::Engine& engine() { return *engine_; }
  [[nodiscard]] store::Reader& reader() { return *reader_; }
  /// The database as people call it: its file, or its URL without the password.
  [[nodiscard]] const std::string& place() const { return place_; }
  /// The API without a socket. Commands need a started engine.
  [[nodiscard]] net::Handler handler() const { return api_->handler(); }

  /// Lets the engine work. Not with Access::read.
  [[nodiscard]] Result<void> start();
  /// Serves the API; the URL. The owner's lock tells it to other commands.
  [[nodiscard]] Result<std::string> listen(const std::string& host, std::uint16_t port);
  [[nodiscard]] bool is_listening() const { return server_ != nullptr; }
  /// Answers what is under way, finishes what was accepted, and stops. Idempotent.
  void stop();

private:
  Assembly(AssemblyOptions options, Log& log) : options_(std::move(options)), log_(log) {}
  [[nodiscard]] Result<std::unique_ptr<store::Store>> open_sqlite(Clock& clock);
  [[nodiscard]] Result<std::unique_ptr<store::Store>> open_postgres();
  [[nodiscard]] store::postgres::Options postgres_options() const;
  /// Makes the name of this node one that no other live node has.
  [[nodiscard]] Result<void> settle_node_name();

  AssemblyOptions options_;
  Log& log_;
  std::string place_;
  // In the order in which they depend on each other.
  std::optional<store::sqlite::OwnerLock> lock_;
  store::postgres::Database postgres_; ///< its clock and counters; empty with SQLite
  std::shared_ptr<store::sqlite::Counters> sqlite_counters_; ///< empty with PostgreSQL
  std::unique_ptr<store::Reader> reader_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<api::Api> api_;
  std::unique_ptr<net::Server> server_;
  std::unique_ptr<store::postgres::Watch> watch_;
  std::unique_ptr<store::postgres::NodeName> node_name_; ///< held while this one lives
};

} // namespace perdure::app
