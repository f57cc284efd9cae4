#include "store/postgres/reader.h"

#include <limits>
#include <utility>

#include "store/postgres/state_loader.h"

namespace perdure::store::postgres {

namespace queries = sql::postgres;

namespace {

Key newest_first(const Page& page) { return page.after.value_or(std::numeric_limits<Key>::max()); }

Key oldest_first(const Page& page) { return page.after.value_or(kNoKey); }

/// The queries are SQLite's too, where a flag is a number.
std::int64_t flag(bool value) { return value ? 1 : 0; }

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

LinkPool::LinkPool(const ConnectionOptions& options, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    free_.push_back(std::make_unique<Link>(options));
}

LinkPool::Lease::~Lease() {
  if (link_) pool_->give_back(std::move(link_));
}

LinkPool::Lease LinkPool::lease() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [&] { return !free_.empty(); });
  auto link = std::move(free_.back());
  free_.pop_back();
  return {*this, std::move(link)};
}

void LinkPool::give_back(std::unique_ptr<Link> link) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(std::move(link));
  returned_.notify_one();
}

template <class Row, class... Fields>
Result<std::vector<Row>> PostgresReader::rows(const sql::Query& query, const Fields&... fields) {
  const auto lease = pool_.lease();
  const auto result = (*lease).query(query, parameters(fields...));
  if (!result) return std::unexpected(result.error());
  return result->template rows<Row>();
}

template <class Row>
Result<std::optional<Row>> PostgresReader::row(const sql::Query& query, Key id) {
  const auto lease = pool_.lease();
  const auto result = (*lease).query(query, parameters(id));
  if (!result) return std::unexpected(result.error());
  return result->template row<Row>();
}

Result<std::vector<facts::ProcessDefinition>> PostgresReader::definitions(const Page& page) {
  return rows<facts::ProcessDefinition>(queries::definitions, newest_first(page), page.limit);
}

Result<std::optional<facts::ProcessDefinition>> PostgresReader::definition(Key id) {
  return row<facts::ProcessDefinition>(queries::definition_by_id, id);
}

Result<std::vector<facts::ProcessInstance>> PostgresReader::instances(const InstanceFilter& filter,
                                                                      const Page& page) {
  return rows<facts::ProcessInstance>(query_for(filter), newest_first(page), page.limit,
                                      filter.process_id, filter.status, filter.business_key,
                                      flag(filter.only_incidents));
}

Result<std::optional<facts::ProcessInstance>> PostgresReader::instance(Key id) {
  return row<facts::ProcessInstance>(queries::instance_by_id, id);
}

Result<std::vector<facts::StepRecord>> PostgresReader::steps(Key instance_id) {
  return rows<facts::StepRecord>(queries::steps_of_instance, instance_id);
}

Result<std::vector<facts::StepAttempt>> PostgresReader::attempts(Key instance_id) {
  return rows<facts::StepAttempt>(queries::attempts_of_instance, instance_id);
}

Result<std::vector<facts::Token>> PostgresReader::tokens(Key instance_id) {
  return rows<facts::Token>(queries::tokens_of_instance, instance_id);
}

Result<std::vector<facts::Scope>> PostgresReader::scopes(Key instance_id) {
  return rows<facts::Scope>(queries::scopes_of_instance, instance_id);
}

Result<std::vector<facts::Incident>> PostgresReader::incidents(Key instance_id) {
  return rows<facts::Incident>(queries::incidents_of_instance, instance_id);
}

Result<std::vector<facts::Timer>> PostgresReader::timers(Key instance_id) {
  return rows<facts::Timer>(queries::timers_of_instance, instance_id);
}

Result<std::vector<facts::HistoryEvent>> PostgresReader::history(Key instance_id,
                                                                 std::int64_t after_sequence,
                                                                 std::int64_t limit) {
  return rows<facts::HistoryEvent>(queries::history_of_instance, instance_id, after_sequence,
                                   limit);
}

Result<std::vector<facts::ExternalTask>> PostgresReader::external_tasks(const TaskFilter& filter,
                                                                        const Page& page) {
  return rows<facts::ExternalTask>(external_query_for(filter), oldest_first(page), page.limit,
                                   filter.instance_id, filter.type, flag(filter.only_open));
}

Result<std::vector<facts::UserTask>> PostgresReader::user_tasks(const TaskFilter& filter,
                                                                const Page& page) {
  return rows<facts::UserTask>(user_query_for(filter), oldest_first(page), page.limit,
                               filter.instance_id, filter.assignee, flag(filter.only_open));
}

Result<std::vector<facts::DeadLetter>> PostgresReader::dead_letters(const Page& page) {
  return rows<facts::DeadLetter>(queries::dead_letters_open, oldest_first(page), page.limit);
}

Result<std::optional<InstanceRecord>> PostgresReader::record(Key instance_id) {
  const auto lease = pool_.lease();
  return load_record(*lease, instance_id);
}

Result<std::vector<Key>> PostgresReader::instance_ids(const Page& page) {
  return rows<Key>(queries::instance_ids, oldest_first(page), page.limit);
}

Result<std::vector<InstanceAge>> PostgresReader::instance_ages(const Page& page) {
  return rows<InstanceAge>(queries::instance_ages, oldest_first(page), page.limit);
}

Result<std::vector<TableCount>> PostgresReader::purge_counts(std::span<const Key> ids) {
  ArrayParameter wanted(kBigint);
  for (const auto id : ids)
    wanted.add(id);
  Parameters given;
  given.push_back(wanted.take());
  const auto lease = pool_.lease();
  const auto result = (*lease).query(queries::purge_counts, std::move(given));
  if (!result) return std::unexpected(result.error());
  return result->rows<TableCount>();
}

} // namespace perdure::store::postgres
