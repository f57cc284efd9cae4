// Counters: how much work the database was given. For benchmarks and metrics.
#pragma once

#include <atomic>
#include <cstdint>

namespace perdure::store::sqlite {

/// Thread-safe; every number only grows.
struct Counters {
  std::atomic<std::int64_t> statements{0}; ///< executed, all kinds
  std::atomic<std::int64_t> rows{0};       ///< inserted, updated or deleted by the writer
  std::atomic<std::int64_t> commits{0};    ///< transactions of the writer that reached the disk
  std::atomic<std::int64_t> refused{0};    ///< units that the database refused
};

} // namespace perdure::store::sqlite
