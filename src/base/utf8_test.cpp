// UTF-8: well-formed and hostile sequences, counting, round trip of every scalar value.
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace perdure::utf8 {
namespace {

TEST(Utf8, TellsValidFromInvalid) {
  for (const std::string_view text : {"", "a", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                                      "\xF4\x8F\xBF\xBF", "\xEF\xBF\xBF"}) {
    EXPECT_TRUE(is_valid(text)) << text;
  }
  for (const std::string_view text :
       {"\x80", "\xC3", "\xC3(", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE2\x82",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "a\xBF", "\xE2(\xAC"}) {
    EXPECT_FALSE(is_valid(text)) << text;
  }
}

TEST(Utf8, CountsCodePoints) {
  const std::string_view text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z";
  EXPECT_EQ(length(text), 5u);
  EXPECT_EQ(offset_of(text, 0), 0u);
  EXPECT_EQ(offset_of(text, 2), 3u);
  EXPECT_EQ(offset_of(text, 4), 10u);
  EXPECT_EQ(offset_of(text, 5), text.size());
  EXPECT_EQ(offset_of(text, 99), text.size());
}

TEST(Utf8, EveryScalarValueMakesTheRoundTrip) {
  for (std::uint32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string text;
    append(text, c);
    ASSERT_TRUE(is_valid(text)) << c;
    std::string_view rest = text;
    ASSERT_EQ(take(rest), c);
    ASSERT_TRUE(rest.empty());
  }
}

} // namespace
} // namespace perdure::utf8
