// Your types as JSON values and back: what a flow takes, what its steps give, what events carry.
//
//   perdure::Value value = perdure::encode(order);
//   auto order = perdure::decode<Order>(value);
//
// Known are bool, numbers, text, enums, optional, pair, tuple, variant, lists, sets, arrays, maps,
// std::chrono durations and time points (ISO 8601 texts), bytes (std::vector<std::byte>, base64),
// perdure::Value itself, and structs that Boost.Describe describes. A type of your own takes part
// by two functions in its namespace:
//
//   perdure::Value to_value(const Money& money);
//   void from_value(const perdure::Value& value, Money& money); // throws perdure::BadValue
//
// Pure functions: thread-safe as long as their arguments are.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "perdure/api.h"
#include "perdure/value.h"

#if __has_include(<boost/describe.hpp>)
#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#endif

namespace perdure {

/// A value that does not fit the type that is asked for, or has no form in JSON.
class PERDURE_API BadValue : public std::runtime_error {
public:
  /// `where` is a JSON pointer (RFC 6901) into the value; empty: the value itself.
  explicit BadValue(const std::string& reason, std::string where = {});

  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }
  /// The same, one member or item further out.
  [[nodiscard]] BadValue inside(std::string_view key) const;

private:
  std::string where_;
  std::string reason_;
};

template <class T>
[[nodiscard]] Value encode(const T& object);
template <class T>
void decode_into(const Value& value, T& object);
/// Throws BadValue.
template <class T>
[[nodiscard]] T decode(const Value& value) {
  T object{};
  decode_into(value, object);
  return object;
}

