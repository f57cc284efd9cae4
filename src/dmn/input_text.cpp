#include "dmn/input_text.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace perdure::dmn {

namespace {

using expr::Datum;
using expr::TypeKind;
using expr::TypeRef;

template <class Temporal>
Datum parsed(const Datum& value, std::string_view text) {
  const auto temporal = Temporal::parse(text);
  return temporal ? Datum(*temporal) : value;
}

Datum read_list(const Datum& value, const TypeRef& element) {
  expr::DatumList items;
  for (std::size_t i = 0; i < value.size(); ++i)
    items.push_back(read_texts(value.item(i), element));
  return Datum(std::move(items));
}

Datum read_context(const Datum& value, const expr::Type& type) {
  expr::DatumEntries entries;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const auto [name, entry] = value.entry_at(i);
    const auto member = std::ranges::find(
        type.members, name, [](const auto& pair) { return std::string_view(pair.first); });
    entries.emplace_back(name,
                         member == type.members.end() ? entry : read_texts(entry, member->second));
  }
  return Datum(std::move(entries));
}

} // namespace

Datum read_texts(const Datum& value, const TypeRef& type) {
  if (!type) return value;
  if (value.is_list()) {
    return type->kind == TypeKind::list ? read_list(value, type->element) : read_list(value, type);
  }
  if (value.is_context() && type->kind == TypeKind::context) return read_context(value, *type);
  const auto text = value.text();
  if (!text) return value;
  switch (type->kind) {
    case TypeKind::date: return parsed<expr::Date>(value, *text);
    case TypeKind::time: return parsed<expr::Time>(value, *text);
    case TypeKind::date_time: {
      const auto date_time = parsed<expr::DateTime>(value, *text);
      return date_time.text() ? parsed<expr::Date>(value, *text) : date_time;
    }
    case TypeKind::days_duration: return parsed<expr::DaysDuration>(value, *text);
    case TypeKind::months_duration: return parsed<expr::MonthsDuration>(value, *text);
    case TypeKind::list: return read_texts(value, type->element);
    case TypeKind::any:
    case TypeKind::null:
    case TypeKind::boolean:
    case TypeKind::number:
    case TypeKind::string:
    case TypeKind::context:
    case TypeKind::range:
    case TypeKind::function: return value;
  }
  return value;
}

} // namespace perdure::dmn
