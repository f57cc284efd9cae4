// One executable process of a file: walks its elements into a definition::Builder.
#pragma once

#include "bpmn/event_reader.h"
#include "definition/definition.h"
#include "definition/report.h"
#include "xml/xml.h"

namespace perdure::bpmn {

/// Longer ids are refused: they stand in keys and messages.
inline constexpr std::size_t kMaxIdLength = 255;

/// The compiled process; null, and reported, when anything in it cannot be executed as it stands.
[[nodiscard]] definition::DefinitionPtr read_process(const xml::Element& process,
                                                     const References& references,
                                                     definition::Report& report);

/// The element's id; empty, and reported, when it has none or one that is too long.
[[nodiscard]] std::string_view read_id(const xml::Element& element, definition::Report& report);

} // namespace perdure::bpmn
