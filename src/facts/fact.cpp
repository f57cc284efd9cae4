// Facts as JSON and back, by the fields that each struct describes.
#include "facts/fact.h"

#include <boost/mp11/list.hpp>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/json.h"

namespace perdure::facts {

namespace {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
concept Described = boost::describe::has_describe_members<T>::value;

/// Numbers under these names are keys: a program in a language without int64 must not round them.
bool names_key(std::string_view field) { return field == "id" || field.ends_with("_id"); }

// ---- writing
// --------------------------------------------------------------------------------------

template <Described T>
void append_object(std::string& out, const T& object);

template <class T>
void append_field(std::string& out, std::string_view name, const T& field) {
  if constexpr (std::is_same_v<T, Value>) {
    json::append(out, field);
  } else if constexpr (std::is_same_v<T, std::string>) {
    json::append_string(out, field);
  } else if constexpr (std::is_same_v<T, bool>) {
    out += field ? "true" : "false";
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    if (names_key(name)) out += '"';
    json::append_int(out, field);
    if (names_key(name)) out += '"';
  } else if constexpr (std::is_same_v<T, Instant>) {
    json::append_string(out, to_text(field));
  } else if constexpr (NamedEnum<T>) {
    json::append_string(out, name_of(field));
  } else {
    append_object(out, field);
  }
}

template <Described T>
void append_object(std::string& out, const T& object) {
  char separator = '{';
  const auto append_member = [&](std::string_view name, const auto& field) {
    out += separator;
    separator = ',';
    out += '"';
    out += name;
    out += "\":";
    append_field(out, name, field);
  };
  for_each_field(object, [&]<class Field>(std::string_view name, const Field& field) {
    if constexpr (kIsOptional<Field>) {
      if (field) append_member(name, *field);
    } else {
      append_member(name, field);
    }
  });
  if (separator == '{') out += separator;
  out += '}';
}

// ---- reading
// --------------------------------------------------------------------------------------

std::unexpected<Error> misfit(const std::string& pointer, const std::string& wanted) {
  return fail(ErrorCode::invalid_input,
              "The recorded fact does not fit: `" + pointer + "` must be " + wanted +
                  "; the history was changed or comes from another version of Perdure.",
              pointer);
}

template <Described T>
Result<void> read_object(const Value& value, const std::string& pointer, T& object);

template <class T>
Result<void> read_scalar(const Value& value, const std::string& pointer, T& field) {
  if constexpr (std::is_same_v<T, std::string>) {
    const auto* text = value.as<std::string>();
    if (!text) return misfit(pointer, "a string");
    field = *text;
  } else if constexpr (std::is_same_v<T, bool>) {
    const auto* flag = value.as<bool>();
    if (!flag) return misfit(pointer, "true or false");
    field = *flag;
  } else if constexpr (std::is_same_v<T, Instant>) {
    const auto* text = value.as<std::string>();
    if (!text) return misfit(pointer, "a date-time");
    const auto instant = parse_instant(*text);
    if (!instant) return misfit(pointer, "a date-time");
    field = *instant;
  } else {
    static_assert(NamedEnum<T>);
    const auto* text = value.as<std::string>();
    const auto named = text ? enum_from<T>(*text) : std::nullopt;
    if (!named) return misfit(pointer, "one of the known names");
    field = *named;
  }
  return {};
}

Result<void> read_number(const Value& value, const std::string& pointer, bool is_key,
                         std::int64_t& field) {
  if (is_key) {
    const auto* text = value.as<std::string>();
    const auto key = text ? parse_key(*text) : std::nullopt;
    if (!key) return misfit(pointer, "a key (a string of digits)");
    field = *key;
    return {};
  }
  const auto* number = value.as<std::int64_t>();
  if (!number) return misfit(pointer, "a whole number");
  field = *number;
  return {};
}

template <class T>
Result<void> read_field(const Value& value, std::string_view name, const std::string& pointer,
                        T& field) {
  if constexpr (std::is_same_v<T, Value>) {
    field = value;
    return {};
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return read_number(value, pointer, names_key(name), field);
  } else if constexpr (Described<T>) {
    return read_object(value, pointer, field);
  } else {
    return read_scalar(value, pointer, field);
  }
}

template <Described T>
Result<void> read_object(const Value& value, const std::string& pointer, T& object) {
  const auto* members = value.as<Object>();
  if (!members) return misfit(pointer.empty() ? "/" : pointer, "an object");
  Result<void> outcome;
  std::size_t known = 0;
  for_each_field(object, [&]<class Field>(std::string_view name, Field& field) {
    if (!outcome) return;
    const auto* member = members->find(name);
    const auto place = pointer + "/" + std::string(name);
    if constexpr (kIsOptional<Field>) {
      if (!member) return;
      outcome = read_field(*member, name, place, field.emplace());
    } else if (member) {
      outcome = read_field(*member, name, place, field);
    } else {
      outcome = misfit(place, "present");
    }
    ++known;
  });
  if (!outcome || known == members->size()) return outcome;
  for (const auto& [name, member] : *members) {
    bool is_field = false;
    for_each_field(object, [&](std::string_view field, auto&) { is_field |= field == name; });
    if (!is_field) return misfit(pointer + "/" + name, "absent (no such member is known)");
  }
  return outcome;
}

/// Calls use with an empty fact of that type; false when no fact has it.
template <class Use>
bool with_type(std::string_view type, const Use& use) {
  return [&]<class... Fact>(std::type_identity<std::variant<Fact...>>) {
    return ((type == Fact::kType && (use(Fact{}), true)) || ...);
  }(std::type_identity<FactData>{});
}

} // namespace

std::string_view type_of(const FactData& data) {
  return std::visit([](const auto& fact) { return fact.kType; }, data);
}

std::string_view category_of(const FactData& data) {
  return std::visit([](const auto& fact) { return fact.kCategory; }, data);
}

std::string payload_of(const FactData& data) {
  std::string out;
  out.reserve(160);
  std::visit([&](const auto& fact) { append_object(out, fact); }, data);
  return out;
}

Result<FactData> read_fact(std::string_view type, std::string_view payload) {
  // The text is our own: values stood inside the limits when they came in, a fact wraps them
  // deeper.
  const json::Limits limits{.max_depth = 96, .max_bytes = std::numeric_limits<std::size_t>::max()};
  const auto value = json::parse(payload, limits);
  if (!value) return std::unexpected(value.error());
  Result<FactData> outcome;
  const bool known = with_type(type, [&](auto fact) {
    const auto read = read_object(*value, "", fact);
    if (read) {
      outcome = std::move(fact);
    } else {
      auto error = read.error();
      error.message = std::string(type) + ": " + error.message;
      outcome = std::unexpected(std::move(error));
    }
  });
  if (known) return outcome;
  return fail(ErrorCode::invalid_input,
              "`" + std::string(type) +
                  "` is no fact that this version of Perdure knows: use the version that wrote it "
                  "or a newer one.",
              std::string(type));
}

} // namespace perdure::facts
