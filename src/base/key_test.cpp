// Keys as text, and digests.
#include "base/key.h"

#include <gtest/gtest.h>

#include "base/digest.h"

namespace perdure {
namespace {

TEST(Key, ParsesPositiveDecimalsOnly) {
  EXPECT_EQ(parse_key("1"), 1);
  EXPECT_EQ(parse_key("9223372036854775807"), 9223372036854775807);
  for (const std::string_view text :
       {"", "0", "-1", "+1", "01", " 1", "1 ", "1.0", "1e3", "0x1", "a", "9223372036854775808",
        "99999999999999999999999", "\xD9\xA1"}) {
    EXPECT_EQ(parse_key(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_key(key_text(42)), 42);
}

TEST(Key, RangeIsTakenInOrder) {
  KeyRange keys{.next = 5, .end = 7};
  EXPECT_EQ(keys.take(), 5);
  EXPECT_EQ(keys.left(), 1);
  EXPECT_EQ(keys.take(), 6);
  EXPECT_EQ(keys.left(), 0);
}

TEST(Digest, Sha256OfKnownTexts) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

} // namespace
} // namespace perdure
