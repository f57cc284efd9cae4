// Built-in functions on contexts.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "expr/functions.h"

namespace perdure::expr {

namespace {

using enum Accepts;

/// A copy to work on. Pays for it.
DatumEntries entries_of(const Call& call, const Datum& context) {
  DatumEntries entries;
  if (!call.spend(context.size())) return entries;
  for (std::size_t i = 0; i < context.size(); ++i) {
    auto [key, value] = context.entry_at(i);
    entries.emplace_back(std::string(key), std::move(value));
  }
  return entries;
}

void set(const Call& call, DatumEntries& entries, std::string_view key, Datum value) {
  if (!call.spend(1 + entries.size() / 16)) return; // the search is linear
  const auto found = std::ranges::find(entries, key, &DatumEntries::value_type::first);
  if (found != entries.end()) {
    found->second = std::move(value);
  } else {
    entries.emplace_back(std::string(key), std::move(value));
  }
}

Datum get_value(const Call& call) {
  if (!call.spend(1 + call[0].size() / 16)) return nullptr;
  auto value = call[0].entry(call.text(1));
  if (value) return *std::move(value);
  return call.null_because(WarningKind::unknown_name,
                           "there is no entry \"" + std::string(call.text(1)) + "\".");
}

Datum get_entries(const Call& call) {
  DatumList list;
  for (auto& [key, value] : entries_of(call, call[0])) {
    list.emplace_back(DatumEntries{{"key", Datum(key)}, {"value", std::move(value)}});
  }
  return Datum(std::move(list));
}

Datum context_of(const Call& call) {
  DatumEntries entries;
  for (const auto& item : call.items(0)) {
    const auto key = item.entry("key");
    auto value = item.entry("value");
    if (!key || !key->text() || !value) {
      return call.invalid("every entry must be a context with a text \"key\" and a \"value\".");
    }
    const auto count = entries.size();
    set(call, entries, *key->text(), *std::move(value));
    if (entries.size() == count) {
      return call.invalid("the key \"" + std::string(*key->text()) + "\" appears twice.");
    }
  }
  return Datum(std::move(entries));
}

Datum put(const Call& call, const Datum& context, std::span<const Datum> keys) {
  if (!context.is_context()) {
    return call.null_because(WarningKind::type_mismatch, "a key leads to what is no context.");
  }
  const auto key = keys.front().text();
  if (!key) return call.invalid("every key must be a text.");
  auto value = call[2];
  if (keys.size() > 1) {
    if (!call.work.enter(call.offset)) {
      call.work.leave();
      return nullptr;
    }
    value = put(call, context.entry(*key).value_or(Datum()), keys.subspan(1));
    call.work.leave();
    if (value.is_null()) return nullptr;
  }
  auto entries = entries_of(call, context);
  set(call, entries, *key, std::move(value));
  return Datum(std::move(entries));
}

/// One key, or keys that lead into contexts inside each other.
Datum context_put(const Call& call) {
  if (call[1].text()) return put(call, call[0], std::span(&call[1], 1));
  if (!call[1].is_list()) return call.wrong_type(1, "a text or a list of texts");
  const auto keys = call.items(1);
  if (keys.empty()) return call.invalid("the list of keys is empty.");
  return put(call, call[0], keys);
}

Datum context_put_key(const Call& call) { return put(call, call[0], std::span(&call[1], 1)); }

Datum context_merge(const Call& call) {
  DatumEntries all;
  for (const auto& item : call.items(0)) {
    if (!item.is_context()) {
      return call.null_because(WarningKind::type_mismatch,
                               "all items must be contexts, not " + item.described() + ".");
    }
    for (auto& [key, value] : entries_of(call, item))
      set(call, all, key, std::move(value));
  }
  return Datum(std::move(all));
}

/// The value, or `default` when it is null.
Datum get_or_else(const Call& call) { return call[0].is_null() ? call[1] : call[0]; }

constexpr Formal kContext = {"context", context};

constexpr std::array kFunctions = std::to_array<Function>({
    {"context", {{{"entries", list}}}, 1, context_of},
    {"context merge", {{{"contexts", list}}}, 1, context_merge},
    {"context put", {{kContext, {"keys"}, {"value"}}}, 3, context_put},
    {"context put", {{kContext, {"key", text}, {"value"}}}, 3, context_put_key},
    {"get entries", {{{"m", context}}}, 1, get_entries},
    {"get or else", {{{"value"}, {"default"}}}, 2, get_or_else},
    {"get value", {{{"m", context}, {"key", text}}}, 2, get_value},
});

} // namespace

std::span<const Function> context_functions() { return kFunctions; }

} // namespace perdure::expr
