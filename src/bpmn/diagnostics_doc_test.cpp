// docs/diagnostics.md lists every code, and the sources emit every code.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "base/enum_text.h"
#include "definition/diagnostic_code.h"

namespace perdure::bpmn {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The first column of the tables: | `code` | ...
std::multiset<std::string> documented_codes() {
  std::multiset<std::string> codes;
  std::ifstream stream(fs::path(PERDURE_SOURCE_DIR) / "docs" / "diagnostics.md");
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("| `")) continue;
    codes.insert(line.substr(3, line.find('`', 3) - 3));
  }
  return codes;
}

TEST(DiagnosticsDoc, ListsEachCodeOnce) {
  std::multiset<std::string> expected;
  for (const auto name : enum_names(definition::Code{}))
    expected.emplace(name);
  EXPECT_EQ(documented_codes(), expected);
}

TEST(DiagnosticsDoc, EachCodeIsEmittedSomewhere) {
  std::string sources;
  for (const auto* room : {"bpmn", "definition", "dmn", "xml"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(PERDURE_SOURCE_DIR) / "src" / room)) {
      const auto name = entry.path().filename().string();
      if (name.ends_with(".cpp") && !name.ends_with("_test.cpp")) sources += content(entry.path());
    }
  }
  for (const auto name : enum_names(definition::Code{})) {
    EXPECT_NE(sources.find("Code::" + std::string(name)), std::string::npos) << name;
  }
}

} // namespace
} // namespace perdure::bpmn
