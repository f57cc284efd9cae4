// Small models for the tests of this room: a wrapper with all vocabularies, and diagnostics as
// short text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "bpmn/read.h"

namespace perdure::bpmn::for_tests {

inline constexpr std::string_view kDefinitions =
    R"(<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL")"
    R"( xmlns:zeebe="http://camunda.org/schema/zeebe/1.0")"
    R"( xmlns:camunda="http://camunda.org/schema/1.0/bpmn")"
    R"( xmlns:operaton="http://operaton.org/schema/1.0/bpmn")"
    R"( xmlns:perdure="https://perdure.dev/schema/1.0")"
    R"( xmlns:acme="http://acme.example/schema")"
    R"( xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" id="defs">)";

/// `definitions` around what is given, which starts in line 2.
inline std::string file(std::string_view content) {
  return std::string(kDefinitions) + "\n" + std::string(content) + "\n</bpmn:definitions>\n";
}

/// One executable process `p` in line 2 around elements that start in line 3, column 1.
inline std::string process(std::string_view elements) {
  return file("<bpmn:process id=\"p\" name=\"Order\" isExecutable=\"true\">\n" +
              std::string(elements) + "\n</bpmn:process>");
}

/// Errors and warnings as "code line:column id".
inline std::vector<std::string> problems(std::string_view document) {
  const auto deployment = read(document, "m.bpmn");
  std::vector<std::string> texts;
  for (const auto& found : deployment ? deployment->diagnostics : deployment.error()) {
    EXPECT_EQ(found.file, "m.bpmn");
    EXPECT_TRUE(found.message.ends_with('.')) << found.message;
    texts.push_back(found.code + " " + std::to_string(found.line) + ":" +
                    std::to_string(found.column) + " " + found.element_id);
  }
  return texts;
}

/// The definition of a file with one executable process; a failed test and null otherwise.
inline definition::DefinitionPtr compiled(std::string_view document) {
  const auto deployment = read(document, "m.bpmn");
  if (!deployment) {
    for (const auto& found : deployment.error())
      ADD_FAILURE() << definition::to_text(found);
    return nullptr;
  }
  EXPECT_EQ(deployment->processes.size(), 1U);
  return deployment->processes.at(0).definition;
}

} // namespace perdure::bpmn::for_tests
