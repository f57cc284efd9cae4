// Loop markers: how an activity is repeated, in the words of BPMN, Camunda 8 and Camunda 7.
#pragma once

#include <optional>
#include <string_view>

#include "bpmn/data_names.h"
#include "bpmn/event_reader.h"
#include "definition/definition.h"
#include "definition/report.h"
#include "xml/xml.h"

namespace perdure::bpmn {

/// Whether the element is a loop marker.
[[nodiscard]] bool is_loop(const xml::Element& element);

/// Reads the loop marker of an activity, if it has one, into `node`. False, and reported, when
/// something is missing, wrong or not executable. `counts_from_zero`: loopCounter as Camunda 7 has
/// it.
bool read_loop(const xml::Element& activity, const DataNames& names, const References& references,
               bool counts_from_zero, definition::Node& node, definition::Report& report);

} // namespace perdure::bpmn
