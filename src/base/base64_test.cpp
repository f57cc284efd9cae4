#include "base/base64.h"

#include <gtest/gtest.h>

namespace perdure {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

TEST(Base64, AnswersTheVectorsOfTheStandard) {
  const std::pair<std::string_view, std::string_view> vectors[] = {{"", ""},
                                                                   {"f", "Zg=="},
                                                                   {"fo", "Zm8="},
                                                                   {"foo", "Zm9v"},
                                                                   {"foob", "Zm9vYg=="},
                                                                   {"fooba", "Zm9vYmE="},
                                                                   {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, text] : vectors) {
    EXPECT_EQ(base64_text(bytes_of(plain)), text);
    EXPECT_EQ(parse_base64(text), bytes_of(plain)) << text;
  }
}

TEST(Base64, KeepsEveryByte) {
  std::vector<std::byte> all;
  for (int value = 0; value < 256; ++value)
    all.push_back(static_cast<std::byte>(value));
  EXPECT_EQ(parse_base64(base64_text(all)), all);
}

TEST(Base64, RefusesWhatItCouldNotHaveMade) {
  for (const auto* text : {"Zg", "Zg=", "Zg===", "Zh==", "Zm9v ", "Zm9v\n", "Zm-v", "=", "Z"}) {
    EXPECT_EQ(parse_base64(text), std::nullopt) << text;
  }
}

} // namespace
} // namespace perdure
