#include "many/many_fixture.h"

#include <algorithm>
#include <iostream>

#include "app/compile.h"
#include "app/fold_check.h"
#include "store/postgres/connection.h"
#include "store/postgres/postgres.h"
#include "store/postgres_cluster.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/sqlite.h"

namespace perdure::engine {

namespace {

std::unique_ptr<test::PostgresCluster> server;

} // namespace

std::string server_url() { return server ? server->url() : std::string(); }

ManyFlows::ManyFlows(Database database) : database_(database) {
  auto pattern = (std::filesystem::temp_directory_path() / "perdure_many_XXXXXX").string();
  EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
  folder_ = pattern;
  static int count = 0;
  schema_ = "many" + std::to_string(++count);
}

ManyFlows::~ManyFlows() {
  for (const auto id : instances()) {
    for (const auto& difference : app::compare_with_fold(record(id)))
      ADD_FAILURE() << app::to_text(difference);
  }
  if (HasFailure()) std::cerr << log_.text();
  reader_.reset();
  std::filesystem::remove_all(folder_);
}

ManyFlows::Opened ManyFlows::open() {
  if (database_ == Database::sqlite) {
    auto found = store::sqlite::open({.path = (folder_ / "perdure.db").string()}, clock_);
    EXPECT_TRUE(found) << found.error().message;
    return {std::move(found->store), std::move(found->reader)};
  }
  auto found = store::postgres::open({.url = server_url(), .schema = schema_});
  EXPECT_TRUE(found) << found.error().message;
  return {std::move(found->store), std::move(found->reader)};
}

std::unique_ptr<FlowNode> ManyFlows::make(const std::string& name, std::vector<FlowCode> codes,
                                          Options options) {
  options.node_name = name;
  options.handler_threads = 1;
  reader_.reset();
  auto opened = open();
  reader_ = std::move(opened.reader);
  auto node = std::make_unique<FlowNode>();
  node->reader = reader_;
  node->engine = std::make_unique<Engine>(make_faulty(std::move(opened.store), node->faults),
                                          app::compile, clock_, log_, std::move(options));
  node->engine->listen(node->watcher);
  for (auto& code : codes)
    node->engine->define(std::move(code));
  node->engine->read_history_with(
      [node = node.get()](Key id, std::int64_t after,
                          std::int64_t limit) -> Result<std::vector<facts::HistoryEvent>> {
        if (node->faults->dead) return fail(ErrorCode::unavailable, "The process is frozen.");
        return node->reader->history(id, after, limit);
      });
  const auto started = node->engine->start();
  EXPECT_TRUE(started) << started.error().message;
  return node;
}

void ManyFlows::freeze(FlowNode& node) {
  settle(node);
  node.faults->dead = true;
  clock_.move(Duration(16'000));
}

void ManyFlows::thaw(FlowNode& node) {
  node.faults->dead = false;
  node.engine->wake();
}

Key ManyFlows::start(FlowNode& node, StartCommand command) {
  const auto started = ask<Started>(
      [&](auto reply) { node.engine->start_instance(std::move(command), std::move(reply)); });
  EXPECT_TRUE(started) << (started ? "" : started.error().message);
  return started ? started->instance_id : kNoKey;
}

void ManyFlows::send(FlowNode& node, Key id, std::string_view event) {
  const auto sent = ask<Correlated>([&](auto reply) {
    node.engine->send_message({.name = std::string(event),
                               .correlation_key = key_text(id),
                               .variables = Object{},
                               .time_to_live = std::chrono::hours(1)},
                              std::move(reply));
  });
  EXPECT_TRUE(sent) << (sent ? "" : sent.error().message);
}

std::string ManyFlows::cancel(FlowNode& node, Key id) {
  return outcome_of(
      ask<Done>([&](auto reply) { node.engine->cancel({.instance_id = id}, std::move(reply)); }));
}

std::string ManyFlows::schedule(FlowNode& node, ScheduleCommand command) {
  return outcome_of(
      ask<Done>([&](auto reply) { node.engine->schedule(std::move(command), std::move(reply)); }));
}

std::string ManyFlows::unschedule(FlowNode& node, const std::string& name) {
  return outcome_of(
      ask<Done>([&](auto reply) { node.engine->unschedule(name, std::move(reply)); }));
}

void ManyFlows::move_clock(Duration by, FlowNode& node) {
  clock_.move(by);
  settle(node);
}

void ManyFlows::settle(FlowNode& node) {
  node.engine->wake();
  const auto none = ask<std::vector<Job>>([&](auto reply) {
    static_cast<void>(node.engine->fetch({.worker_id = "w",
                                          .task_types = {"nobody-has-this-type"},
                                          .lock_duration = Duration(30'000)},
                                         std::move(reply)));
  });
  EXPECT_TRUE(none);
}

store::InstanceRecord ManyFlows::record(Key id) {
  auto found = reader_->record(id);
  EXPECT_TRUE(found && *found) << id;
  return found && *found ? std::move(**found) : store::InstanceRecord{};
}

std::vector<std::string> ManyFlows::attempts(Key id) {
  std::vector<std::string> lines;
  const auto rows = record(id);
  for (const auto& slot : rows.rows.attempts.slots()) {
    if (!slot.row.worker_id) continue;
    const auto& worker = *slot.row.worker_id;
    lines.push_back(rows.rows.steps.find(slot.row.step_id)->slug + " " +
                    std::string(name_of(slot.row.state)) + " " +
                    worker.substr(0, worker.find(':')));
  }
  return lines;
}

std::vector<Key> ManyFlows::instances() {
  if (!reader_) return {};
  auto ids = reader_->instance_ids({.limit = 100'000});
  EXPECT_TRUE(ids);
  return ids.value_or(std::vector<Key>());
}

std::int64_t ManyFlows::count(facts::InstanceStatus status) {
  return std::ranges::count_if(instances(), [&](Key id) { return this->status(id) == status; });
}

std::vector<std::string> ManyFlows::texts(const std::string& query) {
  if (database_ == Database::sqlite) {
    auto connection =
        store::sqlite::Connection::open({.path = (folder_ / "perdure.db").string()}).value();
    store::sqlite::Statement statement(connection->handle(), {"test", query}, nullptr);
    auto rows = statement.rows<std::string>();
    EXPECT_TRUE(rows) << query;
    return rows.value_or(std::vector<std::string>());
  }
  const auto connection = store::postgres::Connection::open(
      store::postgres::reader_connection({.url = server_url(), .schema = schema_}));
  EXPECT_TRUE(connection);
  const auto rows = (*connection)->text_rows(query);
  EXPECT_TRUE(rows) << query;
  std::vector<std::string> found;
  for (const auto& row : *rows)
    found.push_back(row.front());
  return found;
}

std::map<std::string, int> ManyFlows::slots() {
  std::map<std::string, int> counts;
  for (const auto& text :
       texts("SELECT CASE WHEN left_at IS NOT NULL THEN 'left' WHEN admitted_at IS NULL THEN "
             "'waits' ELSE 'runs' END FROM flow_slot")) {
    ++counts[text];
  }
  return counts;
}

} // namespace perdure::engine

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  auto started = perdure::test::PostgresCluster::start();
  if (started) perdure::engine::server = std::move(*started);
  if (!started) std::cout << "Without PostgreSQL: " << started.error() << ".\n";
  const int code = RUN_ALL_TESTS();
  perdure::engine::server.reset();
  return code;
}
