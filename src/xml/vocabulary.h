// The XML vocabularies that a model may be written in.
#pragma once

#include <array>
#include <string_view>

namespace perdure::xml {

inline constexpr std::string_view kBpmnNamespace = "http://www.omg.org/spec/BPMN/20100524/MODEL";
inline constexpr std::string_view kZeebeNamespace = "http://camunda.org/schema/zeebe/1.0";
inline constexpr std::string_view kCamundaNamespace = "http://camunda.org/schema/1.0/bpmn";
inline constexpr std::string_view kOperatonNamespace = "http://operaton.org/schema/1.0/bpmn";
inline constexpr std::string_view kCamundaDmnNamespace = "http://camunda.org/schema/1.0/dmn";
inline constexpr std::string_view kOperatonDmnNamespace = "http://operaton.org/schema/1.0/dmn";
inline constexpr std::string_view kPerdureNamespace = "https://perdure.dev/schema/1.0";

/// DMN 1.1 to 1.5: the same elements, a namespace for each version; early tools had their own for
/// 1.1.
inline constexpr std::array<std::string_view, 6> kDmnNamespaces = {
    "http://www.omg.org/spec/DMN/20151101/dmn.xsd",
    "http://www.omg.org/spec/DMN/20151101/dmn11.xsd",
    "http://www.omg.org/spec/DMN/20180521/MODEL/",
    "https://www.omg.org/spec/DMN/20191111/MODEL/",
    "https://www.omg.org/spec/DMN/20211108/MODEL/",
    "https://www.omg.org/spec/DMN/20230324/MODEL/",
};

enum class Vocabulary {
  none,    ///< no namespace: attributes of BPMN and DMN themselves
  bpmn,    ///< BPMN 2.0
  dmn,     ///< DMN of any version
  zeebe,   ///< Camunda 8
  camunda, ///< Camunda 7 and Operaton, which differ in the namespace only
  perdure, ///< ours
  foreign, ///< anybody else's: diagrams and vendors' notes, never executed
};

[[nodiscard]] constexpr Vocabulary vocabulary_of(std::string_view namespace_uri) {
  if (namespace_uri.empty()) return Vocabulary::none;
  if (namespace_uri == kBpmnNamespace) return Vocabulary::bpmn;
  for (const auto dmn : kDmnNamespaces) {
    if (namespace_uri == dmn) return Vocabulary::dmn;
  }
  if (namespace_uri == kZeebeNamespace) return Vocabulary::zeebe;
  if (namespace_uri == kCamundaNamespace || namespace_uri == kOperatonNamespace ||
      namespace_uri == kCamundaDmnNamespace || namespace_uri == kOperatonDmnNamespace) {
    return Vocabulary::camunda;
  }
  if (namespace_uri == kPerdureNamespace) return Vocabulary::perdure;
  return Vocabulary::foreign;
}

/// As people write it: "zeebe:", "camunda:" ...
[[nodiscard]] constexpr std::string_view usual_prefix(Vocabulary vocabulary) {
  switch (vocabulary) {
    case Vocabulary::bpmn: return "bpmn:";
    case Vocabulary::dmn: return "dmn:";
    case Vocabulary::zeebe: return "zeebe:";
    case Vocabulary::camunda: return "camunda:";
    case Vocabulary::perdure: return "perdure:";
    case Vocabulary::none:
    case Vocabulary::foreign: return "";
  }
  return "";
}

} // namespace perdure::xml
