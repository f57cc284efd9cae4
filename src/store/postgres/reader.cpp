#include "store/postgres/reader.h"

#include <utility>

#include "store/postgres/state_loader.h"

namespace perdure::store::postgres {

namespace queries = sql::postgres;

LinkPool::LinkPool(const ConnectionOptions& options, std::size_t size)
    : sessions_(options.sessions ? options.sessions : std::make_shared<SessionCounters>()) {
  for (std::size_t i = 0; i < size; ++i)
    free_.push_back(std::make_unique<Link>(options));
}

LinkPool::Lease::~Lease() {
  if (link_) pool_->give_back(std::move(link_));
}

LinkPool::Lease LinkPool::lease() {
  std::unique_lock lock(mutex_);
  if (free_.empty()) sessions_->reader_waits.fetch_add(1, std::memory_order_relaxed);
  returned_.wait(lock, [&] { return !free_.empty(); });
  sessions_->readers_lent.fetch_add(1, std::memory_order_relaxed);
  auto link = std::move(free_.back());
  free_.pop_back();
  return {*this, std::move(link)};
}

void LinkPool::give_back(std::unique_ptr<Link> link) {
  const std::scoped_lock lock(mutex_);
  sessions_->readers_lent.fetch_sub(1, std::memory_order_relaxed);
  free_.push_back(std::move(link));
  returned_.notify_one();
}

Result<QueryResult> LinkPool::run(const sql::Query& query, Parameters given) {
  const auto lent = lease();
  return (*lent).query(query, std::move(given));
}

Result<std::optional<InstanceRecord>> LinkPool::record(Key instance_id) {
  const auto lent = lease();
  return load_record(*lent, instance_id);
}

Result<Key> LinkPool::next_key() {
  const auto key = row<Key>(queries::key_block_next);
  if (!key) return std::unexpected(key.error());
  return key->value_or(kNoKey);
}

Result<std::vector<TableCount>> LinkPool::purge_counts(std::span<const Key> ids) {
  ArrayParameter wanted(kBigint);
  for (const auto id : ids)
    wanted.add(id);
  Parameters given;
  given.push_back(wanted.take());
  const auto result = run(queries::purge_counts, std::move(given));
  if (!result) return std::unexpected(result.error());
  return result->rows<TableCount>();
}

} // namespace perdure::store::postgres
