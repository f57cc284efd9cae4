#include "bpmn/data_names.h"

#include <algorithm>
#include <array>

namespace perdure::bpmn {

using xml::Vocabulary;

namespace {

constexpr auto kDataElements = std::to_array<std::string_view>(
    {"dataObject", "dataObjectReference", "property", "dataInput", "dataOutput", "inputDataItem",
     "outputDataItem", "dataStoreReference"});

std::string_view own_name(const xml::Element& element) { return xml::trim(element.get("name")); }

} // namespace

DataNames::DataNames(const xml::Element& process) { add(process); }

void DataNames::add(const xml::Element& element) {
  for (const auto& child : element.children) {
    if (child.vocabulary != Vocabulary::bpmn) continue;
    const auto known = std::ranges::find(kDataElements, child.name) != kDataElements.end();
    if (known && !child.get("id").empty()) by_id_.emplace(child.get("id"), &child);
    if (child.name == "dataObjectReference") {
      reference_to_.emplace(xml::trim(child.get("dataObjectRef")), &child);
    }
    add(child);
  }
}

std::string DataNames::variable(std::string_view id) const {
  const auto* element = find(id);
  if (!element) return std::string(id);
  if (element->name == "dataObjectReference") {
    if (const auto* object = find(xml::trim(element->get("dataObjectRef")))) element = object;
  }
  if (!own_name(*element).empty()) return std::string(own_name(*element));
  // Modelling tools write the name of a data object at its reference.
  const auto reference = reference_to_.find(element->get("id"));
  if (reference != reference_to_.end() && !own_name(*reference->second).empty()) {
    return std::string(own_name(*reference->second));
  }
  return std::string(element->get("id"));
}

const xml::Element* DataNames::find(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

} // namespace perdure::bpmn
