#include "store/sqlite/reader.h"

#include <utility>

#include "base/json.h"
#include "store/sqlite/state_loader.h"

namespace perdure::store::sqlite {

namespace queries = sql::sqlite;

ConnectionPool::ConnectionPool(ConnectionOptions options, std::size_t size)
    : options_(std::move(options)), size_(size) {}

ConnectionPool::Lease::~Lease() {
  if (connection_) pool_->give_back(std::move(connection_));
}

Result<ConnectionPool::Lease> ConnectionPool::lease() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [&] { return !free_.empty() || opened_ < size_; });
  if (!free_.empty()) {
    auto connection = std::move(free_.back());
    free_.pop_back();
    return Lease(*this, std::move(connection));
  }
  ++opened_;
  lock.unlock();
  auto connection = Connection::open(options_);
  if (connection) return Lease(*this, std::move(*connection));
  lock.lock();
  --opened_;
  returned_.notify_one();
  return std::unexpected(std::move(connection.error()));
}

void ConnectionPool::give_back(std::unique_ptr<Connection> connection) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(std::move(connection));
  returned_.notify_one();
}

Result<std::optional<InstanceRecord>> ConnectionPool::record(Key instance_id) {
  auto connection = lease();
  if (!connection) return std::unexpected(connection.error());
  auto transaction = Transaction::begin(**connection, Transaction::Kind::read);
  if (!transaction) return std::unexpected(transaction.error());
  auto record = load_record(**connection, instance_id);
  if (const auto done = transaction->commit(); !done) return std::unexpected(done.error());
  return record;
}

Result<Key> ConnectionPool::next_key() {
  const auto key = row<Key>(queries::key_block_next);
  if (!key) return std::unexpected(key.error());
  return key->value_or(kNoKey);
}

Result<std::vector<TableCount>> ConnectionPool::purge_counts(std::span<const Key> ids) {
  std::string list;
  json::append(list, Array(ids.begin(), ids.end()));
  return rows<TableCount>(queries::purge_counts, std::string_view(list));
}

} // namespace perdure::store::sqlite