namespace convert {

// ---- what is not a template, in src/flow/convert.cpp ------------------------------------------

[[noreturn]] PERDURE_API void refuse(std::string_view wanted, const Value& found);
[[nodiscard]] PERDURE_API std::int64_t to_int(const Value& value, std::int64_t least,
                                              std::int64_t most);
[[nodiscard]] PERDURE_API double to_double(const Value& value);
[[nodiscard]] PERDURE_API const Array& to_array(const Value& value);
[[nodiscard]] PERDURE_API const Object& to_object(const Value& value);
[[nodiscard]] PERDURE_API Value finite(double number);
[[nodiscard]] PERDURE_API Value from_unsigned(std::uint64_t number);
/// "PT1.5S" and back, in nanoseconds: 292 years at most.
[[nodiscard]] PERDURE_API std::string duration_text(std::chrono::nanoseconds duration);
[[noreturn]] PERDURE_API void refuse_long();
[[nodiscard]] PERDURE_API std::chrono::nanoseconds to_duration(const Value& value);
/// "2026-11-30T06:36:25.123456789Z" and back.
[[nodiscard]] PERDURE_API std::string time_text(
    std::chrono::sys_time<std::chrono::nanoseconds> time);
[[nodiscard]] PERDURE_API std::chrono::sys_time<std::chrono::nanoseconds> to_time(
    const Value& value);
[[nodiscard]] PERDURE_API std::string base64_text(const std::vector<std::byte>& bytes);
[[nodiscard]] PERDURE_API std::vector<std::byte> to_bytes(const Value& value);

/// What goes as variables is an object: any other value, and an object that could be mistaken for
/// one that was wrapped, stands in a member of that name.
[[nodiscard]] PERDURE_API Value wrapped(Value value, std::string_view member);
[[nodiscard]] PERDURE_API const Value& unwrapped(const Value& variables, std::string_view member);

// ---- kinds of types ---------------------------------------------------------------------------

template <class T>
concept Own = requires(const T& object, T& target, const Value& value) {
  { to_value(object) } -> std::convertible_to<Value>;
  from_value(value, target);
};
template <class T>
concept Text = std::is_same_v<T, std::string>;
template <class T>
concept NamedSet = std::is_enum_v<T> && requires(T value) { enum_names(value).size(); };
template <class T>
concept Keyed = requires { typename T::mapped_type; };
template <class T>
concept Items = !Keyed<T> && requires(T items, typename T::value_type item) {
  items.begin();
  items.end();
  items.insert(items.end(), std::move(item));
};

template <class T, template <class...> class Of>
inline constexpr bool kIs = false;
template <template <class...> class Of, class... Args>
inline constexpr bool kIs<Of<Args...>, Of> = true;
template <class T>
inline constexpr bool kIsFixedArray = false;
template <class T, std::size_t N>
inline constexpr bool kIsFixedArray<std::array<T, N>> = true;
template <class T>
inline constexpr bool kIsTimePoint = false;
template <class Unit>
inline constexpr bool kIsTimePoint<std::chrono::time_point<std::chrono::system_clock, Unit>> = true;
template <class T>
inline constexpr bool kIsDuration = false;
template <class Count, class Period>
inline constexpr bool kIsDuration<std::chrono::duration<Count, Period>> = true;

#if __has_include(<boost/describe.hpp>)
template <class T>
concept Described = boost::describe::has_describe_members<T>::value && !std::is_union_v<T>;
template <class T, class Visit>
constexpr void for_each_member(T& object, Visit&& visit) {
  using Members =
      boost::describe::describe_members<std::remove_const_t<T>, boost::describe::mod_public |
                                                                    boost::describe::mod_inherited>;
  boost::mp11::mp_for_each<Members>(
      [&](auto member) { visit(std::string_view(member.name), object.*member.pointer); });
}
#else
template <class T>
concept Described = false;
template <class T, class Visit>
constexpr void for_each_member(T&, Visit&&) {}
#endif

/// Whether a member may be absent.
template <class T>
inline constexpr bool kMayBeAbsent = kIs<T, std::optional>;

template <class Span>
std::chrono::nanoseconds nanoseconds_of(Span span) {
  using Seconds = std::chrono::duration<double>;
  constexpr double most = 9.2e9; // of seconds, in 64 bits of nanoseconds
  const double seconds = std::chrono::duration_cast<Seconds>(span).count();
  if (!(seconds > -most && seconds < most)) refuse_long();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(span);
}

/// Calls visit; what is wrong in it is said to be at that key.
template <class Visit>
void at(std::string_view key, Visit&& visit) {
  try {
    visit();
  } catch (const BadValue& bad) {
    throw bad.inside(key);
  }
}

template <class T>
inline constexpr bool kUnknown = false;

// ---- each way there and back ------------------------------------------------------------------

template <class T>
Value from_number(T number) {
  if constexpr (std::is_floating_point_v<T>) {
    return finite(static_cast<double>(number));
  } else if constexpr (std::is_unsigned_v<T>) {
    return from_unsigned(number);
  } else {
    return Value(static_cast<std::int64_t>(number));
  }
}

template <class T>
Value from_items(const T& items) {
  Array list;
  std::size_t index = 0;
  for (const auto& item : items)
    at(std::to_string(index++), [&] { list.push_back(encode(item)); });
  return Value(std::move(list));
}

template <class T>
Value from_tuple(const T& tuple) {
  Array list;
  std::apply([&](const auto&... item) { (list.push_back(encode(item)), ...); }, tuple);
  return Value(std::move(list));
}

template <class T>
Value from_map(const T& map) {
  if constexpr (Text<typename T::key_type>) {
    Object object;
    for (const auto& item : map)
      at(item.first, [&] { object.append(item.first, encode(item.second)); });
    return Value(std::move(object));
  } else {
    return from_items(map);
  }
}

template <class T>
Value from_described(const T& object) {
  Object members;
  for_each_member(object, [&](std::string_view name, const auto& member) {
    at(name, [&] { members.append(std::string(name), encode(member)); });
  });
  return Value(std::move(members));
}

/// One of several types is a pair of its place, from 0, and its value.
template <class T>
Value from_variant(const T& variant) {
  return std::visit(
      [&](const auto& item) {
        return Value(Object{{"index", Value(static_cast<std::int64_t>(variant.index()))},
                            {"value", encode(item)}});
      },
      variant);
}

template <class T>
void into_number(const Value& value, T& number) {
  if constexpr (std::is_floating_point_v<T>) {
    number = static_cast<T>(to_double(value));
  } else {
    constexpr auto most = std::numeric_limits<T>::max();
    constexpr auto least = std::numeric_limits<T>::min();
    constexpr bool wide = std::cmp_greater(most, std::numeric_limits<std::int64_t>::max());
    number = static_cast<T>(
        to_int(value, static_cast<std::int64_t>(least),
               wide ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(most)));
  }
}

template <class T>
void into_items(const Value& value, T& items) {
  items.clear();
  std::size_t index = 0;
  for (const auto& item : to_array(value)) {
    at(std::to_string(index++),
       [&] { items.insert(items.end(), decode<typename T::value_type>(item)); });
  }
}

template <class T>
void into_tuple(const Value& value, T& tuple) {
  const auto& list = to_array(value);
  if (list.size() != std::tuple_size_v<T>) {
    throw BadValue("expected a list of " + std::to_string(std::tuple_size_v<T>) + " items, found " +
                   std::to_string(list.size()));
  }
  std::size_t index = 0;
  const auto next = [&](auto& item) {
    const auto place = index++;
    at(std::to_string(place), [&] { decode_into(list[place], item); });
  };
  std::apply([&](auto&... item) { (next(item), ...); }, tuple);
}

template <class T>
void into_map(const Value& value, T& map) {
  map.clear();
  if constexpr (Text<typename T::key_type>) {
    for (const auto& item : to_object(value))
      at(item.first,
         [&] { map.emplace(item.first, decode<typename T::mapped_type>(item.second)); });
  } else {
    using Entry = std::pair<typename T::key_type, typename T::mapped_type>;
    for (const auto& item : to_array(value))
      map.insert(decode<Entry>(item));
  }
}

template <class T>
void into_described(const Value& value, T& object) {
  const auto& members = to_object(value);
  for_each_member(object, [&]<class Member>(std::string_view name, Member& member) {
    if (const auto* found = members.find(name)) {
      at(name, [&] { decode_into(*found, member); });
    } else if constexpr (kMayBeAbsent<Member>) {
      member.reset();
    } else {
      throw BadValue("the member is missing").inside(name);
    }
  });
}

template <class T, std::size_t Index = 0>
void into_alternative(std::int64_t index, const Value& value, T& variant) {
  if constexpr (Index < std::variant_size_v<T>) {
    if (index != static_cast<std::int64_t>(Index)) {
      return into_alternative<T, Index + 1>(index, value, variant);
    }
    variant.template emplace<Index>(decode<std::variant_alternative_t<Index, T>>(value));
  }
}

template <class T>
void into_variant(const Value& value, T& variant) {
  const auto& members = to_object(value);
  const auto* index = members.find("index");
  const auto* content = members.find("value");
  if (index == nullptr || content == nullptr) {
    throw BadValue("expected an object of \"index\" and \"value\"");
  }
  constexpr auto last = static_cast<std::int64_t>(std::variant_size_v<T>) - 1;
  std::int64_t place = 0;
  at("index", [&] { place = to_int(*index, 0, last); });
  at("value", [&] { into_alternative(place, *content, variant); });
}

template <class T>
void into_named(const Value& value, T& object) {
  const auto names = enum_names(T{});
  const auto* text = value.as<std::string>();
  if (text == nullptr) refuse("a name", value);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == *text) return void(object = static_cast<T>(i));
  }
  throw BadValue("there is no \"" + *text + "\" in this set");
}

} // namespace convert

