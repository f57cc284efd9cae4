#include "flow/inherit.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/enum_text.h"
#include "base/time.h"

namespace perdure::flow {

namespace {

using facts::FlowEntry;

/// Calls visit(name, field) for every field of an entry, and of its kind, in order.
template <class Entry, class Visit>
void for_each_part(Entry& entry, const Visit& visit) {
  visit("doing", entry.doing);
  visit("name", entry.name);
  visit("parent", entry.parent);
  visit("type", entry.type);
  visit("nested", entry.nested);
  visit("flag", entry.flag);
  visit("number", entry.number);
  visit("max_attempts", entry.max_attempts);
  visit("target", entry.target);
  visit("call_id", entry.call_id);
  visit("after", entry.after);
  visit("at", entry.at);
  visit("value", entry.value);
  visit("ending", entry.ending);
  visit("error_name", entry.error_name);
  visit("error_message", entry.error_message);
}

template <class Field>
std::optional<Value> written(const Field& field) {
  if constexpr (std::is_same_v<Field, std::optional<Duration>>) {
    return field ? std::optional<Value>(std::int64_t{field->count()}) : std::nullopt;
  } else if constexpr (std::is_same_v<Field, std::optional<Instant>>) {
    return field ? std::optional<Value>(std::int64_t{field->time_since_epoch().count()})
                 : std::nullopt;
  } else if constexpr (std::is_same_v<Field, std::optional<Value>>) {
    return field;
  } else if constexpr (NamedEnum<Field>) {
    return Value(std::string(name_of(field)));
  } else {
    return Value(field);
  }
}

/// False when it does not fit.
template <class Field>
bool read(const Value& value, Field& field) {
  if constexpr (std::is_same_v<Field, std::optional<Value>>) {
    field = value;
    return true;
  } else if constexpr (std::is_same_v<Field, std::optional<Duration>> ||
                       std::is_same_v<Field, std::optional<Instant>>) {
    const auto* number = value.as<std::int64_t>();
    if (number != nullptr) field = typename Field::value_type(Duration(*number));
    return number != nullptr;
  } else if constexpr (NamedEnum<Field>) {
    const auto* text = value.as<std::string>();
    const auto named = text != nullptr ? enum_from<Field>(*text) : std::nullopt;
    if (named) field = *named;
    return named.has_value();
  } else {
    const auto* same = value.as<Field>();
    if (same != nullptr) field = *same;
    return same != nullptr;
  }
}

} // namespace

Value entries_value(const std::vector<FlowEntry>& entries) {
  const FlowEntry usual;
  std::vector<std::pair<std::string_view, std::optional<Value>>> left_out;
  for_each_part(usual, [&](std::string_view name, const auto& field) {
    left_out.emplace_back(name, name == "doing" ? std::nullopt : written(field));
  });
  Array list;
  for (const auto& entry : entries) {
    Object object;
    std::size_t place = 0;
    for_each_part(entry, [&](std::string_view name, const auto& field) {
      auto value = written(field);
      if (value != left_out[place++].second) object.append(std::string(name), *std::move(value));
    });
    list.push_back(std::move(object));
  }
  return list;
}

Result<std::vector<FlowEntry>> read_entries(const Value& value) {
  const auto* list = value.as<Array>();
  bool fits = list != nullptr;
  std::vector<FlowEntry> entries;
  for (std::size_t i = 0; fits && i < list->size(); ++i) {
    auto& entry = entries.emplace_back();
    fits = (*list)[i].is_object() && (*list)[i].find("doing") != nullptr;
    for_each_part(entry, [&](std::string_view name, auto& field) {
      const auto* member = fits ? (*list)[i].find(name) : nullptr;
      if (member != nullptr && !read(*member, field)) fits = false;
    });
  }
  if (fits) return entries;
  return fail(ErrorCode::invalid_input,
              "What the run begins with cannot be read: its history was changed, or comes from "
              "another version of Perdure.");
}

} // namespace perdure::flow
