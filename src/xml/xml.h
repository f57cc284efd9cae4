// XML as a small tree: expat with namespaces behind it, every element with its line and column.
// Hostile input ends in a diagnostic: no document type, bounded depth, size and counts.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "definition/definition.h"
#include "definition/diagnostic_code.h"
#include "xml/vocabulary.h"

namespace perdure::xml {

inline constexpr std::size_t kMaxBytes = 16 * 1024 * 1024;
inline constexpr std::size_t kMaxDepth = 256;
inline constexpr std::size_t kMaxElements = 200'000;
inline constexpr std::size_t kMaxAttributes = 256; ///< of one element

struct Attribute {
  Vocabulary vocabulary = Vocabulary::none;
  std::string name; ///< without prefix
  std::string value;
};

struct Element {
  Vocabulary vocabulary = Vocabulary::none;
  std::string name; ///< without prefix
  std::vector<Attribute> attributes;
  std::vector<Element> children;
  std::string text; ///< all character data directly inside, CDATA included
  definition::SourcePlace place;

  [[nodiscard]] bool is(Vocabulary wanted, std::string_view wanted_name) const {
    return vocabulary == wanted && name == wanted_name;
  }
  /// The attribute's value; nullptr when it is absent.
  [[nodiscard]] const std::string* find(Vocabulary wanted, std::string_view wanted_name) const;
  /// The value of a BPMN attribute (no namespace), empty when absent.
  [[nodiscard]] std::string_view get(std::string_view wanted_name) const;
  /// The first child of that name; nullptr when there is none.
  [[nodiscard]] const Element* child(Vocabulary wanted, std::string_view wanted_name) const;
};

struct Problem {
  definition::Code code{};
  definition::SourcePlace place;
  std::string message;
};

/// The root element of a document in any encoding that expat knows (UTF-8, UTF-16, ISO-8859-1,
/// ASCII); texts come out as UTF-8.
[[nodiscard]] std::expected<Element, Problem> parse(std::string_view document);

/// The text without white space around it.
[[nodiscard]] std::string_view trim(std::string_view text);
/// xsd:boolean: "true" or "1".
[[nodiscard]] bool is_true(std::string_view text);

} // namespace perdure::xml
