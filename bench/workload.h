// The process that is measured everywhere: start -> three service tasks -> exclusive gateway ->
// end, on engines with in-process workers that do nothing.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/log.h"
#include "bench/backend.h"
#include "engine/engine.h"

namespace perdure::bench {

inline constexpr const char* kProcess = "bench";

/// Told, on the writer thread, of every instance that completed.
class Completions final : public engine::Listener {
public:
  explicit Completions(std::function<void(Key)> completed) : completed_(std::move(completed)) {}
  void committed(const facts::InstanceState& state, std::span<const facts::Fact> facts) override;

private:
  std::function<void(Key)> completed_;
};

/// An engine with the process deployed.
class Workload {
public:
  /// Ends the program with a message when the database or the model does not work.
  Workload(Backend backend, std::function<void(Key)> completed);
  ~Workload();
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  [[nodiscard]] store::Reader& reader() { return *backend_.reader; }
  [[nodiscard]] Usage usage() const { return backend_.usage(); }
  /// Deploys one more model.
  void deploy(const std::string& name, const std::string& source);
  /// Starts one instance without waiting for the answer.
  void start();
  /// Starts one instance of another process and gives its id.
  [[nodiscard]] Key start(const std::string& process_id);

private:
  NullLog log_;
  Completions completions_;
  Backend backend_;
  std::unique_ptr<engine::Engine> engine_;
  std::shared_ptr<void> watch_;
};

/// Counts completed instances and lets a thread wait for the next ones.
class Finished {
public:
  void add(Key id);
  [[nodiscard]] std::int64_t count() const;
  /// Until there are so many; the last one.
  Key wait_for(std::int64_t count);

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t count_ = 0;
  Key last_ = kNoKey;
};

/// Engines of one database that work off what is started, in turn.
class Fleet {
public:
  explicit Fleet(std::vector<Backend> backends);
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  void start();
  [[nodiscard]] std::int64_t started() const { return started_; }
  [[nodiscard]] Finished& finished() { return finished_; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] Workload& first() { return *nodes_.front(); }
  [[nodiscard]] Usage usage() const;

private:
  Finished finished_;
  std::int64_t started_ = 0;
  std::vector<std::unique_ptr<Workload>> nodes_;
};

/// A fleet of one.
[[nodiscard]] std::unique_ptr<Fleet> single(Backend backend);

} // namespace perdure::bench
