#include "expr/regex.h"

#include <gtest/gtest.h>

#include <string>

namespace perdure::expr {
namespace {

const Regex::Spend kFree = [](std::size_t) { return true; };

/// "yes", "no", or the reason.
std::string found(std::string_view text, std::string_view pattern, std::string_view flags = {}) {
  const auto regex = Regex::compile(pattern, flags, kFree);
  if (!regex) return "wrong";
  const auto result = regex->is_found_in(text, kFree);
  return !result ? "too long" : *result ? "yes" : "no";
}

TEST(Regex, HasTheMeaningOfXPath) {
  const struct {
    std::string_view text, pattern, flags, result;
  } cases[] = {
      {"abc", "b", "", "yes"},
      {"a\nb", "a.b", "", "no"},
      {"a\rb", "a.b", "", "no"},
      {"a\nb", "a.b", "s", "yes"},
      {"a\nb", "^b$", "", "no"},
      {"a\nb", "^b$", "m", "yes"},
      {"a\n", "a$", "", "no"}, // $ is the end, not the line feed before it
      {"ABC", "b", "i", "yes"},
      {"a b", "a b", "x", "no"},
      {"ab", "a b", "x", "yes"},
      {"a b", "a[ ]b", "x", "yes"},
      {"a+b", "a+b", "q", "yes"},
      {"aab", "a+b", "q", "no"},
      {"x", "[a-z-[aeiou]]", "", "yes"},
      {"e", "[a-z-[aeiou]]", "", "no"},
      {"O", "[A-Z-[OI]]", "i", "no"},
      {"q", "[^Q]", "i", "no"},
      {"é", "\\p{Ll}", "", "yes"},
      {"é", "\\P{Ll}", "", "no"},
      {"é", "\\p{IsLatin-1Supplement}", "", "yes"},
      {"é", "\\p{IsBasicLatin}", "", "no"},
      {"٣", "\\d", "", "yes"},
      {"_", "\\w", "", "no"},
      {"_", "\\i\\c*", "", "yes"},
      {"1", "\\i", "", "no"},
      {"1", "^\\c$", "", "yes"},
      {" ", "[\\S]", "", "no"},
      {"abab", "^(ab)\\1$", "", "yes"},
      {"a1", "(a)1", "", "yes"},
      {"aa10", "(a)\\110", "", "yes"}, // there is one group only: \1, then 10
      {"aab", "a{2}b", "", "yes"},
      {"aaab", "^a{1,2}b", "", "no"},
      {"🐎", "^.$", "", "yes"},
      {"a-b", "[a\\-b]", "", "yes"},
      {"\t", "\\t", "", "yes"},
      {"ab", "a(?:b|c)", "", "yes"},
      {"", "", "", "yes"},
  };
  for (const auto& [text, pattern, flags, result] : cases)
    EXPECT_EQ(found(text, pattern, flags), result) << pattern << " in " << text;
}

TEST(Regex, RefusesWhatXPathDoesNotHave) {
  for (const std::string_view pattern :
       {"(",       ")",     "[",     "a]",       "[]",         "a{",   "a{2,1}",
        "a**",     "*a",    "a++",   "\\",       "\\q",        "\\0",  "(a)\\2",
        "[\\1]",   "(?=a)", "(?i)a", "\\p{Foo}", "\\p{IsFoo}", "\\pL", "[b-a]",
        "[a-\\d]", "[[a]]", "^*",    "\\x41",    "a{99999}"}) {
    EXPECT_FALSE(Regex::compile(pattern, {}, kFree)) << pattern;
  }
  EXPECT_FALSE(Regex::compile("a", "g", kFree));
  EXPECT_FALSE(Regex::compile(std::string(5000, 'a'), {}, kFree));
  EXPECT_FALSE(Regex::compile(std::string(1000, '(') + std::string(1000, ')'), {}, kFree));
}

TEST(Regex, HostilePatternsEndSoon) {
  const auto text = std::string(50'000, 'a') + "!";
  for (const std::string_view pattern : {"^(a+)+$", "^(a|aa)+$", "^(a*)*$", "(.*)*[xy](.*)*[yz]"}) {
    EXPECT_EQ(found(text, pattern), "too long") << pattern;
  }
  EXPECT_FALSE(Regex::compile("((a{1000}){1000}){1000}", {}, kFree));
}

TEST(Regex, TheBudgetEndsIt) {
  std::size_t left = 300'000;
  const Regex::Spend spend = [&](std::size_t steps) {
    if (steps > left) return false;
    left -= steps;
    return true;
  };
  const auto text = std::string(100, 'a') + "!";
  int searches = 0;
  const auto regex = Regex::compile("^(a+)+$", {}, spend);
  while (left > 1000 && searches < 1000) {
    EXPECT_FALSE(regex->is_found_in(text, spend));
    ++searches;
    if (left < 100'000) break;
  }
  EXPECT_LE(searches, 4);
}

TEST(Regex, Replacements) {
  const auto replaced = [](std::string_view text, std::string_view pattern, std::string_view by) {
    const auto result = Regex::compile(pattern, {}, kFree)->replace(text, by, kFree);
    return result ? *result : "error";
  };
  EXPECT_EQ(replaced("facetiously", "[iouy]", "[$0]"), "facet[i][o][u]sl[y]");
  EXPECT_EQ(replaced("abc", "(b)", "$12"), "ab2c");
  EXPECT_EQ(replaced("abc", "b", "\\$\\\\"), "a$\\c");
  EXPECT_EQ(replaced("abc", "(x)?b", "<$1>"), "a<>c");
  EXPECT_EQ(replaced("äöü", "ö", "o"), "äoü");
  EXPECT_EQ(replaced("abc", "b", "$"), "error");
  EXPECT_EQ(replaced("abc", "b", "\\x"), "error");
  EXPECT_EQ(replaced("abc", "b?", "-"), "error"); // it matches the empty text
  EXPECT_EQ(replaced("ab", "$|b", "-"), "error");
}

TEST(Regex, ReplacementsAreBounded) {
  const auto regex = Regex::compile("a", {}, kFree);
  EXPECT_FALSE(regex->replace(std::string(60'000, 'a'), std::string(60'000, 'b'), kFree));
}

} // namespace
} // namespace perdure::expr
