// Batch: the rows of many units as statements, at most two a table, in an order in which every
// foreign key finds its parent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "facts/instance_state.h"
#include "facts/view.h"
#include "perdure/result.h"
#include "store/postgres/connection.h"
#include "store/store.h"

namespace perdure::store::postgres {

/// Rows of one table that are written with one statement.
struct RowWrites {
  const sql::Query* query = nullptr;
  std::vector<bool> used{}; ///< by field: whether the statement has a parameter for it
  RowArrays rows{};

  template <class Row>
  void add(const Row& row);
};

class Batch {
public:
  Batch();
  /// Adds the new and changed rows of a unit, its history, idempotency and audit records.
  void add(const Unit& unit);
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  /// The statements. An update that changes fewer rows than it should is found by check().
  [[nodiscard]] std::vector<Call> take();
  /// After they ran: `results` are those of the statements, in order.
  [[nodiscard]] Result<void> check(std::span<const QueryResult> results) const;

private:
  /// Updates come first: a row that closes makes place for one that opens.
  struct TableWrites {
    RowWrites update;
    RowWrites insert;
  };
  template <class Row>
  void add_slots(TableWrites& table, const facts::Table<Row>& rows);
  void add_state(const facts::InstanceState& state);

  TableWrites instance_, scope_, token_, step_, attempt_, external_task_, user_task_, timer_, join_,
      arrival_, incident_, dead_letter_, subscription_, compensation_, completion_, flow_run_,
      pending_event_, evaluation_, migration_;
  RowWrites sent_before_, message_, message_taken_, pending_moved_, start_moved_, slot_left_,
      slot_queued_, slot_admitted_, schedule_moved_, history_, idempotency_, audit_;
  std::vector<std::int64_t> expected_; ///< rows of each statement that was taken
  std::int64_t rows_ = 0;
};

} // namespace perdure::store::postgres
