// tidy: the house rules as a test. STYLE.md tells people what the rules are; this enforces those
// that a program can judge.
#pragma once

#include <vector>

#include "finding.h"
#include "source.h"

namespace perdure::tidy {

/// Every broken rule of the tree, ordered by path and line. `tree` holds every text file of the
/// repository, among them src/rooms.txt, CMakeLists.txt and tools/tidy_exceptions.txt.
[[nodiscard]] Findings check_tree(const std::vector<SourceFile>& tree);

} // namespace perdure::tidy
