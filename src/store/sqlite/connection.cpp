#include "store/sqlite/connection.h"

#include <sqlite3.h>

#include <utility>

#include "store/sqlite/error.h"

namespace perdure::store::sqlite {

namespace {

constexpr int kBusyTimeoutMs = 5000;
/// Pages of the log (4 KiB each). From the first on (16 MiB) it is copied into the database as far
/// as readers allow; from the second on (64 MiB) its file is emptied too, since readers can keep it
/// growing.
constexpr int kCheckpointPages = 4000;
constexpr int kTruncatePages = 16 * 1024;

/// Settings of the whole program, before its first connection.
void set_up_library() {
  static const bool done = [] {
    // Statistics of memory take a lock at each allocation: a tenth of the writer's work.
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK;
  }();
  static_cast<void>(done); // false: the program that embeds us uses SQLite already
}

/// All connections that name it share one database. Without a log: its commits are never torn.
std::string memory_uri(const std::string& name) { return "file:/" + name + "?vfs=memdb"; }

int after_commit(void*, sqlite3* database, const char* schema, int pages) {
  if (pages >= kTruncatePages) {
    sqlite3_wal_checkpoint_v2(database, schema, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  } else if (pages >= kCheckpointPages) {
    sqlite3_wal_checkpoint_v2(database, schema, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  }
  return SQLITE_OK; // a checkpoint that failed is tried again; the commit itself is safe
}

} // namespace

Connection::Connection(const ConnectionOptions& options)
    : counters_(options.counters ? options.counters : std::make_shared<Counters>()) {}

Connection::~Connection() {
  statements_.clear();
  sqlite3_close_v2(database_);
}

Result<std::unique_ptr<Connection>> Connection::open(const ConnectionOptions& options) {
  set_up_library();
  std::unique_ptr<Connection> connection(new Connection(options));
  const int flags =
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (options.in_memory ? SQLITE_OPEN_URI : 0) |
      (options.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  const auto path = options.in_memory ? memory_uri(options.path) : options.path;
  if (sqlite3_open_v2(path.c_str(), &connection->database_, flags, nullptr) != SQLITE_OK) {
    auto error = last_error(connection->database_);
    error.message += " (" + options.path + ")";
    return std::unexpected(std::move(error));
  }
  if (const auto ready = connection->set_up(options); !ready) {
    auto error = ready.error();
    error.message += " (" + options.path + ")";
    return std::unexpected(std::move(error));
  }
  return connection;
}

Result<void> Connection::set_up(const ConnectionOptions& options) {
  sqlite3_busy_timeout(database_, kBusyTimeoutMs);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  const bool full = options.synchronous == Synchronous::full;
  using namespace sql::sqlite;
  const std::initializer_list<const sql::Query*> writer = {
      &connection_journal,
      full ? &connection_synchronous_full : &connection_synchronous_normal,
      &connection_foreign_keys,
      &connection_recursive_triggers,
      &connection_temporary_in_memory,
      &connection_cache_writer};
  const std::initializer_list<const sql::Query*> reader = {
      &connection_query_only, &connection_temporary_in_memory, &connection_cache_reader};
  for (const auto* query : options.read_only ? reader : writer) {
    if (auto done = Statement(database_, *query, nullptr).run(); !done) return done;
  }
  if (!options.read_only) sqlite3_wal_hook(database_, after_commit, nullptr);
  return {};
}

Statement& Connection::statement(const sql::Query& query) {
  auto& kept = statements_[query.name];
  // One that could not be prepared is tried again: the disk may have come back.
  if (!kept || !kept->valid()) {
    kept = std::make_unique<Statement>(database_, query, counters_.get());
  }
  return *kept;
}

Result<void> Connection::script(std::string_view text) {
  if (sqlite3_exec(database_, std::string(text).c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return std::unexpected(last_error(database_));
  }
  return {};
}

void Connection::checkpoint() {
  sqlite3_wal_checkpoint_v2(database_, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
}

void Connection::end_waiting() { sqlite3_busy_timeout(database_, 0); }

bool Connection::in_transaction() const { return sqlite3_get_autocommit(database_) == 0; }

Result<Transaction> Transaction::begin(Connection& connection, Kind kind) {
  using namespace sql::sqlite;
  auto& statement =
      connection.statement(kind == Kind::write ? transaction_begin_write : transaction_begin_read);
  if (const auto begun = statement.run(); !begun) return std::unexpected(begun.error());
  return Transaction(connection);
}

Transaction::Transaction(Transaction&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

Transaction::~Transaction() {
  if (!connection_ || !connection_->in_transaction()) return;
  // What cannot be rolled back was never committed: nothing is left to do about an error here.
  static_cast<void>(connection_->statement(sql::sqlite::transaction_rollback).run());
}

Result<void> Transaction::commit() {
  const auto done = connection_->statement(sql::sqlite::transaction_commit).run();
  if (done) connection_ = nullptr;
  return done;
}

} // namespace perdure::store::sqlite
