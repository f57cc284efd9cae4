// CHECK: a bug, not an error. On in release. Throws BugFound, so that the engine can set the one
// instance aside and serve the others; outside a decision nobody catches it and the process ends.
#pragma once

#include <stdexcept>
#include <string>

namespace perdure {

class BugFound : public std::logic_error {
public:
  using std::logic_error::logic_error;
};

[[noreturn]] void bug_found(const char* condition, const char* file, int line);

} // namespace perdure

#define PERDURE_CHECK(condition)                                            \
  do {                                                                      \
    if (!(condition)) ::perdure::bug_found(#condition, __FILE__, __LINE__); \
  } while (false)
