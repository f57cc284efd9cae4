#include "dmn/header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dmn/model_for_tests.h"

namespace perdure::dmn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string importing(const std::string& own, const std::vector<std::string>& others) {
  std::string imports;
  for (const auto& other : others)
    imports += "<import namespace=\"" + other + "\" name=\"" + other + "\"/>";
  return for_tests::file(imports, own);
}

TEST(Header, SaysWhatTheFileIs) {
  const auto header = read_header(importing("urn:a", {"urn:b", "urn:c"}));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->model_namespace, "urn:a");
  EXPECT_THAT(header->imports, ElementsAre("urn:b", "urn:c"));
  for (const std::string other : {"", "<", "<definitions/>", "no XML", "<a xmlns=\"urn:x\"/>"})
    EXPECT_FALSE(read_header(other)) << other;
}

TEST(Header, ImportsAreFoundThroughOthersOnce) {
  std::vector<std::optional<Header>> headers;
  for (const auto& text :
       {importing("urn:a", {"urn:b", "urn:nowhere"}), importing("urn:b", {"urn:c", "urn:a"}),
        importing("urn:c", {"urn:c"}), importing("urn:d", {""}), importing("urn:c", {})}) {
    headers.push_back(read_header(text));
  }
  headers.push_back(std::nullopt);
  EXPECT_THAT(imports_of(headers, 0), ElementsAre(1, 2));
  EXPECT_THAT(imports_of(headers, 1), ElementsAre(0, 2));
  EXPECT_THAT(imports_of(headers, 2), IsEmpty());
  EXPECT_THAT(imports_of(headers, 3), IsEmpty());
  EXPECT_THAT(imports_of(headers, 5), IsEmpty());
}

} // namespace
} // namespace perdure::dmn
