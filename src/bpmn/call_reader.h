// Reads what a call activity calls, in the words of each vocabulary.
#pragma once

#include <optional>
#include <string_view>

#include "definition/report.h"
#include "definition/specs.h"
#include "xml/xml.h"

namespace perdure::bpmn {

/// nullopt, and reported, when it names no process or a binding that is none.
[[nodiscard]] std::optional<definition::CallSpec> read_call(const xml::Element& element,
                                                            std::string_view id,
                                                            definition::Report& report);

} // namespace perdure::bpmn