/// The value of an object. Throws BadValue for what JSON cannot say: NaN, an infinity, an unsigned
/// number beyond int64.
template <class T>
Value encode(const T& object) {
  using namespace convert;
  if constexpr (std::is_same_v<T, Value>) {
    return object;
  } else if constexpr (Own<T>) {
    return to_value(object);
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, Array> ||
                       std::is_same_v<T, Object> ||
                       std::is_convertible_v<const T&, std::string_view>) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      return Value(std::string_view(object));
    } else {
      return Value(object);
    }
  } else if constexpr (NamedSet<T>) {
    return Value(enum_names(object)[static_cast<std::size_t>(object)]);
  } else if constexpr (std::is_enum_v<T>) {
    return from_number(static_cast<std::underlying_type_t<T>>(object));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return from_number(object);
  } else if constexpr (std::is_same_v<T, std::monostate> || std::is_same_v<T, std::nullptr_t>) {
    return Value();
  } else if constexpr (std::is_same_v<T, std::vector<std::byte>>) {
    return Value(base64_text(object));
  } else if constexpr (kIsDuration<T>) {
    return Value(duration_text(nanoseconds_of(object)));
  } else if constexpr (kIsTimePoint<T>) {
    const auto since = nanoseconds_of(object.time_since_epoch());
    return Value(time_text(std::chrono::sys_time<std::chrono::nanoseconds>(since)));
  } else if constexpr (kIs<T, std::optional>) {
    return object ? encode(*object) : Value();
  } else if constexpr (kIs<T, std::variant>) {
    return from_variant(object);
  } else if constexpr (kIs<T, std::pair> || kIs<T, std::tuple>) {
    return from_tuple(object);
  } else if constexpr (Keyed<T>) {
    return from_map(object);
  } else if constexpr (Items<T> || kIsFixedArray<T>) {
    return from_items(object);
  } else if constexpr (Described<T>) {
    return from_described(object);
  } else {
    static_assert(kUnknown<T>,
                  "Perdure does not know how to store this type: describe it with Boost.Describe "
                  "(BOOST_DESCRIBE_STRUCT), or write to_value and from_value in its namespace.");
  }
}

