// What a task makes of the value of a decision: the results of its rules, as the mapping wants
// them.
#pragma once

#include <expected>
#include <string>

#include "definition/specs.h"
#include "dmn/model.h"
#include "perdure/value.h"

namespace perdure::decide {

/// A decision's value, with what is known about how it came about.
struct DecisionValue {
  const dmn::Entry& decision;
  const Value& value;
  bool has_matches = false; ///< whether a rule of the decision's own table matched
};

/// The mapped value. The error is the part of a sentence behind the decision: "has 2 outputs where
/// ...".
[[nodiscard]] std::expected<Value, std::string> map_result(const DecisionValue& result,
                                                           definition::ResultMapping mapping);

} // namespace perdure::decide
