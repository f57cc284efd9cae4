// StopSignal: SIGINT and SIGTERM as something to wait for, instead of a handler that may do
// nothing.
#pragma once

#include "base/time.h"

namespace perdure::app {

/// To be made in main before any thread: all threads inherit that the signals are held back.
class StopSignal {
public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// Waits until a stop is asked for, at most `limit`; true when it was, also at an earlier call.
  [[nodiscard]] bool wait_for(Duration limit);
  /// Waits until a stop is asked for.
  void wait();

private:
  bool stopped_ = false;
};

} // namespace perdure::app
