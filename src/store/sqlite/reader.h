// SqliteReader: queries beside the writer, each on a connection of a small pool.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/pooled_reader.h"
#include "store/sqlite/connection.h"

namespace perdure::store::sqlite {

/// Read-only connections, lent to one thread at a time. Thread-safe.
class ConnectionPool {
public:
  class Lease {
  public:
    Lease(ConnectionPool& pool, std::unique_ptr<Connection> connection)
        : pool_(&pool), connection_(std::move(connection)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    Connection* operator->() const { return connection_.get(); }
    Connection& operator*() const { return *connection_; }

  private:
    ConnectionPool* pool_;
    std::unique_ptr<Connection> connection_;
  };

  /// Opens connections when they are first needed, at most `size`.
  ConnectionPool(ConnectionOptions options, std::size_t size);
  /// Waits when all connections are lent.
  [[nodiscard]] Result<Lease> lease();

  // As PooledReader wants them.
  template <class Row, class... Fields>
  [[nodiscard]] Result<std::vector<Row>> rows(const sql::Query& query, const Fields&... fields) {
    auto connection = lease();
    if (!connection) return std::unexpected(connection.error());
    return (*connection)->statement(query).bind(fields...).template rows<Row>();
  }
  template <class Row, class... Fields>
  [[nodiscard]] Result<std::optional<Row>> row(const sql::Query& query, const Fields&... fields) {
    auto connection = lease();
    if (!connection) return std::unexpected(connection.error());
    return (*connection)->statement(query).bind(fields...).template row<Row>();
  }
  [[nodiscard]] Result<std::optional<InstanceRecord>> record(Key instance_id);
  [[nodiscard]] Result<Key> next_key();
  [[nodiscard]] Result<std::vector<TableCount>> purge_counts(std::span<const Key> ids);

private:
  void give_back(std::unique_ptr<Connection> connection);

  ConnectionOptions options_;
  std::size_t size_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::size_t opened_ = 0;
  std::vector<std::unique_ptr<Connection>> free_;
};

using SqliteReader = PooledReader<ConnectionPool>;

} // namespace perdure::store::sqlite
