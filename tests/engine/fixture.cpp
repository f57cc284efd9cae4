#include "engine/fixture.h"

#include <algorithm>
#include <stdexcept>

#include "app/compile.h"
#include "app/fold_check.h"
#include "store/sqlite/sqlite.h"

namespace perdure::engine {

namespace {

std::filesystem::path fresh_folder() {
  auto pattern = (std::filesystem::temp_directory_path() / "perdure_engine_XXXXXX").string();
  EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
  return pattern;
}

} // namespace

void MemoryLog::write(LogLevel, std::string_view event, std::initializer_list<Field> fields) {
  std::string line(event);
  for (const auto& [name, value] : fields)
    line.append(" ").append(name).append("=").append(value);
  const std::lock_guard lock(mutex_);
  entries_.emplace_back(event, std::move(line));
}

int MemoryLog::count(std::string_view event) {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(
      std::ranges::count_if(entries_, [&](const auto& entry) { return entry.first == event; }));
}

std::string MemoryLog::text() {
  const std::lock_guard lock(mutex_);
  std::string all;
  for (const auto& entry : entries_)
    all.append(entry.second).append("\n");
  return all;
}

EngineTest::EngineTest() : folder_(fresh_folder()) {}

EngineTest::~EngineTest() { std::filesystem::remove_all(folder_); }

void EngineTest::TearDown() {
  end();
  if (reader_) expect_sound();
  if (HasFailure()) std::fputs(log_.text().c_str(), stderr);
  reader_.reset();
}

EngineTest::Database EngineTest::open_database() {
  auto database = store::sqlite::open({.path = path()}, clock_);
  if (!database) throw std::runtime_error(database.error().message);
  counters_ = std::move(database->counters);
  return {std::move(database->store), std::move(database->reader)};
}

void EngineTest::create(Options options) {
  end();
  reader_.reset();
  auto database = open_database();
  reader_ = std::move(database.reader);
  faults_ = std::make_shared<Faults>();
  watcher_ = std::make_unique<Watcher>();
  engine_ = std::make_unique<Engine>(make_faulty(std::move(database.store), faults_), app::compile,
                                     clock_, log_, std::move(options));
  engine_->listen(*watcher_);
}

void EngineTest::begin() {
  const auto started = engine_->start();
  ASSERT_TRUE(started) << started.error().message;
}

void EngineTest::end() {
  if (!engine_) return;
  faults_->commit_gate.open();
  engine_.reset();
}

void EngineTest::run(Options options) {
  create(std::move(options));
  begin();
}

void EngineTest::crash() {
  faults_->dead = true;
  end();
}

void EngineTest::advance(Duration by) {
  clock_.move(by);
  engine_->wake();
}

void EngineTest::settle() {
  engine_->wake();
  EXPECT_TRUE(fetch("nobody-has-this-type").empty());
}

// ---- commands
// ---------------------------------------------------------------------------------------

Key EngineTest::deploy(const std::string& xml) {
  const auto deployed = ask<Deployed>(
      [&](auto reply) { engine_->deploy({.resources = {{"m.bpmn", xml}}}, std::move(reply)); });
  if (!deployed) {
    ADD_FAILURE() << deployed.error().message;
    for (const auto& diagnostic : deployed.error().diagnostics)
      ADD_FAILURE() << definition::to_text(diagnostic);
    return kNoKey;
  }
  return deployed->definitions.front().id;
}

Answer<Started> EngineTest::try_start(StartCommand command) {
  return ask<Started>(
      [&](auto reply) { engine_->start_instance(std::move(command), std::move(reply)); });
}

Key EngineTest::start(std::string_view process_id, Value variables) {
  const auto started =
      try_start({.process_id = std::string(process_id), .variables = std::move(variables)});
  if (!started) ADD_FAILURE() << started.error().message;
  return started ? started->instance_id : kNoKey;
}

std::vector<Job> EngineTest::fetch(std::string_view type, std::string_view worker, int max_tasks,
                                   Duration lock) {
  auto future = park({.worker_id = std::string(worker),
                      .task_types = {std::string(type)},
                      .max_tasks = max_tasks,
                      .lock_duration = lock});
  auto jobs = take(future);
  EXPECT_TRUE(jobs);
  return jobs ? *std::move(jobs) : std::vector<Job>();
}

Job EngineTest::fetch_one(std::string_view type, std::string_view worker) {
  auto jobs = fetch(type, worker);
  EXPECT_EQ(jobs.size(), 1U);
  return jobs.empty() ? Job{} : std::move(jobs.front());
}

Answer<Done> EngineTest::complete(Key task_id, std::string_view worker,
                                  std::optional<Value> variables) {
  return ask<Done>([&](auto reply) {
    engine_->complete_task(
        {.task_id = task_id, .worker_id = std::string(worker), .variables = std::move(variables)},
        std::move(reply));
  });
}

Answer<Done> EngineTest::fail_task(Key task_id, std::string_view worker) {
  return ask<Done>([&](auto reply) {
    engine_->fail_task({.task_id = task_id,
                        .worker_id = std::string(worker),
                        .error_name = "Broken",
                        .error_message = "It broke."},
                       std::move(reply));
  });
}

Answer<Done> EngineTest::cancel(Key instance_id) {
  return ask<Done>(
      [&](auto reply) { engine_->cancel({.instance_id = instance_id}, std::move(reply)); });
}

Answer<Done> EngineTest::retry(Key instance_id) {
  return ask<Done>(
      [&](auto reply) { engine_->retry({.instance_id = instance_id}, std::move(reply)); });
}

std::future<Answer<Started>> EngineTest::send_start(std::string_view process_id) {
  auto [reply, future] = promise_reply<Started>();
  engine_->start_instance(
      {.process_id = std::string(process_id), .variables = Object{{"amount", 1}}},
      std::move(reply));
  return std::move(future);
}

std::future<Answer<std::vector<Job>>> EngineTest::park(FetchCommand command, PollHandle* handle) {
  auto [reply, future] = promise_reply<std::vector<Job>>();
  const auto made = engine_->fetch(std::move(command), std::move(reply));
  if (handle) *handle = made;
  return std::move(future);
}

// ---- the database
// -----------------------------------------------------------------------------------

store::InstanceRecord EngineTest::record(Key instance_id) {
  auto found = reader_->record(instance_id);
  if (!found || !*found) {
    ADD_FAILURE() << "no record of instance " << instance_id;
    return {};
  }
  return std::move(**found);
}

facts::InstanceStatus EngineTest::status(Key instance_id) {
  return record(instance_id).rows.instance.status;
}

std::vector<facts::StepAttempt> EngineTest::attempts(Key instance_id) {
  auto found = reader_->attempts(instance_id);
  EXPECT_TRUE(found);
  return found ? *std::move(found) : std::vector<facts::StepAttempt>();
}

std::vector<facts::AttemptState> EngineTest::attempt_states(Key instance_id) {
  std::vector<facts::AttemptState> states;
  for (const auto& attempt : attempts(instance_id))
    states.push_back(attempt.state);
  return states;
}

facts::StepRecord EngineTest::step(Key instance_id, std::string_view node_id) {
  std::vector<facts::StepRecord> found;
  for (const auto& slot : record(instance_id).rows.steps.slots()) {
    if (slot.row.node_id == node_id) found.push_back(slot.row);
  }
  EXPECT_EQ(found.size(), 1U) << node_id;
  return found.empty() ? facts::StepRecord{} : found.front();
}

facts::ExternalTask EngineTest::task(Key instance_id) {
  const auto rows = record(instance_id).rows;
  EXPECT_EQ(rows.external_tasks.size(), 1U);
  return rows.external_tasks.empty() ? facts::ExternalTask{}
                                     : rows.external_tasks.slots().front().row;
}

std::vector<facts::Incident> EngineTest::incidents(Key instance_id) {
  auto found = reader_->incidents(instance_id);
  EXPECT_TRUE(found);
  return found ? *std::move(found) : std::vector<facts::Incident>();
}

std::vector<Key> EngineTest::instances() {
  auto found = reader_->instance_ids({.limit = 100'000});
  EXPECT_TRUE(found);
  return found ? *std::move(found) : std::vector<Key>();
}

void EngineTest::expect_sound() {
  for (const auto id : instances()) {
    const auto all = record(id);
    for (const auto& difference : app::compare_with_fold(all))
      ADD_FAILURE() << app::to_text(difference);
    EXPECT_EQ(all.rows.instance.version, static_cast<std::int64_t>(all.history.size()));
    EXPECT_EQ(all.rows.instance.last_sequence, all.rows.instance.version);
  }
}

} // namespace perdure::engine
