// FaultyStore: a real store that fails, stalls and lies when a test tells it to.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/signals.h"
#include "store/store.h"

namespace perdure::engine {

/// What is to go wrong; shared by the test and the store of the writer thread.
struct Faults {
  // Each counts down; the call then fails as `unavailable` and does nothing.
  std::atomic<int> failing_commits{0};
  std::atomic<int> failing_loads{0};
  std::atomic<int> failing_versions{0};
  std::atomic<int> failing_sweeps{0};
  std::atomic<int> failing_keys{0};
  std::atomic<int> failing_definitions{0};
  std::atomic<int> failing_deployments{0};
  std::atomic<int> failing_lookups{0};
  std::atomic<int> failing_purges{0};
  std::atomic<int> failing_completions{0};

  /// From now on every call fails, as after the death of the process.
  std::atomic<bool> dead{false};
  /// Dies at this commit, counted from 1; 0: never.
  std::atomic<int> dies_at_commit{0};
  /// The commit at which it dies is written, but nobody hears of it.
  std::atomic<bool> dies_after_writing{false};

  /// Commits pass here before they write.
  Gate commit_gate;

  std::atomic<int> commits{0};
  std::atomic<int> loads{0};
  std::atomic<int> holds{0};
  std::atomic<int> sweeps{0};

  /// An error for a unit that the database is to refuse.
  using Refuse = std::function<std::optional<Error>(const store::Unit&)>;
  void refuse(Refuse refuse);
  /// Changes states on their way from the database.
  using Corrupt = std::function<void(facts::InstanceState&)>;
  void corrupt(Corrupt corrupt);
  /// Rows that the next sweep finds beside the true ones.
  void add_due(store::DueRow row);

  [[nodiscard]] std::optional<Error> refusal_of(const store::Unit& unit);
  void bend(facts::InstanceState& state);
  [[nodiscard]] std::vector<store::DueRow> take_due();

private:
  std::mutex mutex_;
  Refuse refuse_;
  Corrupt corrupt_;
  std::vector<store::DueRow> due_;
};

/// The store with its faults.
[[nodiscard]] std::unique_ptr<store::Store> make_faulty(std::unique_ptr<store::Store> store,
                                                        std::shared_ptr<Faults> faults);

} // namespace perdure::engine
