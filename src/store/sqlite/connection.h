// Connection: one open database file with the settings that Perdure relies on, and its prepared
// statements.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "perdure/result.h"
#include "store/sql.h"
#include "store/sqlite/counters.h"
#include "store/sqlite/statement.h"

namespace perdure::store::sqlite {

/// full: an acknowledged write survives a power cut. normal: it survives the end of the process; a
/// power cut may take the last ones, never the database.
enum class Synchronous { full, normal };

struct ConnectionOptions {
  std::string path;
  bool in_memory = false; ///< as sqlite::Options says
  bool read_only = false;
  Synchronous synchronous = Synchronous::full;
  std::shared_ptr<Counters> counters; ///< may be null
};

/// Not thread-safe: one thread at a time.
class Connection {
public:
  [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const ConnectionOptions& options);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// The query, prepared once and kept. Do not run it again while it is being read.
  [[nodiscard]] Statement& statement(const sql::Query& query);
  /// Runs all statements of a script.
  [[nodiscard]] Result<void> script(std::string_view text);
  /// Moves the log into the database and empties its file, as far as readers allow.
  void checkpoint();
  /// From now on what another connection holds is not waited for.
  void end_waiting();
  /// Whether a transaction is open; SQLite ends one by itself when the disk fails.
  [[nodiscard]] bool in_transaction() const;
  [[nodiscard]] sqlite3* handle() const { return database_; }
  [[nodiscard]] Counters& counters() { return *counters_; }

private:
  explicit Connection(const ConnectionOptions& options);
  [[nodiscard]] Result<void> set_up(const ConnectionOptions& options);

  sqlite3* database_ = nullptr;
  std::shared_ptr<Counters> counters_;
  std::unordered_map<std::string_view, std::unique_ptr<Statement>> statements_; ///< by query name
};

/// A transaction that is rolled back unless it was committed.
class Transaction {
public:
  enum class Kind { write, read };

  /// A write transaction takes the write lock at once.
  [[nodiscard]] static Result<Transaction> begin(Connection& connection, Kind kind);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  [[nodiscard]] Result<void> commit();

private:
  explicit Transaction(Connection& connection) : connection_(&connection) {}

  Connection* connection_; ///< null: over
};

} // namespace perdure::store::sqlite
