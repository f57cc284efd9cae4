// Connection: one session of a PostgreSQL server with the settings that Perdure relies on, and its
// prepared statements. Link: a connection that comes back after it was lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "perdure/result.h"
#include "store/postgres/counters.h"
#include "store/postgres/libpq.h"
#include "store/postgres/result.h"
#include "store/postgres/wire.h"
#include "store/sql.h"

namespace perdure::store::postgres {

struct ConnectionOptions {
  std::string url; ///< postgres://..., or keywords; libpq reads PGSERVICE and the like
  std::string schema = "perdure"; ///< lower case letters, digits and `_`
  std::string application_name = "perdure";
  Duration statement_timeout{30'000};
  Duration lock_timeout{2'000};
  /// The longest that a transaction rests. A frozen node loses its claims then, and its session.
  Duration idle_in_transaction_timeout{10'000};
  /// Every statement finds its rows by key: the plans that walk whole tables, which a planner likes
  /// while it takes a new database for small, are forbidden, and plans are made once.
  bool by_key_only = false;
  std::shared_ptr<Counters> counters;        ///< of what is done; may be null
  std::shared_ptr<SessionCounters> sessions; ///< may be null
};

/// One statement with its parameters. The query must live as long as the program.
struct Call {
  const sql::Query* query = nullptr;
  Parameters parameters;
};

/// Not thread-safe: one thread at a time.
class Connection {
public:
  [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const ConnectionOptions& options);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Runs the calls in order, in one round trip, and gives one result for each. The first that
  /// fails ends it. Outside BEGIN ... COMMIT they are one transaction.
  [[nodiscard]] Result<std::vector<QueryResult>> run(const std::vector<Call>& calls);
  /// Runs one.
  [[nodiscard]] Result<QueryResult> query(const sql::Query& query, Parameters parameters = {});
  /// Whether a transaction is open, sound or failed.
  [[nodiscard]] bool in_transaction() const {
    return libpq_.transactionStatus(connection_) != PQTRANS_IDLE;
  }
  /// Ends the transaction that a failed run() left open, if there is one.
  void roll_back();
  /// Runs all statements of a script, as one transaction unless it says otherwise.
  [[nodiscard]] Result<void> script(std::string_view text);
  /// Runs a statement that is not kept; columns in text form.
  [[nodiscard]] Result<std::vector<std::vector<std::string>>> text_rows(std::string_view text);

  /// False: every further call fails at once.
  [[nodiscard]] bool alive() const { return alive_; }
  /// Number of the server's process for this session.
  [[nodiscard]] int process() const { return libpq_.backendPID(connection_); }
  [[nodiscard]] int socket() const { return libpq_.socket(connection_); }
  [[nodiscard]] const Libpq& libpq() const { return libpq_; }
  /// Reads what the server sent by itself; the processes that sent a NOTIFY.
  [[nodiscard]] Result<std::vector<int>> notifications();

private:
  Connection(const Libpq& libpq, PGconn* connection, std::shared_ptr<Counters> counters)
      : libpq_(libpq), connection_(connection), counters_(std::move(counters)) {}
  [[nodiscard]] Result<void> set_up(const ConnectionOptions& options);
  [[nodiscard]] bool send(const Call& call);
  [[nodiscard]] bool flush();
  [[nodiscard]] std::unexpected<Error> lost();
  /// The result of the next command of the pipeline; null when the connection is lost.
  [[nodiscard]] PGresult* next_result();
  /// Reads results up to the end of the pipeline. `sent` tells which were PREPARE.
  [[nodiscard]] Result<std::vector<QueryResult>> receive(const std::vector<Call>& calls,
                                                         const std::vector<bool>& prepared);

  const Libpq& libpq_;
  PGconn* connection_;
  std::shared_ptr<Counters> counters_;
  bool alive_ = true;
  std::unordered_set<std::string_view> prepared_; ///< by query name
};

/// Gives a live connection, opening one when there is none. After a failure further tries are made
/// at growing distances, and in between every call fails at once. One thread at a time.
class Link {
public:
  explicit Link(ConnectionOptions options) : options_(std::move(options)) {}
  /// Takes over a connection that is open already.
  Link(ConnectionOptions options, std::unique_ptr<Connection> connection)
      : options_(std::move(options)), connection_(std::move(connection)) {}

  [[nodiscard]] Result<Connection*> get();
  /// From now on every call fails so.
  void close(Error reason);
  /// The connection that is open now; null when it was lost and not yet opened again.
  [[nodiscard]] Connection* current() const {
    return connection_ && connection_->alive() ? connection_.get() : nullptr;
  }
  /// Runs the calls on a live connection. When that turns out to be lost, once more on a new one:
  /// only for calls that may be run twice.
  [[nodiscard]] Result<std::vector<QueryResult>> run(const std::vector<Call>& calls);
  [[nodiscard]] Result<QueryResult> query(const sql::Query& query, Parameters parameters = {});
  [[nodiscard]] const ConnectionOptions& options() const { return options_; }

private:
  void count(std::atomic<std::int64_t> SessionCounters::* counter) const;

  ConnectionOptions options_;
  std::unique_ptr<Connection> connection_;
  Error last_error_;
  std::chrono::milliseconds pause_{0};
  std::chrono::steady_clock::time_point next_try_{};
  bool closed_ = false;
};

} // namespace perdure::store::postgres
