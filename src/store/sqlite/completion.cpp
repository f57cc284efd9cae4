// Completions on SQLite: who is to be told of the end of a run, and what became of it.
#include <string>

#include "base/json.h"
#include "store/sqlite/store.h"

namespace perdure::store::sqlite {

namespace queries = sql::sqlite;

Result<std::optional<FlowKind>> SqliteStore::flow_kind(std::string_view process_id) {
  return connection_->statement(queries::flow_kind_of).bind(process_id).row<FlowKind>();
}

Result<void> SqliteStore::put_flow_kind(const FlowKind& kind) {
  return connection_->statement(queries::flow_kind_deliver).bind_row(kind).run();
}

Result<std::vector<DueCompletion>> SqliteStore::take_completions(std::span<const std::string> flows,
                                                                 Instant now, Instant until,
                                                                 std::int64_t limit) {
  Array names(flows.begin(), flows.end());
  const auto list = json::write(Value(std::move(names)));
  return connection_->statement(queries::completions_take)
      .bind(std::string_view(list), now, until, limit)
      .rows<DueCompletion>();
}

Result<void> SqliteStore::settle_completions(std::span<const CompletionTold> told) {
  auto transaction = Transaction::begin(*connection_, Transaction::Kind::write);
  if (!transaction) return std::unexpected(transaction.error());
  for (const auto& one : told) {
    const auto done = connection_->statement(queries::completions_settle).bind_row(one).run();
    if (!done) return done;
  }
  return transaction->commit();
}

} // namespace perdure::store::sqlite
