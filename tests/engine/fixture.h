// One engine on a SQLite file in a fresh folder, with a clock of the test's own and a store that
// can be made to fail. After every test each instance's history must fold to its rows.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <expected>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "engine/engine.h"
#include "engine/faulty_store.h"
#include "engine/models.h"
#include "engine/signals.h"
#include "store/sqlite/counters.h"
#include "store/store.h"

namespace perdure::engine {

class VirtualClock final : public Clock {
public:
  [[nodiscard]] Instant now() const override { return from_ms(ms_.load()); }
  void move(Duration by) { ms_ += by.count(); }

private:
  std::atomic<std::int64_t> ms_{1'800'000'000'000};
};

/// Remembers the events written, to see which errors the engine met.
class MemoryLog final : public Log {
public:
  void write(LogLevel level, std::string_view event, std::initializer_list<Field> fields) override;
  /// How often the event was written.
  [[nodiscard]] int count(std::string_view event);
  [[nodiscard]] std::string text();

private:
  std::mutex mutex_;
  std::vector<std::pair<std::string, std::string>> entries_; ///< event, all in one line
};

class EngineTest : public ::testing::Test {
protected:
  EngineTest();
  ~EngineTest() override;
  void TearDown() override;

  struct Database {
    std::unique_ptr<store::Store> store;
    std::unique_ptr<store::Reader> reader;
  };
  /// The same one each time in a test: a SQLite file, unless a fixture has another.
  [[nodiscard]] virtual Database open_database();

  /// Makes an engine on the file, not yet started, with fresh faults and a fresh watcher.
  void create(Options options = {});
  void begin();
  /// Stops the engine and forgets it.
  void end();
  /// create() and begin() with no handlers.
  void run(Options options = {});
  /// What kill -9 leaves: the database takes no more, then the engine goes.
  void crash();

  [[nodiscard]] Engine& engine() { return *engine_; }
  [[nodiscard]] Faults& faults() { return *faults_; }
  [[nodiscard]] Watcher& watcher() { return *watcher_; }
  [[nodiscard]] MemoryLog& log() { return log_; }
  [[nodiscard]] VirtualClock& clock() { return clock_; }
  [[nodiscard]] store::Reader& reader() { return *reader_; }
  /// What the writer did since create().
  [[nodiscard]] const store::sqlite::Counters& database() const { return *counters_; }
  [[nodiscard]] std::string path() const { return (folder_ / "perdure.db").string(); }

  /// Moves the clock and lets the engine see it.
  void advance(Duration by);
  /// Returns when a sweep and all that was sent before are done.
  void settle();

  // Commands that wait for their answer.
  Key deploy(const std::string& xml);
  [[nodiscard]] Answer<Started> try_start(StartCommand command);
  Key start(std::string_view process_id, Value variables = {});
  /// Locks what there is now; waits for nothing.
  std::vector<Job> fetch(std::string_view type, std::string_view worker = "w1", int max_tasks = 1,
                         Duration lock = Duration(30'000));
  /// Locks exactly one.
  Job fetch_one(std::string_view type, std::string_view worker = "w1");
  [[nodiscard]] Answer<Done> complete(Key task_id, std::string_view worker = "w1",
                                      std::optional<Value> variables = std::nullopt);
  [[nodiscard]] Answer<Done> fail_task(Key task_id, std::string_view worker = "w1");
  [[nodiscard]] Answer<Done> cancel(Key instance_id);
  [[nodiscard]] Answer<Done> retry(Key instance_id);

  // Commands that do not wait.
  [[nodiscard]] std::future<Answer<Started>> send_start(std::string_view process_id);
  [[nodiscard]] std::future<Answer<std::vector<Job>>> park(FetchCommand command,
                                                           PollHandle* handle = nullptr);

  // What the database says.
  [[nodiscard]] store::InstanceRecord record(Key instance_id);
  [[nodiscard]] facts::InstanceStatus status(Key instance_id);
  [[nodiscard]] std::vector<facts::StepAttempt> attempts(Key instance_id);
  [[nodiscard]] std::vector<facts::AttemptState> attempt_states(Key instance_id);
  /// The only step of the node.
  [[nodiscard]] facts::StepRecord step(Key instance_id, std::string_view node_id);
  /// The only external task of the instance.
  [[nodiscard]] facts::ExternalTask task(Key instance_id);
  [[nodiscard]] std::vector<facts::Incident> incidents(Key instance_id);
  [[nodiscard]] std::vector<Key> instances();
  /// History without gaps, folding to the rows, of every instance; version is the last sequence.
  void expect_sound();

private:
  std::filesystem::path folder_;
  VirtualClock clock_;
  MemoryLog log_;
  std::shared_ptr<Faults> faults_;
  std::unique_ptr<Watcher> watcher_;
  std::unique_ptr<store::Reader> reader_;
  std::shared_ptr<store::sqlite::Counters> counters_;
  std::unique_ptr<Engine> engine_;
};

/// A reply and the future that it fulfils.
template <class T>
std::pair<Reply<T>, std::future<Answer<T>>> promise_reply() {
  std::promise<Answer<T>> promise;
  auto future = promise.get_future();
  return {Reply<T>([promise = std::move(promise)](Answer<T> answer) mutable {
            promise.set_value(std::move(answer));
          }),
          std::move(future)};
}

/// The answer; the test fails when it does not come.
template <class T>
Answer<T> take(std::future<Answer<T>>& future) {
  if (future.wait_for(kPatience) != std::future_status::ready) {
    ADD_FAILURE() << "no answer";
    return std::unexpected(Failure{});
  }
  return future.get();
}

/// "" when it was done, else the kind and the violation: "refused TokenFinalizedTwice".
template <class T>
std::string outcome_of(const Answer<T>& answer) {
  if (answer) return "";
  const auto kind = [&] {
    switch (answer.error().kind) {
      case Failure::Kind::invalid_input: return "invalid_input";
      case Failure::Kind::not_found: return "not_found";
      case Failure::Kind::refused: return "refused";
      case Failure::Kind::unavailable: return "unavailable";
      case Failure::Kind::internal: break;
    }
    return "internal";
  }();
  EXPECT_FALSE(answer.error().message.empty());
  if (answer.error().violation.empty()) return kind;
  return std::string(kind) + " " + answer.error().violation;
}

} // namespace perdure::engine
