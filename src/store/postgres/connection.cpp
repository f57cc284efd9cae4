#include "store/postgres/connection.h"

#include <poll.h>

#include <algorithm>
#include <array>

#include "store/postgres/error.h"

namespace perdure::store::postgres {

namespace queries = sql::postgres;

namespace {

constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kLongestPause{2'000};
constexpr std::size_t kLongestSchemaName = 63;
constexpr int kBinary = 1;

void ignore_notice(void*, const char*) {}

Result<void> check_schema_name(std::string_view schema) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (!schema.empty() && schema.size() <= kLongestSchemaName && std::ranges::all_of(schema, fits) &&
      (schema.front() < '0' || schema.front() > '9')) {
    return {};
  }
  return fail(ErrorCode::invalid_input,
              "\"" + std::string(schema) +
                  "\" is no name for a schema; use lower case letters, digits and _.",
              "schema");
}

std::string ms_text(Duration duration) { return std::to_string(duration.count()); }

Call setting(std::string_view name, std::string_view value) {
  return {&queries::connection_set, parameters(name, value)};
}

} // namespace

Result<std::unique_ptr<Connection>> Connection::open(const ConnectionOptions& options) {
  if (auto named = check_schema_name(options.schema); !named) {
    return std::unexpected(named.error());
  }
  const auto library = postgres::libpq();
  if (!library) return std::unexpected(library.error());
  // What stands before dbname is a default: the URL may say otherwise.
  const std::array<const char*, 11> keywords{"connect_timeout",
                                             "keepalives_idle",
                                             "keepalives_interval",
                                             "keepalives_count",
                                             "tcp_user_timeout",
                                             "target_session_attrs",
                                             "application_name",
                                             "dbname",
                                             "client_encoding",
                                             "fallback_application_name",
                                             nullptr};
  const std::array<const char*, 11> values{"5",
                                           "10",
                                           "5",
                                           "3",
                                           "15000",
                                           "read-write",
                                           options.application_name.c_str(),
                                           options.url.c_str(),
                                           "UTF8",
                                           "perdure",
                                           nullptr};
  auto* raw = (*library)->connectdbParams(keywords.data(), values.data(), 1);
  if (!raw) return fail(ErrorCode::unavailable, "There is no memory for a connection.");
  std::unique_ptr<Connection> connection(new Connection(**library, raw, options.counters));
  if ((*library)->status(raw) != CONNECTION_OK) {
    return std::unexpected(lost_connection((*library)->errorMessage(raw)));
  }
  if (auto ready = connection->set_up(options); !ready) return std::unexpected(ready.error());
  if (options.counters) {
    options.counters->connections.fetch_add(1, std::memory_order_relaxed);
    options.counters->process.store(connection->process(), std::memory_order_relaxed);
  }
  return Result<std::unique_ptr<Connection>>(std::move(connection));
}

Connection::~Connection() { libpq_.finish(connection_); }

Result<void> Connection::set_up(const ConnectionOptions& options) {
  libpq_.setNoticeProcessor(connection_, ignore_notice, nullptr);
  if (libpq_.setnonblocking(connection_, 1) != 0 || libpq_.enterPipelineMode(connection_) != 1) {
    return lost();
  }
  std::vector<Call> calls;
  calls.push_back({&queries::connection_schema, parameters(options.schema)});
  calls.push_back({&queries::connection_durable, {}});
  calls.push_back(setting("timezone", "UTC"));
  calls.push_back(setting("statement_timeout", ms_text(options.statement_timeout)));
  calls.push_back(setting("lock_timeout", ms_text(options.lock_timeout)));
  calls.push_back(
      setting("idle_in_transaction_session_timeout", ms_text(options.idle_in_transaction_timeout)));
  if (options.by_key_only) {
    calls.push_back(setting("plan_cache_mode", "force_generic_plan"));
    calls.push_back(setting("jit", "off")); // no statement runs for as long as that takes
    for (const auto* name : {"enable_seqscan", "enable_hashjoin", "enable_mergejoin"}) {
      calls.push_back(setting(name, "off"));
    }
  }
  const auto done = run(calls);
  if (!done) return std::unexpected(done.error());
  return {};
}

std::unexpected<Error> Connection::lost() {
  alive_ = false;
  return std::unexpected(lost_connection(libpq_.errorMessage(connection_)));
}

bool Connection::send(const Call& call) {
  const auto& given = call.parameters;
  std::vector<const char*> values(given.size());
  std::vector<int> lengths(given.size());
  std::vector<int> formats(given.size(), kBinary);
  for (std::size_t i = 0; i < given.size(); ++i) {
    values[i] = given[i].null ? nullptr : given[i].bytes.data();
    lengths[i] = static_cast<int>(given[i].bytes.size());
  }
  return libpq_.sendQueryPrepared(connection_, call.query->name.data(),
                                  static_cast<int>(given.size()), values.data(), lengths.data(),
                                  formats.data(), kBinary) == 1;
}

// Reads while it writes: a server that cannot get rid of its answers would not read on.
bool Connection::flush() {
  for (;;) {
    const int left = libpq_.flush(connection_);
    if (left <= 0) return left == 0;
    pollfd ready{.fd = socket(), .events = POLLIN | POLLOUT, .revents = 0};
    if (::poll(&ready, 1, -1) < 0) continue;
    if ((ready.revents & POLLIN) != 0 && libpq_.consumeInput(connection_) == 0) return false;
  }
}

Result<std::vector<QueryResult>> Connection::run(const std::vector<Call>& calls) {
  if (!alive_) return lost();
  std::vector<bool> prepares(calls.size());
  std::unordered_set<std::string_view> sent;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto& query = *calls[i].query;
    if (!prepared_.contains(query.name) && sent.insert(query.name).second) {
      prepares[i] = true;
      std::vector<Oid> types;
      for (const auto& parameter : calls[i].parameters)
        types.push_back(parameter.type);
      if (libpq_.sendPrepare(connection_, query.name.data(), query.text.data(),
                             static_cast<int>(types.size()), types.data()) != 1) {
        return lost();
      }
    }
    if (!send(calls[i])) return lost();
  }
  if (libpq_.pipelineSync(connection_) != 1 || !flush()) return lost();
  if (counters_) {
    counters_->statements.fetch_add(std::ssize(calls), std::memory_order_relaxed);
  }
  return receive(calls, prepares);
}

