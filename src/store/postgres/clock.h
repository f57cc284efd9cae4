// DatabaseClock: the database's time, so that nodes whose own clocks differ agree on what is due
// and whose lease is over.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "perdure/result.h"
#include "store/postgres/connection.h"

namespace perdure::store::postgres {

/// Thread-safe. Between two measurements it goes on by the machine's steady clock, so that setting
/// the machine's time changes nothing. Small corrections never make it go back; after a failover to
/// a server with another time it follows that one.
class DatabaseClock final : public Clock {
public:
  [[nodiscard]] Instant now() const override;
  /// Asks the database. Errors leave the clock as it is.
  [[nodiscard]] Result<void> measure(Connection& connection);

private:
  std::atomic<std::int64_t> offset_ms_{0};         ///< to the steady clock
  mutable std::atomic<std::int64_t> latest_ms_{0}; ///< that was shown
};

} // namespace perdure::store::postgres
