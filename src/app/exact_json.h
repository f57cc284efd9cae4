// What an expression gave, as JSON text with every digit of its decimals: values of instances are
// doubles, but a person who asks for 1/3 wants all 34 digits.
#pragma once

#include <string>

#include "expr/datum.h"
#include "perdure/value.h"

namespace perdure::app {

/// Appends `datum` as compact JSON. `kept` is the value made of it (expr::value_of), which proves
/// that JSON can hold it.
void append_exact(std::string& out, const expr::Datum& datum, const Value& kept);

} // namespace perdure::app
