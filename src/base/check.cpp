#include "base/check.h"

namespace perdure {

void bug_found(const char* condition, const char* file, int line) {
  throw BugFound(std::string("broken invariant: ") + condition + " at " + file + ":" +
                 std::to_string(line));
}

} // namespace perdure
