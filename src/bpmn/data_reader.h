// Data of activities and events: input and output mappings of Camunda 8 and Camunda 7, data inputs,
// outputs and associations of BPMN; initial values of data objects.
#pragma once

#include "bpmn/data_names.h"
#include "definition/definition.h"
#include "definition/report.h"
#include "xml/xml.h"

namespace perdure::bpmn {

/// Reads the mappings of an activity or event into `node`. False, and reported, when one is wrong
/// or not executable.
bool read_data(const xml::Element& element, const DataNames& names, definition::Node& node,
               definition::Report& report);

/// The variables that data objects and properties of a process or sub-process begin with. Wrong
/// ones are reported.
[[nodiscard]] Object read_initial_values(const xml::Element& container, const DataNames& names,
                                         definition::Report& report);

} // namespace perdure::bpmn
