// What an ad hoc sub-process and a complex gateway say about themselves.
#pragma once

#include <optional>
#include <string_view>

#include "definition/definition.h"
#include "definition/report.h"
#include "xml/xml.h"

namespace perdure::bpmn {

/// Order, completion condition and the activities that begin with it: zeebe:adHoc
/// activeElementsCollection or perdure:activeElements. Nothing, and reported, when one is wrong.
[[nodiscard]] std::optional<definition::AdHocSpec> read_ad_hoc(const xml::Element& element,
                                                               std::string_view id,
                                                               definition::Report& report);

/// The activation condition of a complex gateway. False, and reported, when it is wrong.
bool read_activation(const xml::Element& element, definition::Node& node,
                     definition::Report& report);

} // namespace perdure::bpmn
