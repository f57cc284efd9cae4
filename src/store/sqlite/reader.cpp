#include "store/sqlite/reader.h"

#include <limits>
#include <utility>

#include "base/json.h"
#include "store/sqlite/state_loader.h"

namespace perdure::store::sqlite {

namespace queries = sql::sqlite;

namespace {

Key newest_first(const Page& page) { return page.after.value_or(std::numeric_limits<Key>::max()); }

Key oldest_first(const Page& page) { return page.after.value_or(kNoKey); }

/// The query whose index finds the fewest rows.
const sql::Query& query_for(const InstanceFilter& filter) {
  if (filter.business_key) return queries::instances_by_business_key;
  if (filter.only_incidents) return queries::instances_with_incident;
  if (filter.status && *filter.status != facts::InstanceStatus::completed) {
    return queries::instances_by_status;
  }
  return filter.process_id ? queries::instances_by_process : queries::instances_all;
}

const sql::Query& external_query_for(const TaskFilter& filter) {
  if (filter.instance_id) return queries::external_tasks_of_instance;
  return filter.only_open ? queries::external_tasks_open : queries::external_tasks_all;
}

const sql::Query& user_query_for(const TaskFilter& filter) {
  if (filter.instance_id) return queries::user_tasks_of_instance;
  if (filter.assignee) return queries::user_tasks_of_assignee;
  return filter.only_open ? queries::user_tasks_open : queries::user_tasks_all;
}

} // namespace

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

template <class Row, class... Fields>
Result<std::vector<Row>> SqliteReader::rows(const sql::Query& query, const Fields&... fields) {
  auto connection = pool_.lease();
  if (!connection) return std::unexpected(connection.error());
  return (*connection)->statement(query).bind(fields...).template rows<Row>();
}

template <class Row>
Result<std::optional<Row>> SqliteReader::row(const sql::Query& query, Key id) {
  auto connection = pool_.lease();
  if (!connection) return std::unexpected(connection.error());
  return (*connection)->statement(query).bind(id).template row<Row>();
}

Result<std::vector<facts::ProcessDefinition>> SqliteReader::definitions(const Page& page) {
  return rows<facts::ProcessDefinition>(queries::definitions, newest_first(page), page.limit);
}

Result<std::optional<facts::ProcessDefinition>> SqliteReader::definition(Key id) {
  return row<facts::ProcessDefinition>(queries::definition_by_id, id);
}

Result<std::vector<facts::ProcessInstance>> SqliteReader::instances(const InstanceFilter& filter,
                                                                    const Page& page) {
  return rows<facts::ProcessInstance>(query_for(filter), newest_first(page), page.limit,
                                      filter.process_id, filter.status, filter.business_key,
                                      filter.only_incidents);
}

Result<std::optional<facts::ProcessInstance>> SqliteReader::instance(Key id) {
  return row<facts::ProcessInstance>(queries::instance_by_id, id);
}

Result<std::vector<facts::StepRecord>> SqliteReader::steps(Key instance_id) {
  return rows<facts::StepRecord>(queries::steps_of_instance, instance_id);
}

Result<std::vector<facts::StepAttempt>> SqliteReader::attempts(Key instance_id) {
  return rows<facts::StepAttempt>(queries::attempts_of_instance, instance_id);
}

Result<std::vector<facts::Token>> SqliteReader::tokens(Key instance_id) {
  return rows<facts::Token>(queries::tokens_of_instance, instance_id);
}

Result<std::vector<facts::Scope>> SqliteReader::scopes(Key instance_id) {
  return rows<facts::Scope>(queries::scopes_of_instance, instance_id);
}

Result<std::vector<facts::Incident>> SqliteReader::incidents(Key instance_id) {
  return rows<facts::Incident>(queries::incidents_of_instance, instance_id);
}

Result<std::vector<facts::Timer>> SqliteReader::timers(Key instance_id) {
  return rows<facts::Timer>(queries::timers_of_instance, instance_id);
}

Result<std::vector<facts::HistoryEvent>> SqliteReader::history(Key instance_id,
                                                               std::int64_t after_sequence,
                                                               std::int64_t limit) {
  return rows<facts::HistoryEvent>(queries::history_of_instance, instance_id, after_sequence,
                                   limit);
}

Result<std::vector<facts::ExternalTask>> SqliteReader::external_tasks(const TaskFilter& filter,
                                                                      const Page& page) {
  return rows<facts::ExternalTask>(external_query_for(filter), oldest_first(page), page.limit,
                                   filter.instance_id, filter.type, filter.only_open);
}

Result<std::vector<facts::UserTask>> SqliteReader::user_tasks(const TaskFilter& filter,
                                                              const Page& page) {
  return rows<facts::UserTask>(user_query_for(filter), oldest_first(page), page.limit,
                               filter.instance_id, filter.assignee, filter.only_open);
}

Result<std::vector<facts::DeadLetter>> SqliteReader::dead_letters(const Page& page) {
  return rows<facts::DeadLetter>(queries::dead_letters_open, oldest_first(page), page.limit);
}

Result<std::optional<InstanceRecord>> SqliteReader::record(Key instance_id) {
  auto connection = pool_.lease();
  if (!connection) return std::unexpected(connection.error());
  auto transaction = Transaction::begin(**connection, Transaction::Kind::read);
  if (!transaction) return std::unexpected(transaction.error());
  auto record = load_record(**connection, instance_id);
  if (const auto done = transaction->commit(); !done) return std::unexpected(done.error());
  return record;
}

Result<std::vector<Key>> SqliteReader::instance_ids(const Page& page) {
  return rows<Key>(queries::instance_ids, oldest_first(page), page.limit);
}

Result<std::vector<InstanceAge>> SqliteReader::instance_ages(const Page& page) {
  return rows<InstanceAge>(queries::instance_ages, oldest_first(page), page.limit);
}

Result<std::vector<TableCount>> SqliteReader::purge_counts(std::span<const Key> ids) {
  std::string list;
  json::append(list, Array(ids.begin(), ids.end()));
  return rows<TableCount>(queries::purge_counts, std::string_view(list));
}

} // namespace perdure::store::sqlite
