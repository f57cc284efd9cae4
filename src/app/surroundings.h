// Surroundings: what main hands to every command.
#pragma once

#include "app/signals.h"
#include "base/clock.h"
#include "base/log.h"
#include "cli/output.h"

namespace perdure::app {

struct Surroundings {
  cli::Output& output;
  Log& log;
  Clock& clock;
  StopSignal& stop;
};

} // namespace perdure::app