PGresult* Connection::next_result() {
  auto* result = libpq_.getResult(connection_);
  // Between two commands of a pipeline there is one null.
  return result ? result : libpq_.getResult(connection_);
}

Result<std::vector<QueryResult>> Connection::receive(const std::vector<Call>& calls,
                                                     const std::vector<bool>& prepared) {
  std::vector<QueryResult> results;
  std::optional<Error> failed;
  bool session_ends = false;
  for (std::size_t i = 0; i < 2 * calls.size(); ++i) {
    const bool prepare = i % 2 == 0;
    if (prepare && !prepared[i / 2]) continue;
    auto* raw = next_result();
    if (!raw) return lost();
    QueryResult result(libpq_, raw);
    const auto status = libpq_.resultStatus(raw);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
      if (prepare) {
        prepared_.insert(calls[i / 2].query->name);
      } else {
        results.push_back(std::move(result));
      }
    } else if (!failed && status != PGRES_PIPELINE_ABORTED) {
      failed = error_of(libpq_, raw);
      if (failed->code == ErrorCode::internal) {
        failed->message += " (query " + std::string(calls[i / 2].query->name) + ")";
      }
      session_ends = ends_session(libpq_, raw);
    }
  }
  auto* end = next_result();
  const bool ended = end && libpq_.resultStatus(end) == PGRES_PIPELINE_SYNC;
  if (end) libpq_.clear(end);
  if (session_ends || !ended) alive_ = false;
  if (failed) return std::unexpected(std::move(*failed));
  if (!ended) return lost();
  return results;
}

Result<QueryResult> Connection::query(const sql::Query& query, Parameters parameters) {
  std::vector<Call> calls;
  calls.push_back({&query, std::move(parameters)});
  auto results = run(calls);
  if (!results) return std::unexpected(std::move(results.error()));
  return std::move(results->front());
}

