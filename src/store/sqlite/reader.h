// SqliteReader: queries beside the writer, each on a connection of a small pool.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/sqlite/connection.h"
#include "store/store.h"

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

private:
  void give_back(std::unique_ptr<Connection> connection);

  ConnectionOptions options_;
  std::size_t size_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::size_t opened_ = 0;
  std::vector<std::unique_ptr<Connection>> free_;
};

class SqliteReader final : public Reader {
public:
  SqliteReader(ConnectionOptions options, std::size_t connections)
      : pool_(std::move(options), connections) {}

  Result<std::vector<facts::ProcessDefinition>> definitions(const Page& page) override;
  Result<std::optional<facts::ProcessDefinition>> definition(Key id) override;
  Result<std::vector<facts::ProcessInstance>> instances(const InstanceFilter& filter,
                                                        const Page& page) override;
  Result<std::optional<facts::ProcessInstance>> instance(Key id) override;
  Result<std::vector<facts::StepRecord>> steps(Key instance_id) override;
  Result<std::vector<facts::StepAttempt>> attempts(Key instance_id) override;
  Result<std::vector<facts::Token>> tokens(Key instance_id) override;
  Result<std::vector<facts::Scope>> scopes(Key instance_id) override;
  Result<std::vector<facts::Incident>> incidents(Key instance_id) override;
  Result<std::vector<facts::Timer>> timers(Key instance_id) override;
  Result<std::vector<facts::HistoryEvent>> history(Key instance_id, std::int64_t after_sequence,
                                                   std::int64_t limit) override;
  Result<std::vector<facts::ExternalTask>> external_tasks(const TaskFilter& filter,
                                                          const Page& page) override;
  Result<std::vector<facts::UserTask>> user_tasks(const TaskFilter& filter,
                                                  const Page& page) override;
  Result<std::vector<facts::DeadLetter>> dead_letters(const Page& page) override;
  Result<std::optional<InstanceRecord>> record(Key instance_id) override;
  Result<std::vector<Key>> instance_ids(const Page& page) override;
  Result<std::vector<InstanceAge>> instance_ages(const Page& page) override;
  Result<std::vector<TableCount>> purge_counts(std::span<const Key> ids) override;

private:
  /// All rows of a query with these parameters.
  template <class Row, class... Fields>
  [[nodiscard]] Result<std::vector<Row>> rows(const sql::Query& query, const Fields&... fields);
  template <class Row>
  [[nodiscard]] Result<std::optional<Row>> row(const sql::Query& query, Key id);

  ConnectionPool pool_;
};

} // namespace perdure::store::sqlite
