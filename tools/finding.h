// What tidy has to say: one broken rule at one place.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <vector>

namespace perdure::tidy {

struct Finding {
  std::string path;
  std::size_t line = 0; ///< from 1
  std::string rule;     ///< as in tools/tidy_exceptions.txt
  std::string message;  ///< what is wrong and what to do

  friend auto operator<=>(const Finding&, const Finding&) = default;
};

using Findings = std::vector<Finding>;

} // namespace perdure::tidy
