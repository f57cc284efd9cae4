// Value: a JSON value (RFC 8259) as Perdure keeps it. Plain data: copies, compares, serialises.
// Integers are exact int64; other numbers are doubles that round-trip bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "perdure/api.h"

namespace perdure {

class PERDURE_API Value;

/// A JSON object: keys in insertion order, each once. Lookup is linear: objects are small.
class PERDURE_API Object {
public:
  using Member = std::pair<std::string, Value>;
  using iterator = std::vector<Member>::iterator;
  using const_iterator = std::vector<Member>::const_iterator;

  Object();
  Object(std::initializer_list<Member> members);
  Object(const Object&);
  Object(Object&&) noexcept;
  Object& operator=(const Object&);
  Object& operator=(Object&&) noexcept;
  ~Object();

  /// The member's value, or nullptr. The pointer lives until the object changes.
  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] Value* find(std::string_view key);
  /// Replaces the member of that name or appends it.
  void set(std::string_view key, Value value);
  /// Appends without looking for the key: the caller knows that it is new.
  void append(std::string key, Value value);
  /// Removes the member; false when there was none.
  bool erase(std::string_view key);

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const;
  [[nodiscard]] const_iterator begin() const;
  [[nodiscard]] const_iterator end() const;
  [[nodiscard]] iterator begin();
  [[nodiscard]] iterator end();

  /// Equal as JSON objects: same members, in any order.
  PERDURE_API friend bool operator==(const Object& left, const Object& right);

private:
  std::vector<Member> members_;
};

using Array = std::vector<Value>;

class PERDURE_API Value {
public:
  using Data = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object>;

  Value() = default;
  Value(std::nullptr_t) {}
  Value(bool value) : data_(value) {}
  Value(int value) : data_(static_cast<std::int64_t>(value)) {}
  Value(std::int64_t value) : data_(value) {}
  Value(double value) : data_(value) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(std::string_view value) : data_(std::string(value)) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(Array value) : data_(std::move(value)) {}
  Value(Object value) : data_(std::move(value)) {}

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::nullptr_t>(data_); }
  [[nodiscard]] bool is_bool() const { return std::holds_alternative<bool>(data_); }
  [[nodiscard]] bool is_int() const { return std::holds_alternative<std::int64_t>(data_); }
  [[nodiscard]] bool is_double() const { return std::holds_alternative<double>(data_); }
  [[nodiscard]] bool is_number() const { return is_int() || is_double(); }
  [[nodiscard]] bool is_string() const { return std::holds_alternative<std::string>(data_); }
  [[nodiscard]] bool is_array() const { return std::holds_alternative<Array>(data_); }
  [[nodiscard]] bool is_object() const { return std::holds_alternative<Object>(data_); }

  /// The alternative, or nullptr when the value is of another type.
  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&data_);
  }
  template <class T>
  [[nodiscard]] T* as() {
    return std::get_if<T>(&data_);
  }
  [[nodiscard]] const Data& data() const { return data_; }

  /// Member of an object; nullptr when this is no object or has no such member.
  [[nodiscard]] const Value* find(std::string_view key) const {
    const auto* object = as<Object>();
    return object ? object->find(key) : nullptr;
  }

  /// "null", "boolean", "number", "string", "list", "object": for messages.
  [[nodiscard]] std::string_view type_name() const;

  /// Same JSON value; 1 and 1.0 are equal, objects compare without order.
  PERDURE_API friend bool operator==(const Value& left, const Value& right);

private:
  Data data_;
};

// Here, because a member is complete only once Value is.
inline std::size_t Object::size() const { return members_.size(); }
inline bool Object::empty() const { return members_.empty(); }
inline Object::const_iterator Object::begin() const { return members_.begin(); }
inline Object::const_iterator Object::end() const { return members_.end(); }
inline Object::iterator Object::begin() { return members_.begin(); }
inline Object::iterator Object::end() { return members_.end(); }

} // namespace perdure
