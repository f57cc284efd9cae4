// TestBed: what a TestEngine gives its engine instead of the world's clock and a file of its own.
#pragma once

#include <memory>

#include "base/clock.h"
#include "perdure/engine.h"
#include "store/commit_guard.h"

namespace perdure::app {

struct TestBed {
  Clock& clock;
  Storage storage;
  bool in_memory = true; ///< the storage's file is the name of a database in memory
  std::shared_ptr<store::CommitGuard> guard;
};

} // namespace perdure::app
