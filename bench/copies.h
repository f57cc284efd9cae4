// Copies of one instance under new keys: what the bare loops write.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "store/store.h"

namespace perdure::bench {

/// The row with all its keys raised by `offset`; but for rows that other instances share.
template <class Row>
Row raised(Row row, Key offset) {
  const auto raise = [offset](auto& key) {
    if constexpr (requires { key += offset; }) {
      key += offset;
    } else if (key) {
      *key += offset;
    }
  };
  if constexpr (requires { row.id; }) raise(row.id);
  if constexpr (requires { row.instance_id; }) raise(row.instance_id);
  if constexpr (requires { row.scope_id; }) raise(row.scope_id);
  if constexpr (requires { row.parent_id; }) raise(row.parent_id);
  if constexpr (requires { row.token_id; }) raise(row.token_id);
  if constexpr (requires { row.step_id; }) raise(row.step_id);
  return row;
}

/// A fact as a row of history; its payload is text already.
struct HistoryRow {
  Key instance_id = kNoKey;
  std::int64_t sequence = 0;
  std::string event_type;
  std::string category;
  Instant occurred_at{};
  std::string payload;
};
PERDURE_DESCRIBE(HistoryRow, instance_id, sequence, event_type, category, occurred_at, payload)

[[nodiscard]] inline std::vector<HistoryRow> history_of(const store::InstanceRecord& record) {
  std::vector<HistoryRow> rows;
  for (const auto& event : record.history) {
    rows.push_back({record.rows.instance.id, event.sequence, std::string(event.event_type),
                    std::string(event.category), event.occurred_at, json::write(event.payload)});
  }
  return rows;
}

} // namespace perdure::bench