void Connection::roll_back() {
  if (!alive_ || !in_transaction()) return;
  // What cannot be rolled back was never committed: the session ends instead.
  if (!query(queries::transaction_rollback)) alive_ = false;
}

Result<void> Connection::script(std::string_view text) {
  const auto rows = text_rows(text);
  if (!rows) return std::unexpected(rows.error());
  return {};
}

Result<std::vector<std::vector<std::string>>> Connection::text_rows(std::string_view text) {
  if (!alive_ || libpq_.exitPipelineMode(connection_) != 1) return lost();
  // Waits for room to write: a script is longer than what the socket takes at once.
  libpq_.setnonblocking(connection_, 0);
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(
      libpq_.exec(connection_, std::string(text).c_str()), libpq_.clear);
  const auto status = libpq_.resultStatus(result.get());
  const bool done = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
  std::optional<Error> failed;
  if (!done && status != PGRES_EMPTY_QUERY) failed = error_of(libpq_, result.get());
  if (libpq_.status(connection_) != CONNECTION_OK) return lost();
  if (libpq_.setnonblocking(connection_, 1) != 0 || libpq_.enterPipelineMode(connection_) != 1) {
    return lost();
  }
  if (failed) return std::unexpected(std::move(*failed));
  std::vector<std::vector<std::string>> rows(
      static_cast<std::size_t>(libpq_.ntuples(result.get())));
  const int columns = libpq_.nfields(result.get());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (int column = 0; column < columns; ++column) {
      const auto* value = libpq_.getvalue(result.get(), static_cast<int>(row), column);
      rows[row].emplace_back(
          libpq_.getisnull(result.get(), static_cast<int>(row), column) != 0 ? "NULL" : value);
    }
  }
  return rows;
}

Result<std::vector<int>> Connection::notifications() {
  if (!alive_ || libpq_.consumeInput(connection_) == 0) return lost();
  std::vector<int> senders;
  while (auto* notification = libpq_.notifies(connection_)) {
    senders.push_back(notification->be_pid);
    libpq_.freemem(notification);
  }
  return senders;
}

void Link::count(std::atomic<std::int64_t> SessionCounters::* counter) const {
  if (options_.sessions)
    (options_.sessions.get()->*counter).fetch_add(1, std::memory_order_relaxed);
}

void Link::close(Error reason) {
  connection_.reset();
  last_error_ = std::move(reason);
  closed_ = true;
}

Result<Connection*> Link::get() {
  if (closed_) return std::unexpected(last_error_);
  if (connection_ && connection_->alive()) return connection_.get();
  if (connection_) count(&SessionCounters::lost);
  connection_.reset();
  const auto now = std::chrono::steady_clock::now();
  if (now < next_try_) return std::unexpected(last_error_);
  auto opened = Connection::open(options_);
  count(opened ? &SessionCounters::opened : &SessionCounters::refused);
  if (!opened) {
    last_error_ = opened.error();
    pause_ = std::clamp(2 * pause_, kFirstPause, kLongestPause);
    next_try_ = std::chrono::steady_clock::now() + pause_;
    return std::unexpected(std::move(opened.error()));
  }
  pause_ = std::chrono::milliseconds{0};
  connection_ = std::move(*opened);
  return connection_.get();
}

Result<std::vector<QueryResult>> Link::run(const std::vector<Call>& calls) {
  for (int attempt = 1;; ++attempt) {
    const auto connection = get();
    if (!connection) return std::unexpected(connection.error());
    auto results = (*connection)->run(calls);
    if (results) return results;
    if ((*connection)->alive()) (*connection)->roll_back();
    if ((*connection)->alive() || attempt == 2) return results;
  }
}

Result<QueryResult> Link::query(const sql::Query& query, Parameters parameters) {
  std::vector<Call> calls;
  calls.push_back({&query, std::move(parameters)});
  auto results = run(calls);
  if (!results) return std::unexpected(std::move(results.error()));
  return std::move(results->front());
}

} // namespace perdure::store::postgres
