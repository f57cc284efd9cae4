#include "bench/bare_loop.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "bench/backend.h"
#include "bench/copies.h"
#include "bench/figures.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/sqlite.h"

namespace perdure::bench {

namespace {

namespace queries = store::sql::sqlite;
using store::sqlite::Connection;

constexpr int kInstancesPerCommit = 256;

/// The rows of one instance, to be written again and again under new keys.
class Copies {
public:
  Copies(const store::InstanceRecord& sample, Connection& connection)
      : rows_(sample.rows), history_(history_of(sample)), connection_(connection) {}

  /// Inserts one copy whose keys are `offset` higher; returns the number of rows.
  int insert(Key offset) {
    run(connection_.statement(queries::process_instance_insert)
            .bind_row(raised(rows_.instance, offset)));
    const int count = 1 + insert_table(rows_.scopes, queries::scope_insert, offset) +
                      insert_table(rows_.tokens, queries::token_insert, offset) +
                      insert_table(rows_.steps, queries::step_record_insert, offset) +
                      insert_table(rows_.attempts, queries::step_attempt_insert, offset) +
                      insert_table(rows_.external_tasks, queries::external_task_insert, offset) +
                      insert_table(rows_.flow_runs, queries::flow_run_insert, offset);
    auto& insert = connection_.statement(queries::history_event_insert);
    for (const auto& row : history_) {
      run(insert.bind(row.instance_id + offset, row.sequence, row.event_type, row.category,
                      row.occurred_at, row.payload));
    }
    return count + static_cast<int>(history_.size());
  }

private:
  static void run(store::sqlite::Statement& statement) {
    if (auto done = statement.run(); !done) give_up("bare loop: " + done.error().message);
  }

  template <class Row>
  int insert_table(const facts::Table<Row>& table, const store::sql::Query& query, Key offset) {
    auto& statement = connection_.statement(query);
    for (const auto& slot : table.slots())
      run(statement.bind_row(raised(slot.row, offset)));
    return static_cast<int>(table.size());
  }

  facts::InstanceState rows_;
  std::vector<HistoryRow> history_;
  Connection& connection_;
};

} // namespace

double bare_rows_per_s(const store::InstanceRecord& sample,
                       const facts::ProcessDefinition& definition, const std::string& folder,
                       double seconds) {
  const WallClock clock;
  const auto path = store::sqlite::database_path(folder);
  {
    const auto made = store::sqlite::open({.path = path}, clock);
    if (!made) give_up(made.error().message);
  }
  auto connection = Connection::open({.path = path});
  if (!connection) give_up(connection.error().message);
  if (auto done =
          (*connection)->statement(queries::process_definition_insert).bind_row(definition).run();
      !done) {
    give_up(done.error().message);
  }
  Copies copies(sample, **connection);
  std::int64_t rows = 0;
  Key offset = 1'000'000;
  const auto began = seconds_now();
  while (seconds_now() - began < seconds) {
    auto transaction =
        store::sqlite::Transaction::begin(**connection, store::sqlite::Transaction::Kind::write);
    if (!transaction) give_up(transaction.error().message);
    for (int i = 0; i < kInstancesPerCommit; ++i)
      rows += copies.insert(offset += 1'000);
    if (auto done = transaction->commit(); !done) give_up(done.error().message);
  }
  return static_cast<double>(rows) / (seconds_now() - began);
}

double fsync_p50_ms(const std::string& folder) {
  const auto path = folder + "/fsync.bin";
  const int file = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) give_up("cannot write in " + folder);
  std::array<char, 4096> block{};
  std::vector<double> samples;
  for (int i = 0; i < 500; ++i) {
    block[0] = static_cast<char>(i);
    const auto began = seconds_now();
    if (::pwrite(file, block.data(), block.size(), 0) < 0 || ::fdatasync(file) != 0) {
      give_up("cannot write in " + folder);
    }
    samples.push_back((seconds_now() - began) * 1e3);
  }
  ::close(file);
  ::unlink(path.c_str());
  return percentile(samples, 0.5);
}

} // namespace perdure::bench
