// Versions: the old and the new version of a process that a migration goes between, and how what is
// in the old one is called in the new one.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "definition/definition.h"

namespace perdure::decide {

/// Borrows all three.
class Versions {
public:
  using Mapping = std::map<std::string, std::string, std::less<>>;

  Versions(const definition::Definition& from, const definition::Definition& to,
           const Mapping& mapping)
      : from_(from), to_(to), mapping_(mapping) {}

  [[nodiscard]] const definition::Definition& from() const { return from_; }
  [[nodiscard]] const definition::Definition& to() const { return to_; }
  [[nodiscard]] const Mapping& mapping() const { return mapping_; }

  /// What has that id in the old version has this one in the new version, if it is there.
  [[nodiscard]] std::string_view new_id(std::string_view old_id) const {
    const auto found = mapping_.find(old_id);
    return found == mapping_.end() ? old_id : std::string_view(found->second);
  }
  /// The element of the old version; nullptr when there is none.
  [[nodiscard]] const definition::Node* old_node(std::string_view id) const {
    return node_of(from_, id);
  }
  /// What it is in the new version; nullptr when it is not there.
  [[nodiscard]] const definition::Node* new_node(std::string_view old_id) const {
    return node_of(to_, new_id(old_id));
  }

private:
  static const definition::Node* node_of(const definition::Definition& definition,
                                         std::string_view id) {
    const auto index = definition.find_node(id);
    return index == definition::kNone ? nullptr : &definition.node(index);
  }

  const definition::Definition& from_;
  const definition::Definition& to_;
  const Mapping& mapping_;
};

} // namespace perdure::decide
