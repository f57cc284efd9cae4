// The clock as others see it; handed in by main, so that tests own time.
#pragma once

#include "base/time.h"

namespace perdure {

/// Thread-safe.
class Clock {
public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;
  [[nodiscard]] virtual Instant now() const = 0;
};

} // namespace perdure
