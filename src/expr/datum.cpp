#include "expr/datum.h"

#include <algorithm>
#include <optional>

#include "base/json.h"
#include "expr/types.h"

namespace perdure::expr {

Datum::Datum(std::string text) : data_(std::make_shared<const std::string>(std::move(text))) {}
namespace {

int deepest(const DatumList& items) {
  int depth = 0;
  for (const auto& item : items)
    depth = std::max(depth, item.depth());
  return depth;
}

int deepest(const DatumEntries& entries) {
  int depth = 0;
  for (const auto& [key, value] : entries)
    depth = std::max(depth, value.depth());
  return depth;
}

} // namespace

Datum::Datum(DatumList items) {
  const auto depth = deepest(items) + 1;
  data_ = std::make_shared<const Deep<DatumList>>(std::move(items), depth);
}
Datum::Datum(DatumEntries entries) {
  const auto depth = deepest(entries) + 1;
  data_ = std::make_shared<const Deep<DatumEntries>>(std::move(entries), depth);
}
Datum::Datum(Range range) {
  const auto depth = std::max(range.low.depth(), range.high.depth()) + 1;
  data_ = std::make_shared<const Deep<Range>>(std::move(range), depth);
}
Datum::Datum(std::shared_ptr<const Callable> function) : data_(std::move(function)) {}

Datum Datum::borrow(std::string_view text) {
  Datum datum;
  datum.data_ = text;
  return datum;
}

Datum Datum::of(const Value& value) {
  Datum datum;
  if (const auto* boolean = value.as<bool>()) datum.data_ = *boolean;
  if (const auto* whole = value.as<std::int64_t>()) datum.data_ = Decimal(*whole);
  if (const auto* real = value.as<double>()) datum.data_ = Decimal(*real);
  if (const auto* text = value.as<std::string>()) datum.data_ = std::string_view(*text);
  if (const auto* array = value.as<Array>()) datum.data_ = array;
  if (const auto* object = value.as<Object>()) datum.data_ = object;
  return datum;
}

bool Datum::is_true() const { return boolean().value_or(false); }

std::optional<bool> Datum::boolean() const {
  const auto* value = std::get_if<bool>(&data_);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<std::string_view> Datum::text() const {
  if (const auto* borrowed = std::get_if<std::string_view>(&data_)) return *borrowed;
  if (const auto* owned = std::get_if<Shared<std::string>>(&data_)) return **owned;
  return std::nullopt;
}

const Range* Datum::range() const {
  const auto* shared = std::get_if<Shared<Deep<Range>>>(&data_);
  return shared ? &(*shared)->value : nullptr;
}

std::shared_ptr<const Callable> Datum::function() const {
  const auto* shared = std::get_if<Shared<Callable>>(&data_);
  return shared ? *shared : nullptr;
}

bool Datum::is_list() const {
  return std::holds_alternative<const Array*>(data_) ||
         std::holds_alternative<Shared<Deep<DatumList>>>(data_);
}

bool Datum::is_context() const {
  return std::holds_alternative<const Object*>(data_) ||
         std::holds_alternative<Shared<Deep<DatumEntries>>>(data_);
}

std::size_t Datum::size() const {
  if (const auto* array = std::get_if<const Array*>(&data_)) return (*array)->size();
  if (const auto* list = std::get_if<Shared<Deep<DatumList>>>(&data_)) return (*list)->value.size();
  if (const auto* object = std::get_if<const Object*>(&data_)) return (*object)->size();
  if (const auto* entries = std::get_if<Shared<Deep<DatumEntries>>>(&data_))
    return (*entries)->value.size();
  return 0;
}

Datum Datum::item(std::size_t index) const {
  if (const auto* array = std::get_if<const Array*>(&data_)) return of((**array)[index]);
  return std::get<Shared<Deep<DatumList>>>(data_)->value[index];
}

std::optional<Datum> Datum::entry(std::string_view name) const {
  if (const auto* object = std::get_if<const Object*>(&data_)) {
    const auto* value = (*object)->find(name);
    return value ? std::optional(of(*value)) : std::nullopt;
  }
  if (const auto* entries = std::get_if<Shared<Deep<DatumEntries>>>(&data_)) {
    for (const auto& [key, value] : (*entries)->value) {
      if (key == name) return value;
    }
  }
  return std::nullopt;
}

std::pair<std::string_view, Datum> Datum::entry_at(std::size_t index) const {
  if (const auto* object = std::get_if<const Object*>(&data_)) {
    const auto& [key, value] = *((*object)->begin() + static_cast<std::ptrdiff_t>(index));
    return {key, of(value)};
  }
  const auto& [key, value] = std::get<Shared<Deep<DatumEntries>>>(data_)->value[index];
  return {key, value};
}

int Datum::depth() const {
  constexpr int kMaxJsonDepth = 64; // of what is borrowed
  if (const auto* list = std::get_if<Shared<Deep<DatumList>>>(&data_)) return (*list)->depth;
  if (const auto* entries = std::get_if<Shared<Deep<DatumEntries>>>(&data_)) {
    return (*entries)->depth;
  }
  if (const auto* range = std::get_if<Shared<Deep<Range>>>(&data_)) return (*range)->depth;
  if (const auto* callable = std::get_if<Shared<Callable>>(&data_)) return (*callable)->depth();
  return is_list() || is_context() ? kMaxJsonDepth : 1;
}

std::string_view Datum::type_name() const {
  if (text()) return "text"; // FEEL's own word, string, is for people who know FEEL
  return type_name_of(*this);
}

std::string Datum::described() const {
  return is_null() ? "null" : "a " + std::string(type_name());
}

namespace {

std::optional<std::string> temporal_text(const Datum& datum) {
  if (datum.date()) return datum.date()->text();
  if (datum.time()) return datum.time()->text();
  if (datum.date_time()) return datum.date_time()->text();
  if (datum.days_duration()) return datum.days_duration()->text();
  if (datum.months_duration()) return datum.months_duration()->text();
  return std::nullopt;
}

/// Gathers the text of nested values and pays for it.
class TextWriter {
public:
  TextWriter(Work& work, std::uint32_t offset) : work_(work), offset_(offset) {}

  void put(const Datum& datum, bool nested) {
    if (!work_.spend(1, offset_)) return;
    if (const auto text = datum.text()) return put_text(*text, nested);
    if (datum.is_list()) return put_list(datum);
    if (datum.is_context()) return put_context(datum);
    if (const auto* range = datum.range()) return put_range(*range);
    if (const auto* number = datum.number()) {
      out_ += number->text();
    } else if (auto temporal = temporal_text(datum)) {
      out_ += *temporal;
    } else if (datum.function()) {
      out_ += "function";
    } else if (const auto boolean = datum.boolean()) {
      out_ += *boolean ? "true" : "false";
    } else {
      out_ += "null";
    }
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

private:
  void put_text(std::string_view text, bool nested) {
    if (!work_.spend_bytes(text.size(), offset_)) return;
    if (nested) {
      json::append_string(out_, text);
    } else {
      out_ += text;
    }
  }

  void put_list(const Datum& list) {
    out_ += '[';
    for (std::size_t i = 0; i < list.size() && !work_.failed(); ++i) {
      if (i > 0) out_ += ", ";
      put(list.item(i), true);
    }
    out_ += ']';
  }

  void put_context(const Datum& context) {
    out_ += '{';
    for (std::size_t i = 0; i < context.size() && !work_.failed(); ++i) {
      const auto [key, value] = context.entry_at(i);
      if (i > 0) out_ += ", ";
      out_.append(key).append(": ");
      put(value, true);
    }
    out_ += '}';
  }

  void put_range(const Range& range) {
    out_ += range.has_low_end ? '[' : '(';
    put(range.low, true);
    out_ += "..";
    put(range.high, true);
    out_ += range.has_high_end ? ']' : ')';
  }

  Work& work_;
  std::uint32_t offset_;
  std::string out_;
};

} // namespace

std::string text_of(Work& work, std::uint32_t offset, const Datum& datum) {
  TextWriter writer(work, offset);
  writer.put(datum, false);
  return writer.take();
}

Datum invoke(Work& work, const Callable& function, std::span<const Datum> arguments,
             std::uint32_t offset) {
  if (function.is_overloaded()) return function.call(work, arguments, offset);
  const auto parameters = function.parameters();
  if (arguments.size() != parameters.size()) {
    work.warn(WarningKind::invalid_argument,
              "The function takes " + std::to_string(parameters.size()) +
                  (parameters.size() == 1 ? " argument, not " : " arguments, not ") +
                  std::to_string(arguments.size()) + ".",
              offset);
    return nullptr;
  }
  DatumList fitting;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto argument = coerced(arguments[i], parameters[i].type, &work);
    if (!argument) {
      work.warn(WarningKind::type_mismatch,
                "The argument \"" + parameters[i].name + "\" must be " +
                    text_of(*parameters[i].type) + ", not " + arguments[i].described() + ".",
                offset);
      return nullptr;
    }
    fitting.push_back(*std::move(argument));
  }
  auto result = work.enter(offset) ? function.call(work, fitting, offset) : Datum();
  work.leave();
  return result;
}

Value value_of(Work& work, std::uint32_t offset, const Datum& datum, int max_depth) {
  const auto refuse = [&](std::string reason) {
    work.fail(std::move(reason), offset);
    return Value();
  };
  if (datum.is_null()) return Value();
  if (const auto boolean = datum.boolean()) return Value(*boolean);
  if (const auto* number = datum.number()) {
    auto value = number->to_value();
    return value ? *value : refuse("The number " + number->text() + " is too large to be kept.");
  }
  if (const auto text = datum.text()) {
    return work.spend_bytes(text->size(), offset) ? Value(*text) : Value();
  }
  if (auto text = temporal_text(datum)) return Value(*std::move(text));
  if (datum.function()) {
    return refuse("The result is a function, which cannot be kept as a value.");
  }
  if (datum.range()) return refuse("The result is a range, which cannot be kept as a value.");
  if (max_depth == 0) return refuse("The result is nested too deep.");
  if (!work.spend(1 + datum.size() / 4, offset)) return Value();
  if (datum.is_list()) {
    Array array;
    for (std::size_t i = 0; i < datum.size() && !work.failed(); ++i) {
      array.push_back(value_of(work, offset, datum.item(i), max_depth - 1));
    }
    return array;
  }
  Object object;
  for (std::size_t i = 0; i < datum.size() && !work.failed(); ++i) {
    const auto [key, entry] = datum.entry_at(i);
    object.append(std::string(key), value_of(work, offset, entry, max_depth - 1));
  }
  return object;
}

} // namespace perdure::expr
