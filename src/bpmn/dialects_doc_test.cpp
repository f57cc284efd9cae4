// docs/dialects.md ends with the table of extensions as the reader has it. PERDURE_REFRESH=1 writes
// it anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "bpmn/extension_rules.h"

namespace perdure::bpmn {
namespace {

constexpr std::string_view kHead = "## Extensions\n\n";

TEST(DialectsDoc, HasTheTableOfTheReader) {
  const std::string path = PERDURE_SOURCE_DIR "/docs/dialects.md";
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto head = text.find(kHead);
  ASSERT_NE(head, std::string::npos);
  const auto expected = text.substr(0, head) + std::string(kHead) + extension_table();
  if (std::getenv("PERDURE_REFRESH") != nullptr) {
    std::ofstream(path, std::ios::binary) << expected;
    return;
  }
  EXPECT_EQ(text, expected) << "run with PERDURE_REFRESH=1 and read the change";
}

} // namespace
} // namespace perdure::bpmn
