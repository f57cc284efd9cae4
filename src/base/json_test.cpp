// JSON: what is accepted, what is refused and where, and that numbers survive bit for bit.
#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace perdure::json {
namespace {

using ::testing::HasSubstr;

std::string rewritten(std::string_view text) {
  const auto value = parse(text);
  return value ? write(*value) : "refused: " + value.error().message;
}

TEST(JsonParse, AcceptsAndWritesCompactly) {
  const struct {
    std::string_view text, written;
  } cases[] = {
      {"null", "null"},
      {" true ", "true"},
      {"\t\r\nfalse\n", "false"},
      {"0", "0"},
      {"-0", "0"},
      {"-0.0", "-0.0"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"125.50", "125.5"},
      {"1.0", "1.0"},
      {"1e2", "100.0"},
      {"1E+2", "100.0"},
      {"0.1", "0.1"},
      {"1e300", "1e+300"},
      {"1e-400", "0.0"},
      {"-1e-400", "-0.0"},
      {"5e-324", "5e-324"},
      {"1.7976931348623157e308", "1.7976931348623157e+308"},
      {"\"\"", "\"\""},
      {R"("\"\\\/\b\f\n\r\t")", R"("\"\\/\b\f\n\r\t")"},
      {R"("\u0000\u001f\u007f")", "\"\\u0000\\u001f\x7f\""},
      {R"("\u00e4\ud83d\ude00")", "\"\xC3\xA4\xF0\x9F\x98\x80\""},
      {"[]", "[]"},
      {"{}", "{}"},
      {"[1, [2, {}], {\"a\": []}]", R"([1,[2,{}],{"a":[]}])"},
      {R"({"b": 1, "a": 2})", R"({"b":1,"a":2})"},
      {R"({"": {"": null}})", R"({"":{"":null}})"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(rewritten(c.text), c.written) << c.text;
}

TEST(JsonParse, RefusesWithPosition) {
  const struct {
    std::string_view text, position, reason;
  } cases[] = {
      {"", "line 1, column 1:", "ends in the middle"},
      {"  ", "line 1, column 3:", "ends in the middle"},
      {"[1,\n 2", "line 2, column 3:", "ends in the middle"},
      {"[1,\n 2,]", "line 2, column 4:", "not JSON"},
      {R"({"a":1,})", "line 1, column 8:", "not JSON"},
      {"1 2", "line 1, column 3:", "more text after"},
      {"nul", "line 1, column 4:", "ends in the middle"},
      {"NaN", "line 1, column 1:", "not JSON"},
      {"Infinity", "line 1, column 1:", "not JSON"},
      {"-Infinity", "line 1, column 2:", "not JSON"},
      {"01", "line 1, column 2:", "more text after"},
      {"+1", "line 1, column 1:", "not JSON"},
      {".5", "line 1, column 1:", "not JSON"},
      {"'a'", "line 1, column 1:", "not JSON"},
      {"// x\n1", "line 1, column 1:", "not JSON"},
      {"\xEF\xBB\xBF{}", "line 1, column 1:", "byte order mark"},
      {"\"\xC3(\"", "line 1, column", ""},
      {"\"\xFF\"", "line 1, column 2:", "UTF-8"},
      {"\"\xED\xA0\x80\"", "line 1, column", ""},
      {"\"\xC0\xAF\"", "line 1, column 2:", "UTF-8"},
      {"\"a\nb\"", "line 1, column 3:", "control character"},
      {std::string_view("\"a\0b\"", 5), "line 1, column 3:", "control character"},
      {R"("\ud800")", "line 1, column 8:", "not JSON"},
      {R"("\ud800\u0041")", "line 1, column", "surrogate"},
      {R"("\udc00")", "line 1, column", "surrogate"},
      {R"("\u12g4")", "line 1, column", "hexadecimal"},
      {R"("\x41")", "line 1, column", "not JSON"},
      {R"({"a":1,"b":2,"a":3})", "line 1, column", "key \"a\" appears twice"},
      {R"({"x":{"\u0061":1,"a":3}})", "line 1, column", "key \"a\" appears twice"},
      {"9223372036854775808", "line 1, column", "integer 9223372036854775808 is beyond 64 bits"},
      {"[-9223372036854775809]", "line 1, column", "integer -9223372036854775809 is beyond"},
      {"18446744073709551616", "line 1, column", "beyond 64 bits"},
      {"1E400", "line 1, column", "beyond the range of a double"},
      {"-1e309", "line 1, column", "beyond the range of a double"},
      {"1e99999999999999999999", "line 1, column", "beyond the range of a double"},
  };
  for (const auto& c : cases) {
    const auto value = parse(c.text);
    ASSERT_FALSE(value) << c.text << " was read as " << write(*value);
    EXPECT_EQ(value.error().code, ErrorCode::invalid_input);
    EXPECT_THAT(value.error().message, HasSubstr(c.position)) << c.text;
    EXPECT_THAT(value.error().message, HasSubstr(c.reason)) << c.text;
  }
}

TEST(JsonParse, RefusesAnyInputCutShort) {
  const std::string_view text = R"({"a":[1.5e3,-2,"\u00e4\ud83d\ude00",true,null],"b":{}})";
  ASSERT_TRUE(parse(text));
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(parse(text.substr(0, size))) << size;
  }
}

std::string nested(std::size_t depth, std::string_view open, std::string_view close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i)
    text += open;
  text += "1";
  for (std::size_t i = 0; i < depth; ++i)
    text += close;
  return text;
}

TEST(JsonParse, DepthIsBounded) {
  EXPECT_TRUE(parse(nested(64, "[", "]")));
  EXPECT_FALSE(parse(nested(65, "[", "]")));
  EXPECT_TRUE(parse(nested(64, "{\"a\":", "}")));
  for (const std::size_t depth : {std::size_t{65}, std::size_t{10'000}, std::size_t{1'000'000}}) {
    const auto value = parse(nested(depth, "[", "]"));
    ASSERT_FALSE(value);
    EXPECT_EQ(value.error().message,
              "JSON line 1, column 65: arrays and objects are nested too deep.");
  }
  EXPECT_FALSE(parse(nested(10'000, "{\"a\":", "}")));
  EXPECT_FALSE(parse("[[1]]", {.max_depth = 1}));
}

TEST(JsonParse, SizeIsBounded) {
  EXPECT_TRUE(parse("[1,2]", {.max_bytes = 5}));
  const auto value = parse("[1,2]", {.max_bytes = 4});
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().message, "The JSON text has 5 bytes; at most 4 are allowed.");
}

TEST(JsonParse, ManyKeysAreCheckedForDuplicatesToo) {
  std::string text = "{";
  for (int i = 0; i < 50'000; ++i)
    text += "\"k" + std::to_string(i) + "\":0,";
  const auto good = parse(text + "\"last\":1}");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->as<Object>()->size(), 50'001u);
  const auto bad = parse(text + "\"k3\":1}");
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("key \"k3\" appears twice"));
}

TEST(JsonParse, LongStringsWithEscapesStayWhole) {
  std::string plain(100'000, 'x');
  for (std::size_t i = 0; i < plain.size(); i += 7)
    plain[i] = "\n\"\\\t"[i % 4];
  const auto value = parse(write(Value(plain)));
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, Value(plain));
}

TEST(JsonNumbers, RandomDoublesKeepTheirBits) {
  std::mt19937_64 random(20261130);
  int tried = 0;
  while (tried < 100'000) {
    const auto number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    ++tried;
    const auto text = write(Value(number));
    const auto value = parse(text);
    ASSERT_TRUE(value) << text;
    ASSERT_TRUE(value->is_double()) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(*value->as<double>()),
              std::bit_cast<std::uint64_t>(number))
        << text;
  }
}

TEST(JsonNumbers, EverydayDoublesKeepTheirBits) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> range(-1e9, 1e9);
  for (int i = 0; i < 100'000; ++i) {
    const double number = std::round(range(random) * 100) / 100;
    const auto value = parse(write(Value(number)));
    ASSERT_TRUE(value && value->is_double());
    ASSERT_EQ(*value->as<double>(), number);
  }
}

TEST(JsonNumbers, TextIsPlainWherePeopleReadIt) {
  const struct {
    double number;
    std::string_view text;
  } cases[] = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {100000.0, "100000.0"},
      {1e20, "100000000000000000000.0"},
      {1e21, "1e+21"},
      {0.000001, "0.000001"},
      {1e-7, "1e-07"},
      {-12.25, "-12.25"},
      {std::numeric_limits<double>::quiet_NaN(), "null"},
      {std::numeric_limits<double>::infinity(), "null"},
      {-std::numeric_limits<double>::infinity(), "null"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(write(Value(c.number)), c.text);
}

TEST(JsonNumbers, NegativeZeroKeepsItsSign) {
  const auto value = parse("-0.0");
  ASSERT_TRUE(value && value->is_double());
  EXPECT_TRUE(std::signbit(*value->as<double>()));
}

TEST(JsonWrite, PrettyIsIndentedByTwo) {
  const auto value = parse(R"({"a":[1,{"b":null}],"c":[],"d":{}})");
  ASSERT_TRUE(value);
  EXPECT_EQ(write_pretty(*value),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": [],\n"
            "  \"d\": {}\n}");
}

TEST(JsonWrite, BlocksAppend) {
  std::string out = "x";
  append_string(out, "a\x01");
  append_int(out, std::numeric_limits<std::int64_t>::min());
  append_double(out, 0.5);
  append(out, Value(Array{Value(true)}));
  EXPECT_EQ(out, R"(x"a\u0001"-92233720368547758080.5[true])");
}

} // namespace
} // namespace perdure::json
