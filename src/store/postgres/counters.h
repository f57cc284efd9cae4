// Counters: how much work the database was given. For benchmarks and metrics.
#pragma once

#include <atomic>
#include <cstdint>

namespace perdure::store::postgres {

/// Sessions with the server, of writer and readers. Thread-safe.
struct SessionCounters {
  std::atomic<std::int64_t> opened{0};
  std::atomic<std::int64_t> lost{0};         ///< found dead when they were next needed
  std::atomic<std::int64_t> refused{0};      ///< tries to open one that failed
  std::atomic<std::int64_t> readers_lent{0}; ///< now; the one count that shrinks
  std::atomic<std::int64_t> reader_waits{0}; ///< queries that found all readers lent
};

/// Thread-safe; every count only grows.
struct Counters {
  SessionCounters sessions;
  std::atomic<std::int64_t> statements{0};  ///< executed by the writer, all kinds
  std::atomic<std::int64_t> rows{0};        ///< inserted, updated or deleted by the writer
  std::atomic<std::int64_t> commits{0};     ///< transactions of the writer that reached the disk
  std::atomic<std::int64_t> refused{0};     ///< units that the database refused
  std::atomic<std::int64_t> conflicts{0};   ///< units that another node overtook
  std::atomic<std::int64_t> connections{0}; ///< opened by the writer, first and after a loss
  std::atomic<int> process{0}; ///< the server's for the writer: its notifications are our own
};

} // namespace perdure::store::postgres
