// PostgreSQL's binary form of values: parameters, arrays of them, and columns. A struct's fields
// are parameters and columns by position, as PERDURE_DESCRIBE names them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/describe.h"
#include "base/enum_text.h"
#include "base/json.h"
#include "base/time.h"
#include "perdure/value.h"

namespace perdure::store::postgres {

/// Types of PostgreSQL by their fixed numbers, with those of their arrays.
struct WireType {
  std::uint32_t scalar;
  std::uint32_t array;
};
inline constexpr WireType kBoolean{16, 1000};
inline constexpr WireType kBigint{20, 1016};
inline constexpr WireType kText{25, 1009};
inline constexpr WireType kJson{114, 199};
inline constexpr WireType kTimestamp{1184, 1185};

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class Field>
constexpr WireType wire_type() {
  if constexpr (kIsOptional<Field>) {
    return wire_type<typename Field::value_type>();
  } else if constexpr (std::is_same_v<Field, Value>) {
    return kJson;
  } else if constexpr (std::is_same_v<Field, Instant>) {
    return kTimestamp;
  } else if constexpr (std::is_same_v<Field, bool>) {
    return kBoolean;
  } else if constexpr (std::is_integral_v<Field>) {
    return kBigint;
  } else {
    return kText;
  }
}

void append_int32(std::string& bytes, std::int32_t number);
void append_int64(std::string& bytes, std::int64_t number);
/// Microseconds since 2000; an instant that PostgreSQL cannot hold becomes the nearest that it can.
[[nodiscard]] std::int64_t wire_time(Instant instant);
[[nodiscard]] Instant time_from_wire(std::int64_t microseconds);
/// A number of 2, 4 or 8 bytes.
[[nodiscard]] std::int64_t int_from_wire(std::string_view bytes);

/// Appends the value without its length. Optionals are the caller's.
template <class Field>
void append_value(std::string& bytes, const Field& field) {
  if constexpr (std::is_same_v<Field, Value>) {
    json::append(bytes, field);
  } else if constexpr (std::is_same_v<Field, Instant>) {
    append_int64(bytes, wire_time(field));
  } else if constexpr (NamedEnum<Field>) {
    bytes += name_of(field);
  } else if constexpr (std::is_same_v<Field, bool>) {
    bytes += field ? '\1' : '\0';
  } else if constexpr (std::is_integral_v<Field>) {
    append_int64(bytes, field);
  } else {
    bytes += std::string_view(field);
  }
}

/// One parameter of a statement.
struct Parameter {
  std::uint32_t type = 0;
  bool null = false;
  std::string bytes;
};
using Parameters = std::vector<Parameter>;

template <class Field>
Parameter parameter(const Field& field) {
  Parameter made{.type = wire_type<Field>().scalar, .null = false, .bytes = {}};
  if constexpr (kIsOptional<Field>) {
    if (field) {
      append_value(made.bytes, *field);
    } else {
      made.null = true;
    }
  } else {
    append_value(made.bytes, field);
  }
  return made;
}

/// Parameters 1, 2 ... in order.
template <class... Fields>
Parameters parameters(const Fields&... fields) {
  return {parameter(fields)...};
}

/// Parameter N is field N.
template <class Row>
Parameters row_parameters(const Row& row) {
  Parameters made;
  for_each_field(row,
                 [&](std::string_view, const auto& field) { made.push_back(parameter(field)); });
  return made;
}

/// An array of one type that grows by its end.
class ArrayParameter {
public:
  explicit ArrayParameter(WireType type);

  template <class Field>
  void add(const Field& field) {
    if constexpr (kIsOptional<Field>) {
      if (field) {
        add(*field);
      } else {
        add_null();
      }
    } else {
      const auto at = begin_item();
      append_value(bytes_, field);
      end_item(at);
    }
  }
  void add_null();
  [[nodiscard]] std::int32_t size() const { return count_; }
  /// The parameter; the array is used up.
  [[nodiscard]] Parameter take();

private:
  std::size_t begin_item();
  void end_item(std::size_t at);

  WireType type_;
  std::int32_t count_ = 0;
  bool has_null_ = false;
  std::string bytes_;
};

/// Rows as one array for each field.
class RowArrays {
public:
  /// Adds the fields of a row that the statement uses.
  template <class Row>
  void add(const Row& row, const std::vector<bool>& used) {
    if (columns_.empty()) {
      for_each_field(row, [&]<class Field>(std::string_view, const Field&) {
        columns_.emplace_back(wire_type<Field>());
      });
    }
    ++count_;
    std::size_t at = 0;
    for_each_field(row, [&](std::string_view, const auto& field) {
      if (used[at]) columns_[at].add(field);
      ++at;
    });
  }
  [[nodiscard]] std::int64_t size() const { return count_; }
  [[nodiscard]] Parameters take();

private:
  std::vector<ArrayParameter> columns_;
  std::int64_t count_ = 0;
};

} // namespace perdure::store::postgres