/// Fills the object. Members that the value has and the type has not are passed over; an optional
/// member may be absent. Throws BadValue with the place.
template <class T>
void decode_into(const Value& value, T& object) {
  using namespace convert;
  if constexpr (std::is_same_v<T, Value>) {
    object = value;
  } else if constexpr (Own<T>) {
    from_value(value, object);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!value.is_bool()) refuse("true or false", value);
    object = *value.as<bool>();
  } else if constexpr (Text<T>) {
    if (!value.is_string()) refuse("a text", value);
    object = *value.as<std::string>();
  } else if constexpr (std::is_same_v<T, Array>) {
    object = to_array(value);
  } else if constexpr (std::is_same_v<T, Object>) {
    object = to_object(value);
  } else if constexpr (NamedSet<T>) {
    into_named(value, object);
  } else if constexpr (std::is_enum_v<T>) {
    std::underlying_type_t<T> number{};
    into_number(value, number);
    object = static_cast<T>(number);
  } else if constexpr (std::is_arithmetic_v<T>) {
    into_number(value, object);
  } else if constexpr (std::is_same_v<T, std::monostate> || std::is_same_v<T, std::nullptr_t>) {
    if (!value.is_null()) refuse("null", value);
  } else if constexpr (std::is_same_v<T, std::vector<std::byte>>) {
    object = to_bytes(value);
  } else if constexpr (kIsDuration<T>) {
    object = std::chrono::duration_cast<T>(to_duration(value));
  } else if constexpr (kIsTimePoint<T>) {
    object = std::chrono::time_point_cast<typename T::duration>(to_time(value));
  } else if constexpr (kIs<T, std::optional>) {
    if (value.is_null()) {
      object.reset();
    } else {
      object = decode<typename T::value_type>(value);
    }
  } else if constexpr (kIs<T, std::variant>) {
    into_variant(value, object);
  } else if constexpr (kIs<T, std::pair> || kIs<T, std::tuple>) {
    into_tuple(value, object);
  } else if constexpr (Keyed<T>) {
    into_map(value, object);
  } else if constexpr (kIsFixedArray<T>) {
    into_tuple(value, object);
  } else if constexpr (Items<T>) {
    into_items(value, object);
  } else if constexpr (Described<T>) {
    into_described(value, object);
  } else {
    static_assert(kUnknown<T>,
                  "Perdure does not know how to read this type: describe it with Boost.Describe "
                  "(BOOST_DESCRIBE_STRUCT), or write to_value and from_value in its namespace.");
  }
}

} // namespace perdure
