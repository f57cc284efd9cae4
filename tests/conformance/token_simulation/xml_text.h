// A small XML tree built by hand and written as text: what the preparation of models needs beside
// the parser.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "xml/xml.h"

namespace perdure::conformance {

/// An element of BPMN.
[[nodiscard]] xml::Element make_element(
    std::string name, std::vector<std::pair<std::string, std::string>> attributes = {},
    std::string text = {});

/// Sets or replaces an attribute without namespace.
void set_attribute(xml::Element& element, std::string_view name, std::string_view value);

/// The document with its BPMN elements and plain attributes; pictures and extensions are left out.
[[nodiscard]] std::string write_xml(const xml::Element& root);

} // namespace perdure::conformance
