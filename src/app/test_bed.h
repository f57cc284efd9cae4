// TestBed: what a TestEngine gives its engine instead of the world's clock and a file of its own.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "store/sqlite/commit_guard.h"

namespace perdure::app {

struct TestBed {
  Clock& clock;
  std::string database;
  bool in_memory = true;
  std::shared_ptr<store::sqlite::CommitGuard> guard;
};

} // namespace perdure::app
