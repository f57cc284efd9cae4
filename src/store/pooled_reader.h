// PooledReader: the queries of Reader, written once for every dialect. What differs is how a
// connection is lent and how a row is read; that is the pool's.
#pragma once

#include <limits>
#include <utility>

#include "store/decision_query.h"
#include "store/sql.h"
#include "store/store.h"

namespace perdure::store {

/// `Pool` is thread-safe and has
///   rows<Row>(query, fields...) -> Result<vector<Row>>
///   row<Row>(query, fields...)  -> Result<optional<Row>>, the first one
///   record(instance_id), next_key() and purge_counts(ids), as Reader has them.
template <class Pool>
class PooledReader final : public Reader {
public:
  template <class... Arguments>
  explicit PooledReader(Arguments&&... arguments) : pool_(std::forward<Arguments>(arguments)...) {}

  Result<std::vector<facts::ProcessDefinition>> definitions(const Page& page) override {
    return rows<facts::ProcessDefinition>(sql::shared::definitions, newest_first(page), page.limit);
  }
  Result<std::optional<facts::ProcessDefinition>> definition(Key id) override {
    return row<facts::ProcessDefinition>(sql::shared::definition_by_id, id);
  }
  Result<std::vector<facts::DecisionDefinition>> decisions(const Page& page) override {
    return rows<facts::DecisionDefinition>(sql::shared::decision_definitions, newest_first(page),
                                           page.limit);
  }
  Result<std::optional<facts::DecisionDefinition>> decision(Key id) override {
    return row<facts::DecisionDefinition>(sql::shared::decision_by_id, id);
  }
  Result<std::optional<facts::DecisionDefinition>> decision(const DecisionChoice& choice) override {
    return find_decision(choice, [&](const sql::Query& query, const auto&... parameters) {
      return row<facts::DecisionDefinition>(query, parameters...);
    });
  }
  Result<std::optional<facts::DecisionRequirements>> requirements(Key id) override {
    return row<facts::DecisionRequirements>(sql::shared::requirements_by_id, id);
  }
  Result<std::vector<facts::DecisionEvaluation>> evaluations(Key instance_id,
                                                             const Page& page) override {
    return rows<facts::DecisionEvaluation>(sql::shared::evaluations_page, instance_id,
                                           oldest_first(page), page.limit);
  }
  Result<std::vector<InstanceSummary>> instances(const InstanceFilter& filter,
                                                 const Page& page) override {
    return rows<InstanceSummary>(query_for(filter), newest_first(page), page.limit,
                                 filter.process_id, filter.status, filter.business_key,
                                 flag(filter.only_incidents), filter.parent_id);
  }
  Result<std::optional<facts::ProcessInstance>> instance(Key id) override {
    return row<facts::ProcessInstance>(sql::shared::instance_by_id, id);
  }
  Result<std::vector<facts::StepRecord>> steps(Key instance_id, StepPage page) override {
    return rows<facts::StepRecord>(sql::shared::steps_page, instance_id, page.after_ordinal,
                                   page.limit);
  }
  Result<std::vector<facts::StepAttempt>> attempts(Key instance_id, StepRange range) override {
    return rows<facts::StepAttempt>(sql::shared::attempts_page, instance_id, range.after_ordinal,
                                    range.last_ordinal);
  }
  Result<std::vector<facts::Token>> tokens(Key instance_id) override {
    return rows<facts::Token>(sql::shared::tokens_of_instance, instance_id);
  }
  Result<std::vector<facts::Scope>> scopes(Key instance_id) override {
    return rows<facts::Scope>(sql::shared::scopes_of_instance, instance_id);
  }
  Result<std::vector<facts::Incident>> incidents(Key instance_id) override {
    return rows<facts::Incident>(sql::shared::incidents_of_instance, instance_id);
  }
  Result<std::vector<facts::Timer>> timers(Key instance_id) override {
    return rows<facts::Timer>(sql::shared::timers_of_instance, instance_id);
  }
  Result<std::vector<facts::HistoryEvent>> history(Key instance_id, std::int64_t after_sequence,
                                                   std::int64_t limit) override {
    return rows<facts::HistoryEvent>(sql::shared::history_of_instance, instance_id, after_sequence,
                                     limit);
  }
  Result<std::vector<facts::ExternalTask>> external_tasks(const TaskFilter& filter,
                                                          const Page& page) override {
    return rows<facts::ExternalTask>(external_query_for(filter), oldest_first(page), page.limit,
                                     filter.instance_id, filter.type, flag(filter.only_open));
  }
  Result<std::vector<facts::UserTask>> user_tasks(const TaskFilter& filter,
                                                  const Page& page) override {
    return rows<facts::UserTask>(user_query_for(filter), oldest_first(page), page.limit,
                                 filter.instance_id, filter.assignee, flag(filter.only_open));
  }
  Result<std::vector<facts::DeadLetter>> dead_letters(const Page& page) override {
    return rows<facts::DeadLetter>(sql::shared::dead_letters_open, oldest_first(page), page.limit);
  }
  Result<std::vector<facts::AuditEntry>> audit(const AuditFilter& filter,
                                               const Page& page) override {
    const auto& query =
        filter.instance_id ? sql::shared::audit_of_instance : sql::shared::audit_all;
    return rows<facts::AuditEntry>(query, newest_first(page), page.limit, filter.instance_id,
                                   filter.actor, filter.action);
  }
  Result<std::optional<InstanceRecord>> record(Key instance_id) override {
    return pool_.record(instance_id);
  }
  Result<std::vector<facts::IdempotencyRecord>> idempotency_records(
      const IdempotencyPage& page) override {
    return rows<facts::IdempotencyRecord>(sql::shared::idempotency_page, page.after_key,
                                          page.after_tenant_id, page.limit);
  }
  Result<Key> next_key() override { return pool_.next_key(); }
  Result<std::int64_t> schema_version() override {
    const auto version = row<std::int64_t>(sql::shared::schema_version);
    if (!version) return std::unexpected(version.error());
    return version->value_or(0);
  }
  Result<std::vector<Key>> instance_ids(const Page& page) override {
    return rows<Key>(sql::shared::instance_ids, oldest_first(page), page.limit);
  }
  Result<std::vector<InstanceAge>> instance_ages(const Page& page) override {
    return rows<InstanceAge>(sql::shared::instance_ages, oldest_first(page), page.limit);
  }
  Result<std::optional<ChainEnd>> chain_end(Key instance_id) override {
    return row<ChainEnd>(sql::shared::flow_chain_end, instance_id);
  }
  Result<FlowOverview> flow_overview() override {
    auto runs = rows<FlowRuns>(sql::shared::flow_runs_by_status);
    if (!runs) return std::unexpected(runs.error());
    auto limits = rows<FlowLimit>(sql::shared::flow_limits);
    if (!limits) return std::unexpected(limits.error());
    auto schedules = rows<FlowSchedule>(sql::shared::flow_schedules);
    if (!schedules) return std::unexpected(schedules.error());
    return FlowOverview{*std::move(runs), *std::move(limits), *std::move(schedules)};
  }
  Result<std::vector<TableCount>> purge_counts(std::span<const Key> ids) override {
    return pool_.purge_counts(ids);
  }

private:
  template <class Row, class... Fields>
  Result<std::vector<Row>> rows(const sql::Query& query, const Fields&... fields) {
    return pool_.template rows<Row>(query, fields...);
  }
  template <class Row, class... Fields>
  Result<std::optional<Row>> row(const sql::Query& query, const Fields&... fields) {
    return pool_.template row<Row>(query, fields...);
  }

