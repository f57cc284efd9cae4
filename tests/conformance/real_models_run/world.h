// World: one engine on a SQLite file of its own, with a clock that only the test moves, and every
// command as a call that waits for its answer.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "engine/engine.h"
#include "store/store.h"

namespace perdure::conformance {

class MovedClock final : public Clock {
public:
  [[nodiscard]] Instant now() const override { return from_ms(ms_.load()); }
  void move_to(Instant time) { ms_ = std::max(ms_.load(), to_ms(time)); }

private:
  std::atomic<std::int64_t> ms_{1'800'000'000'000};
};

class QuietLog final : public Log {
public:
  void write(LogLevel, std::string_view, std::initializer_list<Field>) override {}
};

class EngineWorld {
public:
  EngineWorld();
  ~EngineWorld();
  EngineWorld(const EngineWorld&) = delete;
  EngineWorld& operator=(const EngineWorld&) = delete;

  /// The definitions, or every reason why not.
  [[nodiscard]] std::expected<std::vector<facts::ProcessDefinition>, std::string> deploy(
      std::vector<engine::Resource> files);

  /// Puts a decision there that gives true, whatever it is asked.
  void deploy_decision(const std::string& id);

  /// Sends a command and waits; the text of its failure, empty when it was done.
  template <class T, class Send>
  std::string send(Send&& send) {
    const auto answer = engine::ask<T>([&](auto reply) { send(*engine_, std::move(reply)); });
    return answer ? std::string() : answer.error().message;
  }
  [[nodiscard]] std::vector<engine::Job> fetch(const std::string& type);

  /// Returns when everything that can happen at this time has happened; false: it does not end.
  bool settle();
  [[nodiscard]] Instant now() const { return clock_.now(); }
  void move_to(Instant time);

  [[nodiscard]] std::vector<Key> instances();
  [[nodiscard]] facts::ProcessInstance instance(Key instance_id);
  [[nodiscard]] store::InstanceRecord record(Key instance_id);

private:
  std::filesystem::path folder_;
  MovedClock clock_;
  QuietLog log_;
  std::unique_ptr<store::Reader> reader_;
  std::unique_ptr<engine::Engine> engine_;
};

} // namespace perdure::conformance
