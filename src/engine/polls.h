// Polls: fetches that wait for tasks. Parked, not threads; oldest first served.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/commands.h"

namespace perdure::engine {

struct Poll {
  std::uint64_t id = 0;
  FetchCommand command;
  Instant deadline{};
  std::shared_ptr<std::atomic<bool>> wanted; ///< false: the client is gone, it gets nothing
  Reply<std::vector<Job>> reply;
  std::size_t reserved = 0; ///< locks on their way to the database
  std::vector<Job> jobs;    ///< committed locks

  [[nodiscard]] std::size_t missing() const {
    const auto most = static_cast<std::size_t>(command.max_tasks);
    return most - std::min(most, reserved + jobs.size());
  }
  [[nodiscard]] bool wants(const std::string& type) const;
};

/// Of the writer thread only.
class Polls {
public:
  void add(Poll poll);
  /// The oldest poll that still takes a task of the type; nullptr when there is none.
  [[nodiscard]] Poll* taker(const std::string& type);
  [[nodiscard]] Poll* find(std::uint64_t id);
  /// Types that some poll still takes, each once.
  [[nodiscard]] std::vector<std::string> types() const;
  /// How many tasks of the type would be taken.
  [[nodiscard]] std::size_t demand(const std::string& type) const;
  /// Answers polls that have something, whose time is over, or whose client is gone. While the
  /// database is away, those that have nothing are told `outage`: there may well be tasks.
  void answer(Instant now, const std::optional<Failure>& outage = std::nullopt);
  /// Answers all with what they have.
  void answer_all();
  [[nodiscard]] std::optional<Instant> next_deadline() const;
  [[nodiscard]] bool empty() const { return polls_.empty(); }
  [[nodiscard]] std::size_t size() const { return polls_.size(); }

private:
  std::list<Poll> polls_;
};

} // namespace perdure::engine
