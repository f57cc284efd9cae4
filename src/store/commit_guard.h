// CommitGuard: sees the commits of a store and can end its life there, for tests of what a crash
// leaves behind.
#pragma once

#include <span>

namespace perdure::store {

struct Unit;

/// Called on the writer thread.
class CommitGuard {
public:
  CommitGuard() = default;
  CommitGuard(const CommitGuard&) = delete;
  CommitGuard& operator=(const CommitGuard&) = delete;
  virtual ~CommitGuard() = default;

  /// False: the store dies before it writes the units. From then on it writes nothing.
  [[nodiscard]] virtual bool before(std::span<const Unit> units) = 0;
  /// False: it dies with the units written, and nobody hears of it.
  [[nodiscard]] virtual bool after(std::span<const Unit> units) = 0;
};

} // namespace perdure::store
