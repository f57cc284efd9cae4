#include "crash/seed.h"

#include <cstdlib>
#include <iostream>
#include <random>

namespace perdure::crash_test {

std::uint64_t seed_of_this_run() {
  const char* chosen = std::getenv("PERDURE_SEED");
  const std::uint64_t seed =
      chosen != nullptr ? std::strtoull(chosen, nullptr, 10) : std::random_device()();
  std::cout << "To repeat this run: PERDURE_SEED=" << seed << std::endl;
  return seed;
}

} // namespace perdure::crash_test
