#include "conformance/token_simulation/xml_text.h"

#include <algorithm>

namespace perdure::conformance {

namespace {

using xml::Vocabulary;

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      default: out += c;
    }
  }
}

void append_element(std::string& out, const xml::Element& element, int depth, bool is_root) {
  out.append(static_cast<std::size_t>(depth) * 2, ' ');
  out += "<bpmn:" + element.name;
  if (is_root) out += " xmlns:bpmn=\"" + std::string(xml::kBpmnNamespace) + "\"";
  for (const auto& attribute : element.attributes) {
    if (attribute.vocabulary != Vocabulary::none) continue;
    out += " " + attribute.name + "=\"";
    append_escaped(out, attribute.value);
    out += '"';
  }
  const bool empty = std::ranges::none_of(element.children, [](const xml::Element& child) {
    return child.vocabulary == Vocabulary::bpmn;
  });
  const auto text = xml::trim(element.text);
  if (empty && text.empty()) {
    out += "/>\n";
    return;
  }
  out += '>';
  append_escaped(out, text);
  if (!empty) out += '\n';
  for (const auto& child : element.children) {
    if (child.vocabulary == Vocabulary::bpmn) append_element(out, child, depth + 1, false);
  }
  if (!empty) out.append(static_cast<std::size_t>(depth) * 2, ' ');
  out += "</bpmn:" + element.name + ">\n";
}

} // namespace

xml::Element make_element(std::string name,
                          std::vector<std::pair<std::string, std::string>> attributes,
                          std::string text) {
  xml::Element element;
  element.vocabulary = Vocabulary::bpmn;
  element.name = std::move(name);
  element.text = std::move(text);
  for (auto& [key, value] : attributes) {
    element.attributes.push_back({Vocabulary::none, std::move(key), std::move(value)});
  }
  return element;
}

void set_attribute(xml::Element& element, std::string_view name, std::string_view value) {
  for (auto& attribute : element.attributes) {
    if (attribute.vocabulary != Vocabulary::none || attribute.name != name) continue;
    attribute.value = value;
    return;
  }
  element.attributes.push_back({Vocabulary::none, std::string(name), std::string(value)});
}

std::string write_xml(const xml::Element& root) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  append_element(out, root, 0, true);
  return out;
}

} // namespace perdure::conformance
