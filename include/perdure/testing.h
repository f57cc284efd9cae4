// TestEngine: the same engine for your own tests, with any framework. Its clock stands still until
// the test moves it, and its database is in memory: a flow of thirty days takes milliseconds.
//
//   perdure::TestEngine engine;
//   engine.define<fulfil>("order");
//   auto id = engine.start("order", Order{"o-17", 120});
//   engine.advance(1min);                                  // the payment window
//   engine.send(*id, "payment.received", Payment{120});
//   engine.crash_at_step("fulfil", perdure::CrashPoint::after_callback);
//   engine.settle();                                       // ships, and dies before that is kept
//   engine.restart();                                      // what follows is a new process
//   engine.advance(1s);                                    // the pause before the second attempt
//   assert(engine.result<Receipt>(*id)->id == "o-17");
//   assert(engine.steps(*id).back().attempts == 2);
//
// Nothing here sleeps. What looks at the engine waits until all that is due has been done and no
// callback runs: so a callback must not wait for the test that looks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perdure/api.h"
#include "perdure/flow.h"

namespace perdure {

/// Where a process dies at a step.
enum class CrashPoint {
  before_commit,  ///< before the database knows of the step, or of the commit that is counted
  after_callback, ///< the work is done, and the database does not know that
  after_commit,   ///< its end is in the database, and nobody has heard of it
};

/// A step as the database has it.
struct TestStep {
  std::string name;
  std::string parent; ///< the run that it is in; may be empty
  std::string status; ///< pending, running, waiting, completed, failed or cancelled
  std::int64_t attempts = 0;
  std::string error; ///< its name; may be empty
  std::string error_message;
  std::optional<Value> output;
};
/// "charge failed 3 CardDeclined": name, status, attempts and error, if any.
[[nodiscard]] PERDURE_API std::string to_text(const TestStep& step);

/// An attempt of a run, or of a task.
struct TestAttempt {
  std::int64_t number = 0; ///< from 1
  std::string state;       ///< started, succeeded, failed, interrupted or released
  std::string error;       ///< its name; may be empty
  std::string error_message;
  std::optional<std::chrono::milliseconds> pause; ///< from its end to the next attempt
};

struct TestOptions {
  EngineOptions engine{};
  /// A file or a PostgreSQL database instead of memory, for tests that kill real processes. Nobody
  /// else uses the database meanwhile; there a new process leaves runs alone that were changed in
  /// the last 500 ms of the clock.
  std::optional<Storage> storage{};
  /// What the clock shows at first; a database that has seen a later time goes on from there.
  std::chrono::sys_time<std::chrono::milliseconds> begin{
      std::chrono::sys_days{std::chrono::year{2030} / std::chrono::January / 1}};
};

/// Everything that Engine has; and time, crashes and looks of its own. Of one thread at a time.
class PERDURE_API TestEngine : public Engine {
public:
  explicit TestEngine(TestOptions options = {});
  ~TestEngine();

  // ---- time ----
  /// Returns when everything due has been done and nothing runs; or after a crash.
  void settle();
  /// Moves the clock by so much, from one thing that is due to the next, each at its own time, and
  /// settles.
  void advance(std::chrono::milliseconds by);
  [[nodiscard]] std::chrono::sys_time<std::chrono::milliseconds> now() const;

  // ---- crashes ----
  /// The process dies when it next comes to that point of a step of that name, in whatever run.
  /// `time` 2: when it comes there the second time.
  void crash_at_step(std::string name, CrashPoint point, int time = 1);
  /// It dies at the commit of that number from now, counted from 1: before it is written, or after
  /// it (CrashPoint::after_commit).
  void crash_at_commit(int number, CrashPoint point = CrashPoint::before_commit);
  /// It dies now: nothing more gets into the database.
  void crash();
  [[nodiscard]] bool crashed() const;
  /// Called at the point of a crash, in the middle of the engine's work: to kill a real process.
  void when_crashing(std::function<void()> call);
  /// Ends what is left of the process; the next call is that of a new one on the same database.
  /// `define` and `handle` may come again before it: code of the same name and version is replaced.
  void restart();

  // ---- looks ----
  /// Instances of a flow or process, the oldest first; a run that goes on as a new one has two.
  [[nodiscard]] std::vector<std::int64_t> runs(const std::string& process_id);
  /// In the order in which they began.
  [[nodiscard]] std::vector<TestStep> steps(std::int64_t instance_id);
  [[nodiscard]] std::vector<TestAttempt> attempts(std::int64_t instance_id,
                                                  const std::string& step);
  /// Messages of incidents that are open: why a run rests.
  [[nodiscard]] std::vector<std::string> incidents(std::int64_t instance_id);
  [[nodiscard]] Result<Instance> instance(std::int64_t instance_id);
  /// The instance as it is when everything has settled; it does not wait for time to pass.
  [[nodiscard]] Result<Instance> wait(std::int64_t instance_id) { return instance(instance_id); }
  template <class T>
  [[nodiscard]] Result<T> result(std::int64_t flow_id) {
    settle();
    return Engine::result<T>(flow_id, std::chrono::milliseconds(0));
  }
  /// Commits of this life and those before.
  [[nodiscard]] int commits() const;

private:
  class Bed;
  TestEngine(std::shared_ptr<Bed> bed, const EngineOptions& options);
  std::shared_ptr<Bed> bed_;
};

} // namespace perdure
