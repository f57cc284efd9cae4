// PostgresReader: queries beside the writer, each on a connection of a small pool.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "store/pooled_reader.h"
#include "store/postgres/connection.h"

namespace perdure::store::postgres {

/// Links, lent to one thread at a time. Thread-safe.
class LinkPool {
public:
  class Lease {
  public:
    Lease(LinkPool& pool, std::unique_ptr<Link> link) : pool_(&pool), link_(std::move(link)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    Link& operator*() const { return *link_; }

  private:
    LinkPool* pool_;
    std::unique_ptr<Link> link_;
  };

  /// Connects when a link is first used.
  LinkPool(const ConnectionOptions& options, std::size_t size);
  /// Waits when all links are lent.
  [[nodiscard]] Lease lease();

  // As PooledReader wants them.
  template <class Row, class... Fields>
  [[nodiscard]] Result<std::vector<Row>> rows(const sql::Query& query, const Fields&... fields) {
    const auto result = run(query, parameters(fields...));
    if (!result) return std::unexpected(result.error());
    return result->template rows<Row>();
  }
  template <class Row, class... Fields>
  [[nodiscard]] Result<std::optional<Row>> row(const sql::Query& query, const Fields&... fields) {
    const auto result = run(query, parameters(fields...));
    if (!result) return std::unexpected(result.error());
    return result->template row<Row>();
  }
  [[nodiscard]] Result<std::optional<InstanceRecord>> record(Key instance_id);
  [[nodiscard]] Result<Key> next_key();
  [[nodiscard]] Result<std::vector<TableCount>> purge_counts(std::span<const Key> ids);

private:
  [[nodiscard]] Result<QueryResult> run(const sql::Query& query, Parameters given);
  void give_back(std::unique_ptr<Link> link);

  const std::shared_ptr<SessionCounters> sessions_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Link>> free_;
};

using PostgresReader = PooledReader<LinkPool>;

} // namespace perdure::store::postgres
