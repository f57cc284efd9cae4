// Data elements of a process (data objects, properties, data inputs and outputs) by the variables
// that they stand for.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "xml/xml.h"

namespace perdure::bpmn {

class DataNames {
public:
  DataNames() = default;
  explicit DataNames(const xml::Element& process);

  /// The variable of the data element of that id: its name, else its id; a reference stands for
  /// its data object. An id that the process does not have is a variable itself.
  [[nodiscard]] std::string variable(std::string_view id) const;
  /// The data element of that id; nullptr when the process has none.
  [[nodiscard]] const xml::Element* find(std::string_view id) const;

private:
  void add(const xml::Element& element);

  std::unordered_map<std::string_view, const xml::Element*> by_id_;
  std::unordered_map<std::string_view, const xml::Element*> reference_to_; ///< by data object
};

} // namespace perdure::bpmn
