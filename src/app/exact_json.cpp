#include "app/exact_json.h"

#include "base/json.h"

namespace perdure::app {

void append_exact(std::string& out, const expr::Datum& datum, const Value& kept) {
  if (const auto* number = datum.number()) {
    out += number->text();
  } else if (const auto* items = kept.as<Array>()) {
    out += '[';
    for (std::size_t i = 0; i < items->size(); ++i) {
      if (i > 0) out += ',';
      append_exact(out, datum.item(i), (*items)[i]);
    }
    out += ']';
  } else if (const auto* members = kept.as<Object>()) {
    out += '{';
    std::size_t index = 0;
    for (const auto& [name, value] : *members) {
      if (index > 0) out += ',';
      json::append(out, Value(name));
      out += ':';
      append_exact(out, datum.entry_at(index++).second, value);
    }
    out += '}';
  } else {
    json::append(out, kept);
  }
}

} // namespace perdure::app
