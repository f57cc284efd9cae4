// The elements whose cost is measured, each in the middle of a process.
#pragma once

#include <string>
#include <vector>

namespace perdure::bench {

/// What somebody must do so that a token gets through.
enum class Deed { none, finish, message, signal };

struct ElementModel {
  std::string kind;   ///< as the figure is called
  std::string less;   ///< the kind whose cost is taken off; empty: a process with nothing inside
  std::string inside; ///< elements; a token comes to the first and leaves from `z`
  Deed deed = Deed::none;
  std::string first = "a"; ///< id of the element that it comes to
  int count = 1;           ///< how many of the element a token passes
};

[[nodiscard]] const std::vector<ElementModel>& element_models();

/// The BPMN file of a process that is called as its kind.
[[nodiscard]] std::string source_of(const ElementModel& model);

} // namespace perdure::bench
