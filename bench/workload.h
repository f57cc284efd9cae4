// The process that is measured everywhere: start -> three service tasks -> exclusive gateway ->
// end, on an engine with in-process workers that do nothing.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "engine/engine.h"
#include "store/sqlite/sqlite.h"

namespace perdure::bench {

inline constexpr const char* kProcess = "bench";

class WallClock final : public Clock {
public:
  [[nodiscard]] Instant now() const override;
};

/// Told, on the writer thread, of every instance that completed.
class Completions final : public engine::Listener {
public:
  explicit Completions(std::function<void(Key)> completed) : completed_(std::move(completed)) {}
  void committed(const facts::InstanceState& state, std::span<const facts::Fact> facts) override;

private:
  std::function<void(Key)> completed_;
};

/// An engine with the process deployed, over a database in `folder`.
class Workload {
public:
  /// Ends the program with a message when the database or the model does not work.
  Workload(const std::string& folder, std::function<void(Key)> completed);
  ~Workload();
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  [[nodiscard]] engine::Engine& engine() { return *engine_; }
  [[nodiscard]] store::Reader& reader() { return *database_.reader; }
  [[nodiscard]] const store::sqlite::Counters& counters() const { return *database_.counters; }
  /// Starts one instance without waiting for the answer.
  void start();

private:
  WallClock clock_;
  NullLog log_;
  Completions completions_;
  store::sqlite::Database database_;
  std::unique_ptr<engine::Engine> engine_;
};

/// Prints the message and ends the program: a benchmark has no use for half a result.
[[noreturn]] void give_up(const std::string& message);

} // namespace perdure::bench
