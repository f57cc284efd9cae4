// Chance: a seeded source of choices, the same on every machine.
#pragma once

#include <cstdint>
#include <iterator>
#include <random>

namespace perdure::random {

class Chance {
public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}

  /// 0 to limit - 1.
  int below(int limit) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(limit)); }
  /// True in `percent` of a hundred cases.
  bool hits(int percent) { return below(100) < percent; }
  template <class List>
  const auto& one_of(const List& list) {
    return *std::ranges::next(list.begin(), below(static_cast<int>(list.size())));
  }

private:
  std::mt19937_64 engine_;
};

} // namespace perdure::random
