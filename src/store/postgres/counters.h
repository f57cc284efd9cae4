// Counters: how much work the database was given. For benchmarks and metrics.
#pragma once

#include <atomic>
#include <cstdint>

namespace perdure::store::postgres {

/// Thread-safe; every count only grows.
struct Counters {
  std::atomic<std::int64_t> statements{0};  ///< executed by the writer, all kinds
  std::atomic<std::int64_t> rows{0};        ///< inserted, updated or deleted by the writer
  std::atomic<std::int64_t> commits{0};     ///< transactions of the writer that reached the disk
  std::atomic<std::int64_t> refused{0};     ///< units that the database refused
  std::atomic<std::int64_t> conflicts{0};   ///< units that another node overtook
  std::atomic<std::int64_t> connections{0}; ///< opened, the first ones and those after a loss
  std::atomic<int> process{0}; ///< the server's for the writer: its notifications are our own
};

} // namespace perdure::store::postgres
