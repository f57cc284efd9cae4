#include "bench/postgres_bare.h"

#include <atomic>
#include <thread>

#include "bench/copies.h"

namespace perdure::bench {

namespace {

namespace queries = store::sql::postgres;
using store::postgres::Call;
using store::postgres::Connection;

constexpr int kInstancesPerCommit = 256;
/// Between the keys of two copies.
constexpr Key kStride = 1'000;
constexpr Key kFirstCopy = 1'000'000'000;

/// The rows of one instance, again and again under new keys, as statements.
class Copies {
public:
  explicit Copies(const store::InstanceRecord& sample)
      : rows_(sample.rows), history_(history_of(sample)) {}

  [[nodiscard]] std::int64_t rows() const {
    return 1 + static_cast<std::int64_t>(rows_.scopes.size() + rows_.tokens.size() +
                                         rows_.steps.size() + rows_.attempts.size() +
                                         rows_.external_tasks.size() + history_.size());
  }
  /// One transaction.
  [[nodiscard]] std::vector<Call> insert(Key first, int count) const {
    std::vector<Call> calls;
    calls.push_back({&queries::transaction_begin_write, {}});
    const std::vector<facts::ProcessInstance> instance{rows_.instance};
    calls.push_back(table(instance, queries::process_instance_insert, first, count));
    calls.push_back(table(rows_.scopes.slots(), queries::scope_insert, first, count));
    calls.push_back(table(rows_.tokens.slots(), queries::token_insert, first, count));
    calls.push_back(table(rows_.steps.slots(), queries::step_record_insert, first, count));
    calls.push_back(table(rows_.attempts.slots(), queries::step_attempt_insert, first, count));
    calls.push_back(
        table(rows_.external_tasks.slots(), queries::external_task_insert, first, count));
    calls.push_back(table(history_, queries::history_event_insert, first, count));
    calls.push_back({&queries::transaction_commit, {}});
    return calls;
  }

private:
  static Call table(const auto& rows, const store::sql::Query& query, Key first, int count) {
    store::postgres::RowArrays arrays;
    for (int i = 0; i < count; ++i) {
      for (const auto& item : rows) {
        if constexpr (requires { item.row; }) {
          add(arrays, item.row, first + i * kStride);
        } else {
          add(arrays, item, first + i * kStride);
        }
      }
    }
    return {&query, arrays.take()};
  }
  template <class Row>
  static void add(store::postgres::RowArrays& arrays, const Row& row, Key offset) {
    static const std::vector<bool> all(kFieldCount<Row>, true);
    arrays.add(raised(row, offset), all);
  }

  facts::InstanceState rows_;
  std::vector<HistoryRow> history_;
};

void make_schema(const store::postgres::Options& options,
                 const facts::ProcessDefinition& definition) {
  const auto made = store::postgres::migrate(options);
  if (!made) give_up(made.error().message);
  const auto connection = Connection::open(engine_connection(options));
  if (!connection) give_up(connection.error().message);
  const auto inserted =
      (*connection)
          ->query(queries::process_definition_insert, store::postgres::row_parameters(definition));
  if (!inserted) give_up(inserted.error().message);
}

} // namespace

double postgres_bare_rows_per_s(const Sample& sample, const store::postgres::Options& options,
                                int connections, double seconds) {
  make_schema(options, sample.definition);
  const Copies copies(sample.record);
  std::atomic<Key> next{kFirstCopy};
  std::atomic<std::int64_t> instances{0};
  const auto began = seconds_now();
  const auto write = [&] {
    const auto connection = Connection::open(engine_connection(options));
    if (!connection) give_up(connection.error().message);
    while (seconds_now() - began < seconds) {
      const auto first = next.fetch_add(kInstancesPerCommit * kStride);
      const auto done = (*connection)->run(copies.insert(first, kInstancesPerCommit));
      if (!done) give_up("bare loop: " + done.error().message);
      instances += kInstancesPerCommit;
    }
  };
  std::vector<std::thread> writers;
  for (int i = 0; i < connections; ++i)
    writers.emplace_back(write);
  for (auto& writer : writers)
    writer.join();
  return static_cast<double>(instances * copies.rows()) / (seconds_now() - began);
}

} // namespace perdure::bench
