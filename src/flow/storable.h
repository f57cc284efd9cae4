// What a program gives is checked before it is kept: a database takes no text that is not UTF-8,
// and JSON no number that is not finite. Kept all the same, nobody could read the run again.
#pragma once

#include <string>
#include <string_view>

#include "perdure/value.h"

namespace perdure::flow {

/// Whether every text in it, the names of members too, is UTF-8, and every number finite.
[[nodiscard]] bool is_storable(const Value& value);
/// Throws BadValue when it is not; `what`: of what.
void require_storable(const Value& value, std::string_view what);
/// The same of a name: UTF-8 without a zero byte.
void require_name(std::string_view name, std::string_view what);
/// The text with a question mark for each byte that is none: to be shown to people.
[[nodiscard]] std::string readable(std::string_view text);

} // namespace perdure::flow
