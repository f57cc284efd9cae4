// Request targets: what is taken, what it decodes to, what is refused.
#include "net/uri.h"

#include <gtest/gtest.h>

namespace perdure::net {
namespace {

TEST(Uri, TargetIsTakenApart) {
  const auto target = parse_target("/a%20b/%C3%A9?x=1&y=a+b%26c&x=2&flag&=v&&");
  ASSERT_TRUE(target.has_value());
  EXPECT_EQ(target->path, "/a b/\xC3\xA9");
  EXPECT_EQ(target->origin_form, "/a%20b/%C3%A9?x=1&y=a+b%26c&x=2&flag&=v&&");
  const Fields expected = {{"x", "1"}, {"y", "a b&c"}, {"x", "2"}, {"flag", ""}, {"", "v"}};
  EXPECT_EQ(target->query, expected);
}

TEST(Uri, PlusIsASpaceInTheQueryOnly) {
  EXPECT_EQ(parse_target("/a+b?c+d=e+f")->path, "/a+b");
  EXPECT_EQ(parse_target("/a+b?c+d=e+f")->query, (Fields{{"c d", "e f"}}));
}

TEST(Uri, AbsoluteFormLosesItsAuthority) {
  EXPECT_EQ(parse_target("http://example.org:80/a?b=c")->origin_form, "/a?b=c");
  EXPECT_EQ(parse_target("http://example.org")->origin_form, "/");
  EXPECT_EQ(parse_target("http://example.org?q=1")->origin_form, "/?q=1");
  EXPECT_EQ(parse_target("*")->path, "*");
}

TEST(Uri, HostileTargetsAreRefused) {
  for (const auto* text :
       {"", "a", "example.org:80", "://x/", "h2://x/", "/%", "/%4", "/%zz", "/%00", "/%ff",
        "/%c0%af", "/%ed%a0%80", "/a?b=%f4%90%80%80", "/a?%=1", "/a?%00"}) {
    const auto target = parse_target(text);
    ASSERT_FALSE(target.has_value()) << text;
    EXPECT_EQ(target.error().code, ErrorCode::invalid_input);
    EXPECT_FALSE(target.error().message.empty());
  }
}

TEST(Uri, EncodingComesBack) {
  const std::string text = "a/b ?&=%+~\xC3\xA9";
  EXPECT_EQ(percent_encode(text), "a%2Fb%20%3F%26%3D%25%2B~%C3%A9");
  EXPECT_EQ(percent_decode(percent_encode(text)), text);
}

} // namespace
} // namespace perdure::net
