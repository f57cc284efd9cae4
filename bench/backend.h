// Backend: a database as an engine uses it, whichever it is, and what it was given to do.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "store/postgres/postgres.h"
#include "store/store.h"

namespace perdure::bench {

class WallClock final : public Clock {
public:
  [[nodiscard]] Instant now() const override;
};

/// Counts of the writer since the database was opened.
struct Usage {
  std::int64_t statements = 0;
  std::int64_t rows = 0;
  std::int64_t commits = 0;

  Usage& operator+=(const Usage& other);
  [[nodiscard]] Usage operator-(const Usage& other) const;
};

struct Backend {
  std::shared_ptr<Clock> clock;
  std::unique_ptr<store::Store> store;
  std::unique_ptr<store::Reader> reader;
  std::function<Usage()> usage;
  /// Calls the function after commits of others, as long as the result lives. May be empty.
  std::function<std::shared_ptr<void>(std::function<void()> wake)> watch;
};

// End the program with a message when the database cannot be opened.
[[nodiscard]] Backend open_sqlite(const std::string& folder);
[[nodiscard]] Backend open_postgres(const store::postgres::Options& options);

/// Prints the message and ends the program: a benchmark has no use for half a result.
[[noreturn]] void give_up(const std::string& message);

} // namespace perdure::bench