  static Key newest_first(const Page& page) {
    return page.after.value_or(std::numeric_limits<Key>::max());
  }
  static Key oldest_first(const Page& page) { return page.after.value_or(kNoKey); }
  /// In the queries of all dialects a flag is a number.
  static std::int64_t flag(bool value) { return value ? 1 : 0; }

  /// The query whose index finds the fewest rows.
  static const sql::Query& query_for(const InstanceFilter& filter) {
    if (filter.parent_id) return sql::shared::instances_of_parent;
    if (filter.business_key) return sql::shared::instances_by_business_key;
    if (filter.only_incidents) return sql::shared::instances_with_incident;
    if (filter.status && *filter.status != facts::InstanceStatus::completed) {
      return sql::shared::instances_by_status;
    }
    return filter.process_id ? sql::shared::instances_by_process : sql::shared::instances_all;
  }
  static const sql::Query& external_query_for(const TaskFilter& filter) {
    if (filter.instance_id) return sql::shared::external_tasks_of_instance;
    return filter.only_open ? sql::shared::external_tasks_open : sql::shared::external_tasks_all;
  }
  static const sql::Query& user_query_for(const TaskFilter& filter) {
    if (filter.instance_id) return sql::shared::user_tasks_of_instance;
    if (filter.assignee) return sql::shared::user_tasks_of_assignee;
    return filter.only_open ? sql::shared::user_tasks_open : sql::shared::user_tasks_all;
  }

  Pool pool_;
};

} // namespace perdure::store
