#include "bench/bare_loop.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "base/json.h"
#include "bench/figures.h"
#include "bench/workload.h"
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
      : rows_(sample.rows), connection_(connection) {
    for (const auto& event : sample.history) {
      history_.push_back(event);
      payloads_.push_back(json::write(event.payload));
    }
  }

  /// Inserts one copy whose keys are `offset` higher; returns the number of rows.
  int insert(Key offset) {
    auto instance = rows_.instance;
    instance.id += offset;
    run(connection_.statement(queries::process_instance_insert).bind_row(instance));
    int count = 1 + insert_table(rows_.scopes, queries::scope_insert, offset) +
                insert_table(rows_.tokens, queries::token_insert, offset) +
                insert_table(rows_.steps, queries::step_record_insert, offset) +
                insert_table(rows_.attempts, queries::step_attempt_insert, offset) +
                insert_table(rows_.external_tasks, queries::external_task_insert, offset);
    auto& insert = connection_.statement(queries::history_event_insert);
    for (std::size_t i = 0; i < history_.size(); ++i) {
      run(insert.bind(instance.id, history_[i].sequence, history_[i].event_type,
                      history_[i].category, history_[i].occurred_at, payloads_[i]));
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
    for (const auto& slot : table.slots()) {
      auto row = slot.row;
      row.instance_id += offset;
      if constexpr (requires { row.id; }) row.id += offset;
      if constexpr (requires { row.scope_id; }) row.scope_id += offset;
      if constexpr (requires { row.step_id; }) row.step_id += offset;
      if constexpr (requires { row.token_id + offset; }) {
        row.token_id += offset;
      } else if constexpr (requires { row.token_id; }) {
        if (row.token_id) *row.token_id += offset;
      }
      run(statement.bind_row(row));
    }
    return static_cast<int>(table.size());
  }

  facts::InstanceState rows_;
  Connection& connection_;
  std::vector<facts::HistoryEvent> history_;
  std::vector<std::string> payloads_;
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
