// docs/token-simulation.md as the runner reads it: which cases it does not run because they are not
// BPMN, and where the engine deviates, each with its clause. The page is the only list there is.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/token_simulation/corpus_case.h"

namespace perdure::conformance {

struct Listing {
  std::map<std::string, std::string> not_bpmn;   ///< case to reason
  std::map<std::string, std::string> deviations; ///< case to reason
};

/// Reads the tables below the headings `Not BPMN` and `Deviations`: a case and a reason in a row.
[[nodiscard]] Listing read_listing(std::string_view page);

/// Cases that the page may not list: unknown ones, and those that the corpus does not itself take
/// to be beyond BPMN.
[[nodiscard]] std::vector<std::string> problems_of(const Listing& listing,
                                                   const std::vector<Case>& cases);

} // namespace perdure::conformance
