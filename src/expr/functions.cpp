// Finding a built-in function and handing it its arguments.
#include "expr/functions.h"

#include <algorithm>

#include "expr/types.h"

namespace perdure::expr {

namespace {

std::array<std::span<const Function>, 8> tables() {
  return {conversion_functions(), context_functions(),    list_functions(),     number_functions(),
          range_functions(),      statistics_functions(), temporal_functions(), text_functions()};
}

/// The first function for which `matches` holds.
template <class Predicate>
const Function* find_if(Predicate matches) {
  for (const auto table : tables()) {
    const auto found = std::ranges::find_if(table, matches);
    if (found != table.end()) return &*found;
  }
  return nullptr;
}

bool accepts(Accepts wanted, const Datum& datum) {
  switch (wanted) {
    case Accepts::any: return true;
    case Accepts::boolean: return datum.boolean().has_value();
    case Accepts::number: return datum.number() != nullptr;
    case Accepts::text: return datum.text().has_value();
    case Accepts::list: return datum.is_list();
    case Accepts::context: return datum.is_context();
    case Accepts::function: return datum.is_function();
  }
  return false;
}

std::string_view described(Accepts wanted) {
  switch (wanted) {
    case Accepts::any: return "a value";
    case Accepts::boolean: return "a boolean";
    case Accepts::number: return "a number";
    case Accepts::text: return "a text";
    case Accepts::list: return "a list";
    case Accepts::context: return "a context";
    case Accepts::function: return "a function";
  }
  return "";
}

/// The argument as the function wants it; nullopt when it does not fit.
std::optional<Datum> accepted(Accepts wanted, const Datum& argument) {
  if (accepts(wanted, argument)) return argument;
  if (argument.is_null()) return std::nullopt;
  if (wanted == Accepts::list) return Datum(DatumList{argument});
  const bool is_single = argument.is_list() && argument.size() == 1;
  if (is_single && accepts(wanted, argument.item(0))) return argument.item(0);
  return std::nullopt;
}

} // namespace

Datum Call::null_because(WarningKind kind, std::string_view reason) const {
  work.warn(kind, std::string(name) + ": " + std::string(reason), offset);
  return nullptr;
}

Datum Call::wrong_type(std::size_t index, std::string_view wanted) const {
  const auto& argument = arguments[index];
  return null_because(argument.is_null() ? WarningKind::null_operand : WarningKind::type_mismatch,
                      "argument " + std::to_string(index + 1) + " must be " + std::string(wanted) +
                          ", not " + argument.described() + ".");
}

std::optional<std::int64_t> Call::whole(std::size_t index) const {
  const auto* number = arguments[index].number();
  if (!number) return std::nullopt;
  if (const auto exact = number->as_int64()) return exact;
  return number->rounded(Rounding::down).as_int64();
}

DatumList Call::items(std::size_t index) const {
  const auto& argument = arguments[index];
  DatumList items;
  if (!work.spend(argument.size(), offset)) return items;
  items.reserve(argument.size());
  for (std::size_t i = 0; i < argument.size(); ++i)
    items.push_back(argument.item(i));
  return items;
}

std::size_t Function::count() const {
  const auto end = std::ranges::find(formals, std::string_view(), &Formal::name);
  return static_cast<std::size_t>(end - formals.begin());
}

std::optional<std::size_t> position_of(const Function& function, std::string_view parameter) {
  const auto found = std::ranges::find(function.formals, parameter, &Formal::name);
  if (parameter.empty() || found == function.formals.end()) return std::nullopt;
  return static_cast<std::size_t>(found - function.formals.begin());
}

const Function* find_function(std::string_view name) {
  return find_if([&](const Function& function) { return function.name == name; });
}

const Function* find_function(std::string_view name, std::size_t count) {
  return find_if([&](const Function& function) {
    return function.name == name && count >= function.required &&
           (function.is_variadic || count <= function.count());
  });
}

const Function* find_function(std::string_view name, std::span<const std::string> parameters) {
  const auto in_order = [&](const Function& function) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (position_of(function, parameters[i]) != i) return false;
    }
    return function.name == name;
  };
  if (const auto* found = find_if(in_order)) return found;
  return find_if([&](const Function& function) {
    return function.name == name && std::ranges::all_of(parameters, [&](const auto& parameter) {
             return position_of(function, parameter).has_value();
           });
  });
}

std::string arity_of(std::string_view name) {
  std::size_t least = 100;
  std::size_t most = 0;
  bool is_variadic = false;
  for (const auto table : tables()) {
    for (const auto& function : table) {
      if (function.name != name) continue;
      least = std::min<std::size_t>(least, function.required);
      most = std::max(most, function.count());
      is_variadic = is_variadic || function.is_variadic;
    }
  }
  auto wanted = std::to_string(least);
  if (is_variadic) wanted += " or more";
  if (!is_variadic && most != least) wanted += " to " + std::to_string(most);
  return "takes " + wanted + (wanted == "1" ? " argument" : " arguments");
}

bool begins_function_name(std::string_view prefix) {
  return find_if([&](const Function& function) { return function.name.starts_with(prefix); });
}

Datum run_function(Work& work, const Function& function, std::span<const Datum> arguments,
                   std::uint32_t offset) {
  // Most calls have few arguments: no allocation for them.
  std::array<Datum, 4> few;
  DatumList many;
  const auto size = arguments.size();
  if (size > few.size()) many.resize(size);
  const auto fitting = size > few.size() ? std::span(many) : std::span(few).first(size);
  const Call call{work, fitting, offset, function.name};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    fitting[i] = arguments[i];
    const auto& formal = function.formals[std::min(i, function.count() - 1)];
    const bool may_be_null = i >= function.required && !function.is_variadic;
    if (may_be_null && arguments[i].is_null()) continue;
    auto argument = accepted(formal.accepts, arguments[i]);
    if (!argument) return call.wrong_type(i, described(formal.accepts));
    fitting[i] = *std::move(argument);
  }
  if (!work.spend(1, offset)) return nullptr;
  return function.run(call);
}

BuiltIn::BuiltIn(const Function& function) : function_(function) {
  for (std::size_t i = 0; i < function.count(); ++i) {
    const auto& formal = function.formals[i];
    TypeRef type;
    if (formal.accepts == Accepts::number) type = built_in_type("number");
    if (formal.accepts == Accepts::text) type = built_in_type("string");
    if (formal.accepts == Accepts::boolean) type = built_in_type("boolean");
    parameters_.push_back({std::string(formal.name), std::move(type)});
  }
}

Datum BuiltIn::call(Work& work, std::span<const Datum> arguments, std::uint32_t offset) const {
  const auto* function = find_function(function_.name, arguments.size());
  if (function) return run_function(work, *function, arguments, offset);
  work.warn(WarningKind::invalid_argument,
            "\"" + std::string(function_.name) + "\" " + arity_of(function_.name) + ", not " +
                std::to_string(arguments.size()) + ".",
            offset);
  return nullptr;
}

} // namespace perdure::expr
