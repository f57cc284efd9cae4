// Which seeds a test of random models runs: PERDURE_SEED=N that one alone, PERDURE_ROUNDS=N more.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace perdure::random {

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t count = 0;
};

inline Seeds seeds(std::uint64_t default_count) {
  if (const char* one = std::getenv("PERDURE_SEED")) return {std::strtoull(one, nullptr, 10), 1};
  const char* rounds = std::getenv("PERDURE_ROUNDS");
  return {1, rounds ? std::strtoull(rounds, nullptr, 10) : default_count};
}

} // namespace perdure::random
