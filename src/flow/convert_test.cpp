#include "perdure/convert.h"

#include <gtest/gtest.h>

#include <boost/describe/class.hpp>
#include <list>
#include <map>
#include <set>
#include <unordered_map>

namespace shop {

enum class Size { small, large };
constexpr auto enum_names(Size) { return std::array<std::string_view, 2>{"small", "large"}; }

enum class Level : std::uint8_t { low = 1, high = 200 };

struct Item {
  std::string name;
  std::int32_t amount = 0;
  std::optional<Size> size;
  friend bool operator==(const Item&, const Item&) = default;
};
BOOST_DESCRIBE_STRUCT(Item, (), (name, amount, size))

struct Base {
  std::string id;
  friend bool operator==(const Base&, const Base&) = default;
};
BOOST_DESCRIBE_STRUCT(Base, (), (id))

struct Order : Base {
  std::vector<Item> items;
  std::map<std::string, double> prices;
  std::chrono::seconds patience{};
  friend bool operator==(const Order&, const Order&) = default;
};
BOOST_DESCRIBE_STRUCT(Order, (Base), (items, prices, patience))

/// A type with a form of its own.
class Money {
public:
  Money() = default;
  explicit Money(std::int64_t cents) : cents_(cents) {}
  friend bool operator==(const Money&, const Money&) = default;
  friend perdure::Value to_value(const Money& money) {
    return perdure::Object{{"cents", money.cents_}};
  }
  friend void from_value(const perdure::Value& value, Money& money) {
    const auto* cents = value.find("cents");
    if (cents == nullptr || !cents->is_int()) throw perdure::BadValue("expected cents");
    money.cents_ = *cents->as<std::int64_t>();
  }

private:
  std::int64_t cents_ = 0;
};

} // namespace shop

