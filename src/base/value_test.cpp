// Value and Object: types, equality of numbers, order and lookup of members.
#include "perdure/value.h"

#include <gtest/gtest.h>

#include <limits>

namespace perdure {
namespace {

TEST(Value, TypesAndNames) {
  const struct {
    Value value;
    std::string_view name;
  } cases[] = {
      {Value(), "null"},           {Value(true), "boolean"}, {Value(1), "number"},
      {Value(1.5), "number"},      {Value("a"), "string"},   {Value(Array{}), "list"},
      {Value(Object{}), "object"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(c.value.type_name(), c.name);
  EXPECT_TRUE(Value(std::int64_t{5}).is_int());
  EXPECT_TRUE(Value(5.0).is_double());
  EXPECT_TRUE(Value(5.0).is_number());
  EXPECT_EQ(Value("a").as<bool>(), nullptr);
}

TEST(Value, NumbersAreEqualOnlyWhenTheyAreTheSameNumber) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(Value(1), Value(1.0));
  EXPECT_EQ(Value(1.0), Value(1));
  EXPECT_EQ(Value(0), Value(-0.0));
  EXPECT_NE(Value(1), Value(1.5));
  EXPECT_NE(Value(kMax), Value(9223372036854775808.0));
  EXPECT_EQ(Value(kMin), Value(-9223372036854775808.0));
  EXPECT_NE(Value(std::int64_t{9007199254740993}), Value(9007199254740992.0));
  EXPECT_NE(Value(1), Value(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_NE(Value(1), Value(true));
  EXPECT_NE(Value(0), Value());
  EXPECT_NE(Value("1"), Value(1));
}

TEST(Object, KeepsOrderAndReplacesInPlace) {
  Object object{{"b", 1}, {"a", 2}};
  object.set("b", "new");
  object.set("c", nullptr);
  std::string keys;
  for (const auto& [key, value] : object)
    keys += key;
  EXPECT_EQ(keys, "bac");
  EXPECT_EQ(*object.find("b"), Value("new"));
  EXPECT_EQ(object.find("x"), nullptr);
  EXPECT_TRUE(object.erase("b"));
  EXPECT_FALSE(object.erase("b"));
  EXPECT_EQ(object.size(), 2u);
}

TEST(Object, EqualityIgnoresOrderOnly) {
  const Object one{{"a", 1}, {"b", Value(Array{1, 2})}};
  EXPECT_EQ(one, (Object{{"b", Value(Array{1, 2})}, {"a", 1.0}}));
  EXPECT_NE(one, (Object{{"b", Value(Array{2, 1})}, {"a", 1}}));
  EXPECT_NE(one, (Object{{"a", 1}}));
  EXPECT_NE(one, (Object{{"a", 1}, {"c", Value(Array{1, 2})}}));
  EXPECT_EQ(Object{}, Object{});
}

TEST(Object, LargeObjectsInReverseOrderCompareQuickly) {
  Object forward, backward;
  for (int i = 0; i < 100'000; ++i) {
    forward.append(std::to_string(i), i);
    backward.append(std::to_string(99'999 - i), 99'999 - i);
  }
  EXPECT_EQ(forward, backward);
}

TEST(Value, FindLooksIntoObjectsOnly) {
  const Value value(Object{{"a", Object{{"b", 3}}}});
  ASSERT_NE(value.find("a"), nullptr);
  EXPECT_EQ(*value.find("a")->find("b"), Value(3));
  EXPECT_EQ(Value(3).find("a"), nullptr);
}

} // namespace
} // namespace perdure
