// The machine's clock.
#pragma once

#include "base/clock.h"

namespace perdure::app {

class SystemClock final : public Clock {
public:
  [[nodiscard]] Instant now() const override {
    return std::chrono::floor<Duration>(std::chrono::system_clock::now());
  }
};

} // namespace perdure::app
