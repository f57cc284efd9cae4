// Writers that append JSON to a text as it is known, without a Value between. Keys become decimal
// strings, times RFC 3339, enumerators their names; absent optionals are null, so that every row of
// a kind has the same members.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/enum_text.h"
#include "base/json.h"
#include "base/key.h"
#include "base/time.h"
#include "perdure/value.h"

namespace perdure::api {

/// True for members that hold keys: "id" and those that end in "_id".
[[nodiscard]] constexpr bool is_key_member(std::string_view name) {
  return name == "id" || name.ends_with("_id");
}

/// Appends one field; `name` decides whether an integer is a key.
template <class T>
void append_field(std::string& out, std::string_view name, const T& field) {
  if constexpr (std::is_same_v<T, bool>) {
    out += field ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    if (is_key_member(name)) {
      json::append_string(out, key_text(field));
    } else {
      json::append_int(out, field);
    }
  } else if constexpr (std::is_same_v<T, Instant>) {
    json::append_string(out, to_text(field));
  } else if constexpr (NamedEnum<T>) {
    json::append_string(out, name_of(field));
  } else if constexpr (std::is_same_v<T, Value>) {
    json::append(out, field);
  } else {
    json::append_string(out, field);
  }
}

template <class T>
void append_field(std::string& out, std::string_view name, const std::optional<T>& field) {
  if (field) {
    append_field(out, name, *field);
  } else {
    out += "null";
  }
}

/// Appends one object, member by member; complete when the writer goes.
class ObjectWriter {
public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }
  ~ObjectWriter() { out_ += '}'; }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;

  template <class T>
  void member(std::string_view name, const T& field) {
    append_field(begin_member(name), name, field);
  }
  /// Writes the member's name; the caller appends its value to the text returned.
  std::string& begin_member(std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    json::append_string(out_, name);
    out_ += ':';
    return out_;
  }

private:
  std::string& out_;
  bool first_ = true;
};

/// Appends an array: calls write_one(out, row) for every row.
template <class Rows, class WriteOne>
void append_list(std::string& out, const Rows& rows, WriteOne&& write_one) {
  out += '[';
  bool first = true;
  for (const auto& row : rows) {
    if (!first) out += ',';
    first = false;
    write_one(out, row);
  }
  out += ']';
}

} // namespace perdure::api
