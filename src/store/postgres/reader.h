// PostgresReader: queries beside the writer, each on a connection of a small pool.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "store/postgres/connection.h"
#include "store/store.h"

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

private:
  void give_back(std::unique_ptr<Link> link);

  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Link>> free_;
};

class PostgresReader final : public Reader {
public:
  PostgresReader(const ConnectionOptions& options, std::size_t connections)
      : pool_(options, connections) {}

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
  template <class Row, class... Fields>
  Result<std::vector<Row>> rows(const sql::Query& query, const Fields&... fields);
  template <class Row>
  Result<std::optional<Row>> row(const sql::Query& query, Key id);

  LinkPool pool_;
};

} // namespace perdure::store::postgres
