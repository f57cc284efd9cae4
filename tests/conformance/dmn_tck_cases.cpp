#include "dmn_tck_cases.h"

#include "corpus.h"
#include "xml/xml.h"

namespace perdure::conformance {

namespace {

using xml::Element;
using xml::Vocabulary;

const Element* child(const Element& parent, std::string_view name) {
  return parent.child(Vocabulary::foreign, name);
}

std::string local_name(std::string_view qualified) {
  return std::string(qualified.substr(qualified.find(':') + 1));
}

/// The value that stands directly inside the element.
TckValue read_value(const Element& parent) {
  TckValue value;
  for (const auto& element : parent.children) {
    if (element.name == "component") {
      value.kind = TckValue::Kind::context;
      value.names.emplace_back(element.get("name"));
      value.items.push_back(read_value(element));
    } else if (element.name == "list") {
      value.kind = TckValue::Kind::list;
      for (const auto& item : element.children)
        value.items.push_back(read_value(item));
    } else if (element.name == "value") {
      const auto* nil = element.find(Vocabulary::foreign, "nil");
      if (nil && xml::is_true(*nil)) continue;
      value.kind = TckValue::Kind::text;
      const auto* type = element.find(Vocabulary::foreign, "type");
      value.type = type ? local_name(*type) : "string";
      value.text = element.text;
    }
  }
  return value;
}

TckCase read_case(const Element& element) {
  TckCase test{.id = std::string(element.get("id")), .service = {}, .inputs = {}, .results = {}};
  if (element.get("type") == "decisionService") test.service = element.get("invocableName");
  for (const auto& node : element.children) {
    if (node.name == "inputNode") {
      test.inputs.push_back(
          {std::string(node.get("name")), std::string(node.get("namespace")), read_value(node)});
    } else if (node.name == "resultNode") {
      const auto* expected = child(node, "expected");
      test.results.push_back({std::string(node.get("name")), xml::is_true(node.get("errorResult")),
                              expected ? read_value(*expected) : TckValue{}});
    }
  }
  return test;
}

} // namespace

std::optional<TckFile> read_tck_file(const std::filesystem::path& path) {
  const auto root = xml::parse(read_file(path));
  if (!root || root->name != "testCases") return std::nullopt;
  TckFile file;
  for (const auto& element : root->children) {
    if (element.name == "modelName") file.model = xml::trim(element.text);
    if (element.name == "testCase") file.cases.push_back(read_case(element));
  }
  return file;
}

} // namespace perdure::conformance