namespace perdure {
namespace {

using namespace std::chrono_literals;

template <class T>
void expect_form(const T& object, const Value& form) {
  EXPECT_EQ(encode(object), form);
  EXPECT_EQ(decode<T>(form), object);
}

/// The message with which a value is refused.
template <class T>
std::string refusal(const Value& value) {
  try {
    (void)decode<T>(value);
  } catch (const BadValue& bad) {
    return bad.what();
  }
  return "accepted";
}

TEST(Convert, ScalarsKeepTheirValue) {
  expect_form(true, Value(true));
  expect_form<std::int8_t>(-128, Value(-128));
  expect_form(std::numeric_limits<std::int64_t>::min(),
              Value(std::numeric_limits<std::int64_t>::min()));
  expect_form<std::uint64_t>(7, Value(7));
  expect_form(0.1, Value(0.1));
  expect_form(std::string("gr\xC3\xBC\xC3\x9F"), Value("gr\xC3\xBC\xC3\x9F"));
  expect_form(shop::Size::large, Value("large"));
  expect_form(shop::Level::high, Value(200));
  expect_form(std::monostate(), Value());
  EXPECT_EQ(encode("text"), Value("text"));
  EXPECT_EQ(decode<double>(Value(3)), 3.0);
}

TEST(Convert, ContainersKeepTheirItems) {
  expect_form(std::vector<int>{1, 2}, Value(Array{1, 2}));
  expect_form(std::vector<bool>{true, false}, Value(Array{true, false}));
  expect_form(std::list<std::string>{"a"}, Value(Array{"a"}));
  expect_form(std::set<int>{3, 1}, Value(Array{1, 3}));
  expect_form(std::array<int, 2>{4, 5}, Value(Array{4, 5}));
  expect_form(std::pair<int, std::string>{1, "x"}, Value(Array{1, "x"}));
  expect_form(std::tuple<int, bool, double>{1, true, 0.5}, Value(Array{1, true, 0.5}));
  expect_form(std::unordered_map<std::string, int>{{"a/b", 1}}, Value(Object{{"a/b", 1}}));
  expect_form(std::map<int, bool>{{1, true}}, Value(Array{Value(Array{1, true})}));
  expect_form(std::optional<int>(), Value());
  expect_form(std::optional<int>(5), Value(5));
  expect_form(Array{1, "x"}, Value(Array{1, "x"}));
  expect_form(Object{{"k", 1}}, Value(Object{{"k", 1}}));
}

TEST(Convert, AVariantKeepsWhichOfItsTypesItHas) {
  using Either = std::variant<int, std::string, std::monostate>;
  expect_form(Either(7), Value(Object{{"index", 0}, {"value", 7}}));
  expect_form(Either("7"), Value(Object{{"index", 1}, {"value", "7"}}));
  expect_form(Either(std::monostate()), Value(Object{{"index", 2}, {"value", nullptr}}));
  EXPECT_EQ(refusal<Either>(Object{{"index", 3}, {"value", 7}}),
            "/index: 3 does not fit: expected a number from 0 to 2");
  EXPECT_EQ(refusal<Either>(Object{{"index", 0}, {"value", "7"}}),
            "/value: expected an integer, found a value of the type string");
}

TEST(Convert, TimesAreTextsThatKeepEveryNanosecond) {
  expect_form(1500ms, Value("PT1.5S"));
  expect_form(std::chrono::nanoseconds(1), Value("PT0.000000001S"));
  expect_form(-90s, Value("-PT90S"));
  expect_form(std::chrono::hours(25), Value("PT90000S"));
  EXPECT_EQ(decode<std::chrono::seconds>(Value("P1DT2H3M4S")), 93'784s);
  EXPECT_EQ(decode<std::chrono::hours>(Value("P2W")), std::chrono::hours(336));
  for (const auto* text : {"", "P", "PT", "PT1", "P1H", "PT1S2M", "PT1.5M", "PT1.0000000001S",
                           "PT-1S", "PTT1S", "PT9999999999S", "1s"}) {
    EXPECT_THROW((void)decode<std::chrono::seconds>(Value(text)), BadValue) << text;
  }
  EXPECT_THROW((void)encode(std::chrono::hours::max()), BadValue);
  using Time = std::chrono::sys_time<std::chrono::nanoseconds>;
  expect_form(Time(std::chrono::nanoseconds(1'764'484'585'123'456'789)),
              Value("2025-11-30T06:36:25.123456789Z"));
  expect_form(Time(-1ns), Value("1969-12-31T23:59:59.999999999Z"));
  expect_form(std::chrono::system_clock::time_point(1s), Value("1970-01-01T00:00:01Z"));
  EXPECT_EQ(decode<Time>(Value("1970-01-01T01:00:00.5+01:00")), Time(500ms));
}

TEST(Convert, BytesAreBase64) {
  expect_form(std::vector<std::byte>{std::byte{'f'}, std::byte{'o'}}, Value("Zm8="));
  EXPECT_EQ(refusal<std::vector<std::byte>>(Value("Zm8")), "the text is no base64");
}

TEST(Convert, DescribedStructsAreObjects) {
  shop::Order order;
  order.id = "o-17";
  order.items = {{"pen", 2, shop::Size::small}, {"ink", 1, std::nullopt}};
  order.prices = {{"pen", 1.5}};
  order.patience = 90s;
  expect_form(
      order,
      Value(Object{{"id", "o-17"},
                   {"items", Array{Object{{"name", "pen"}, {"amount", 2}, {"size", "small"}},
                                   Object{{"name", "ink"}, {"amount", 1}, {"size", nullptr}}}},
                   {"prices", Object{{"pen", 1.5}}},
                   {"patience", "PT90S"}}));
}

TEST(Convert, AnOptionalMemberMayBeAbsentAndAnUnknownOneIsPassedOver) {
  const auto item = decode<shop::Item>(Object{{"name", "pen"}, {"amount", 1}, {"colour", "red"}});
  EXPECT_EQ(item, (shop::Item{"pen", 1, std::nullopt}));
}

TEST(Convert, ATypeMayHaveItsOwnForm) {
  expect_form(std::vector<shop::Money>{shop::Money(5)}, Value(Array{Object{{"cents", 5}}}));
  EXPECT_EQ(refusal<std::vector<shop::Money>>(Array{Object{{"cents", 5}}, 7}),
            "/1: expected cents");
}

TEST(Convert, WhatDoesNotFitIsRefusedWithItsPlace) {
  const auto order = [](Value items) {
    return Value(Object{
        {"id", "1"}, {"items", std::move(items)}, {"prices", Object{}}, {"patience", "PT0S"}});
  };
  EXPECT_EQ(refusal<shop::Order>(order(Array{Object{{"name", "pen"}}})),
            "/items/0/amount: the member is missing");
  EXPECT_EQ(refusal<shop::Order>(order(Array{Object{{"name", 5}, {"amount", 1}}})),
            "/items/0/name: expected a text, found a value of the type number");
  EXPECT_EQ(
      refusal<shop::Order>(order(Array{Object{{"name", "x"}, {"amount", 1}, {"size", "huge"}}})),
      "/items/0/size: there is no \"huge\" in this set");
  using Numbers = std::map<std::string, int>;
  EXPECT_EQ(refusal<Numbers>(Object{{"a/b~c", true}}),
            "/a~1b~0c: expected an integer, found a value of the type boolean");
  EXPECT_EQ(refusal<std::uint8_t>(Value(256)), "256 does not fit: expected a number from 0 to 255");
  EXPECT_EQ(refusal<unsigned>(Value(-1)),
            "-1 does not fit: expected a number from 0 to 4294967295");
  EXPECT_EQ(refusal<int>(Value(1.0)), "expected an integer, found a value of the type number");
  EXPECT_EQ(refusal<bool>(Value(0)), "expected true or false, found a value of the type number");
  using Pair = std::pair<int, int>;
  EXPECT_EQ(refusal<Pair>(Array{1}), "expected a list of 2 items, found 1");
  using Three = std::array<int, 3>;
  EXPECT_EQ(refusal<Three>(Array{1, 2}), "expected a list of 3 items, found 2");
}

TEST(Convert, WhatJsonCannotSayIsRefused) {
  EXPECT_THROW((void)encode(std::numeric_limits<double>::quiet_NaN()), BadValue);
  EXPECT_THROW((void)encode(std::numeric_limits<float>::infinity()), BadValue);
  EXPECT_THROW((void)encode(std::numeric_limits<std::uint64_t>::max()), BadValue);
}

} // namespace
} // namespace perdure
