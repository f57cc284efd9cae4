#include "perdure/value.h"

#include <algorithm>

namespace perdure {

Object::Object() = default;
Object::Object(std::initializer_list<Member> members) : members_(members) {}
Object::Object(const Object&) = default;
Object::Object(Object&&) noexcept = default;
Object& Object::operator=(const Object&) = default;
Object& Object::operator=(Object&&) noexcept = default;
Object::~Object() = default;

const Value* Object::find(std::string_view key) const {
  for (const auto& [name, value] : members_) {
    if (name == key) return &value;
  }
  return nullptr;
}

Value* Object::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

void Object::set(std::string_view key, Value value) {
  if (auto* existing = find(key)) {
    *existing = std::move(value);
  } else {
    members_.emplace_back(key, std::move(value));
  }
}

void Object::append(std::string key, Value value) {
  members_.emplace_back(std::move(key), std::move(value));
}

bool Object::erase(std::string_view key) {
  return std::erase_if(members_, [&](const Member& member) { return member.first == key; }) > 0;
}

bool operator==(const Object& left, const Object& right) {
  if (left.size() != right.size()) return false;
  // Sorted views, so that a large object in another order costs no quadratic search.
  const auto sorted = [](const Object& object) {
    std::vector<const Object::Member*> members;
    for (const auto& member : object)
      members.push_back(&member);
    std::ranges::sort(members, {}, &Object::Member::first);
    return members;
  };
  return std::ranges::equal(
      sorted(left), sorted(right),
      [](const Object::Member* one, const Object::Member* other) { return *one == *other; });
}

std::string_view Value::type_name() const {
  static constexpr std::string_view kNames[] = {"null",   "boolean", "number", "number",
                                                "string", "list",    "object"};
  return kNames[data_.index()];
}

namespace {

// An int64 and a double are equal only when both are the same number: beyond 2^53 a cast would lie.
bool same_number(std::int64_t whole, double real) {
  if (!(real >= -9223372036854775808.0 && real < 9223372036854775808.0)) return false;
  const auto truncated = static_cast<std::int64_t>(real);
  return static_cast<double>(truncated) == real && truncated == whole;
}

} // namespace

bool operator==(const Value& left, const Value& right) {
  if (left.is_int() && right.is_double()) {
    return same_number(*left.as<std::int64_t>(), *right.as<double>());
  }
  if (left.is_double() && right.is_int()) return right == left;
  return left.data_ == right.data_;
}

} // namespace perdure
