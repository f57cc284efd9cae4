// Completions on PostgreSQL: who is to be told of the end of a run, and what became of it.
#include <string>
#include <utility>

#include "store/postgres/store.h"

namespace perdure::store::postgres {

namespace queries = sql::postgres;

Result<std::optional<FlowKind>> PostgresStore::flow_kind(std::string_view process_id) {
  const auto result = side_.query(queries::flow_kind_of, parameters(process_id));
  if (!result) return std::unexpected(result.error());
  return result->row<FlowKind>();
}

Result<void> PostgresStore::put_flow_kind(const FlowKind& kind) {
  const auto done = side_.query(queries::flow_kind_deliver, row_parameters(kind));
  if (!done) return std::unexpected(done.error());
  return {};
}

Result<std::vector<DueCompletion>> PostgresStore::take_completions(
    std::span<const std::string> flows, Instant now, Instant until, std::int64_t limit) {
  ArrayParameter names(kText);
  for (const auto& flow : flows)
    names.add(flow);
  Parameters given;
  given.push_back(names.take());
  for (const auto at : {now, until})
    given.push_back(parameter(at));
  given.push_back(parameter(limit));
  const auto taken = side_.query(queries::completions_take, std::move(given));
  if (!taken) return std::unexpected(taken.error());
  return taken->rows<DueCompletion>();
}

Result<void> PostgresStore::settle_completions(std::span<const CompletionTold> told) {
  ArrayParameter ids(kBigint);
  ArrayParameter attempts(kBigint);
  ArrayParameter delivered(kTimestamp);
  ArrayParameter next(kTimestamp);
  ArrayParameter errors(kText);
  for (const auto& one : told) {
    ids.add(one.instance_id);
    attempts.add(one.attempt);
    delivered.add(one.delivered_at);
    next.add(one.next_attempt_at);
    errors.add(one.error);
  }
  Parameters given;
  for (auto* array : {&ids, &attempts, &delivered, &next, &errors})
    given.push_back(array->take());
  const auto done = side_.query(queries::completions_settle, std::move(given));
  if (!done) return std::unexpected(done.error());
  return {};
}

} // namespace perdure::store::postgres
