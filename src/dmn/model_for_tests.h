// Small models for the tests of this room.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "dmn/evaluate.h"
#include "dmn/read.h"

namespace perdure::dmn::for_tests {

inline constexpr std::string_view kNamespace = "https://www.omg.org/spec/DMN/20230324/MODEL/";

/// `definitions` around what is given, which starts in line 2.
inline std::string file(std::string_view content, std::string_view model_namespace = "urn:m") {
  return "<definitions xmlns=\"" + std::string(kNamespace) + "\" id=\"m\" name=\"M\" namespace=\"" +
         std::string(model_namespace) + "\">\n" + std::string(content) + "\n</definitions>\n";
}

/// A literal expression.
inline std::string feel(std::string_view text) {
  return "<literalExpression><text><![CDATA[" + std::string(text) +
         "]]></text></literalExpression>";
}

inline std::string input(std::string_view name, std::string_view type) {
  const std::string text(name);
  return "<inputData id=\"" + text + "\" name=\"" + text + "\"><variable name=\"" + text +
         "\" typeRef=\"" + std::string(type) + "\"/></inputData>";
}

/// A decision `name`, whose id is its name, with requirements and logic as given.
inline std::string decision(std::string_view name, std::string_view content,
                            std::string_view type = "Any") {
  const std::string text(name);
  return "<decision id=\"" + text + "\" name=\"" + text + "\"><variable name=\"" + text +
         "\" typeRef=\"" + std::string(type) + "\"/>" + std::string(content) + "</decision>";
}

inline std::string requires_input(std::string_view id) {
  return "<informationRequirement><requiredInput href=\"#" + std::string(id) +
         "\"/></informationRequirement>";
}
inline std::string requires_decision(std::string_view id) {
  return "<informationRequirement><requiredDecision href=\"#" + std::string(id) +
         "\"/></informationRequirement>";
}
inline std::string requires_knowledge(std::string_view id) {
  return "<knowledgeRequirement><requiredKnowledge href=\"#" + std::string(id) +
         "\"/></knowledgeRequirement>";
}

inline Reading read_all(const std::vector<std::string>& documents) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < documents.size(); ++i)
    names.push_back("m" + std::to_string(i) + ".dmn");
  std::vector<Source> sources;
  for (std::size_t i = 0; i < documents.size(); ++i)
    sources.push_back({names[i], documents[i]});
  return read(sources);
}

/// Errors and warnings as "code line:column id".
inline std::vector<std::string> problems(const Reading& reading) {
  std::vector<std::string> texts;
  for (const auto& found : reading.diagnostics) {
    EXPECT_TRUE(found.message.ends_with('.')) << found.message;
    EXPECT_FALSE(found.file.empty());
    texts.push_back(found.code + " " + std::to_string(found.line) + ":" +
                    std::to_string(found.column) + " " + found.element_id);
  }
  return texts;
}

/// A model without any problem.
inline ModelPtr sound(const std::vector<std::string>& documents) {
  auto reading = read_all(documents);
  for (const auto& found : reading.diagnostics)
    ADD_FAILURE() << definition::to_text(found);
  return reading.model;
}

/// What came out, as JSON, and the reasons beside it.
struct Result {
  std::string value;
  std::vector<std::string> reasons;
  std::string failure;
  std::vector<Step> trace;
};

/// `variables` is a JSON object.
inline Result decide(const ModelPtr& model, std::string_view what,
                     std::string_view variables = "{}") {
  const auto object = json::parse(variables);
  EXPECT_TRUE(object && object->is_object()) << variables;
  const auto inputs = inputs_of(*object->as<Object>());
  const auto outcome = evaluate(*model, what, inputs);
  if (!outcome) {
    ADD_FAILURE() << outcome.error();
    return {};
  }
  Result result{json::write(outcome->value), {}, {}, outcome->trace};
  for (const auto& warning : outcome->warnings)
    result.reasons.push_back(warning.warning.reason);
  if (outcome->failure) result.failure = outcome->failure->warning.reason;
  return result;
}

/// The value of the only decision `d` with that content.
inline Result decide_one(std::string_view content, std::string_view type = "Any") {
  return decide(read_all({file(decision("d", content, type))}).model, "d");
}

} // namespace perdure::dmn::for_tests
