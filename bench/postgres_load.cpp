#include "bench/postgres_load.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "bench/cpu.h"
#include "bench/flows.h"
#include "bench/full_load.h"
#include "bench/postgres_bare.h"
#include "bench/postgres_waiting.h"
#include "tests/store/postgres_cluster.h"

namespace perdure::bench {

namespace {

using store::postgres::Connection;
using store::postgres::Options;

constexpr int kTurns = 3;

/// What docs/scaling.md advises for a server of this size; nothing that weakens durability.
test::PostgresSetup setup() {
  // Not the folder for temporary files, which may be memory.
  return {.parent = "/var/tmp",
          .settings = {"shared_buffers=512MB", "max_wal_size=4GB", "autovacuum_naptime=30s"}};
}

class PostgresBench {
public:
  PostgresBench(Figures& figures, const PostgresPlan& plan)
      : figures_(figures), plan_(plan), cluster_(start()) {
    auto opened = Connection::open(reader_connection(schema("public")));
    if (!opened) give_up(opened.error().message);
    observer_ = std::move(*opened);
  }

  void run() {
    if (plan_.only_flows) return flows();
    if (!plan_.only_waiting) {
      busy();
      flows();
    }
    million();
  }

  void flows() {
    for (const int count : {1, 4}) {
      std::vector<Backend> backends;
      for (int i = 0; i < count; ++i)
        backends.push_back(open_postgres(schema("flows" + std::to_string(count))));
      figures_.add("flow_postgres_flows_per_s_" + std::to_string(count),
                   flows_per_s(std::move(backends), 1'000 * count, plan_.seconds),
                   "three steps each, so many engines, fsync and synchronous_commit on");
    }
  }

private:
  void busy() {
    const auto sample = finished_instance(open_postgres(schema("sample")));
    const auto bare_before = bare(sample, "before");
    const auto one = run_one();
    figures_.add("bpmn_postgres_instances_per_s_2", run_nodes(2, "two").instances_per_s(),
                 "two engines on the same server");
    figures_.add("bpmn_postgres_instances_per_s_4", run_nodes(4, "four").instances_per_s());
    // Before and after, so that a machine that changes its speed does not flatter either side.
    const auto rows = (bare_before + bare(sample, "after")) / 2;
    figures_.add("postgres_bare_rows_per_s", rows, "the same rows, inserted by a bare loop");
    figures_.add("bpmn_postgres_row_ratio", one.rows_per_s() / rows);
  }

  static std::unique_ptr<test::PostgresCluster> start() {
    auto started = test::PostgresCluster::start(setup());
    if (!started) give_up(started.error());
    return std::move(*started);
  }

  [[nodiscard]] Options schema(const std::string& name) const {
    return {.url = cluster_->url(), .schema = name};
  }

  /// The best number of connections counts.
  double bare(const Sample& sample, const std::string& name) {
    double best = 0;
    for (const int connections : {1, 2, 4}) {
      const auto rows =
          postgres_bare_rows_per_s(sample, schema("bare_" + name + std::to_string(connections)),
                                   connections, plan_.seconds / 2);
      figures_.add("postgres_bare_rows_per_s_" + std::to_string(connections) + "_" + name, rows,
                   "so many connections");
      best = std::max(best, rows);
    }
    return best;
  }

  [[nodiscard]] Fleet nodes(int count, const std::string& name) const {
    std::vector<Backend> backends;
    for (int i = 0; i < count; ++i)
      backends.push_back(open_postgres(schema(name)));
    return Fleet(std::move(backends));
  }

  [[nodiscard]] Measured run_nodes(int count, const std::string& name) const {
    auto fleet = nodes(count, name);
    return keep_busy(fleet, plan_.seconds);
  }

  Measured run_one() {
    auto fleet = nodes(1, "one");
    const auto wal = number("SELECT pg_current_wal_lsn() - '0/0'");
    const auto own_cpu = own_cpu_seconds();
    const auto server_cpu = server_cpu_seconds();
    const auto one = keep_busy(fleet, plan_.seconds);
    fleet.finished().wait_for(fleet.started());
    const auto total = static_cast<double>(fleet.started());
    const auto wal_bytes = number("SELECT pg_current_wal_lsn() - '0/0'") - wal;
    const auto own_ms = (own_cpu_seconds() - own_cpu) * 1e3;
    const auto server_ms = (server_cpu_seconds() - server_cpu) * 1e3;
    figures_.add("bpmn_postgres_instances_per_s_1", one.instances_per_s(),
                 "start -> 3 service tasks -> gateway -> end, fsync and synchronous_commit on");
    figures_.add("bpmn_postgres_rows_per_s", one.rows_per_s());
    figures_.add("bpmn_postgres_rows_per_instance", one.each(one.usage.rows));
    figures_.add("bpmn_postgres_statements_per_instance", one.each(one.usage.statements));
    figures_.add("bpmn_postgres_commits_per_instance", one.each(one.usage.commits));
    figures_.add("bpmn_postgres_node_cpu_ms_per_instance", own_ms / total);
    figures_.add("postgres_server_cpu_ms_per_instance", server_ms / total);
    figures_.add("postgres_wal_bytes_per_instance", wal_bytes / total);
    figures_.add("postgres_bytes_per_instance",
                 number("SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' "
                        "AND relnamespace = 'one'::regnamespace") /
                     total,
                 "of a finished instance, with all history and indexes");
    return one;
  }

  void million() {
    const auto began = seconds_now();
    load_waiting(schema("loaded"), plan_.waiting_instances);
    figures_.add("postgres_waiting_load_s", seconds_now() - began);
    const std::string rows_walked =
        "SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE schemaname = 'loaded' AND relname "
        "NOT IN ('schema_migration', 'process_definition')";
    const auto walked = number(rows_walked);
    // In turn, so that a machine that changes its speed does not flatter either side.
    double empty = 0;
    double loaded = 0;
    for (int i = 0; i < kTurns; ++i) {
      empty += run_nodes(1, "empty").instances_per_s();
      loaded += run_nodes(1, "loaded").instances_per_s();
    }
    figures_.add("bpmn_postgres_million_waiting_ratio", loaded / empty,
                 "throughput beside a million waiting instances / in an empty database");
    figures_.add("bpmn_postgres_million_waiting_rows_walked", number(rows_walked) - walked,
                 "rows that queries met without an index");
  }

  /// The first line of the file is the server's process.
  [[nodiscard]] double server_cpu_seconds() const {
    pid_t server = 0;
    std::ifstream(cluster_->folder() + "/data/postmaster.pid") >> server;
    return children_cpu_seconds(server);
  }

  /// What the server says of itself.
  [[nodiscard]] double number(const std::string& query) {
    const auto rows = observer_->text_rows(query);
    if (!rows) give_up(rows.error().message);
    return std::stod(rows->front().front());
  }

  Figures& figures_;
  const PostgresPlan plan_;
  std::unique_ptr<test::PostgresCluster> cluster_;
  std::unique_ptr<Connection> observer_;
};

} // namespace

void postgres_load(Figures& figures, const PostgresPlan& plan) {
  PostgresBench(figures, plan).run();
}

} // namespace perdure::bench
