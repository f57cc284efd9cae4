#include "expr/types.h"

#include <algorithm>
#include <array>

#include "expr/temporal_arithmetic.h"

namespace perdure::expr {

namespace {

struct NamedKind {
  std::string_view name;
  TypeKind kind;
};

constexpr std::array kBuiltIn = std::to_array<NamedKind>({
    {"Any", TypeKind::any},
    {"Null", TypeKind::null},
    {"boolean", TypeKind::boolean},
    {"context", TypeKind::context},
    {"date", TypeKind::date},
    {"date and time", TypeKind::date_time},
    {"dateTime", TypeKind::date_time},
    {"dayTimeDuration", TypeKind::days_duration},
    {"days and time duration", TypeKind::days_duration},
    {"function", TypeKind::function},
    {"list", TypeKind::list},
    {"number", TypeKind::number},
    {"range", TypeKind::range},
    {"string", TypeKind::string},
    {"time", TypeKind::time},
    {"yearMonthDuration", TypeKind::months_duration},
    {"years and months duration", TypeKind::months_duration},
});

TypeKind kind_of(const Datum& datum) {
  if (datum.is_null()) return TypeKind::null;
  if (datum.boolean()) return TypeKind::boolean;
  if (datum.number()) return TypeKind::number;
  if (datum.text()) return TypeKind::string;
  if (datum.date()) return TypeKind::date;
  if (datum.time()) return TypeKind::time;
  if (datum.date_time()) return TypeKind::date_time;
  if (datum.days_duration()) return TypeKind::days_duration;
  if (datum.months_duration()) return TypeKind::months_duration;
  if (datum.is_list()) return TypeKind::list;
  if (datum.is_context()) return TypeKind::context;
  if (datum.range()) return TypeKind::range;
  return TypeKind::function;
}

std::string_view name_of(TypeKind kind) {
  return std::ranges::find(kBuiltIn, kind, &NamedKind::kind)->name;
}

std::string text_of(const TypeRef& type) { return type ? text_of(*type) : "Any"; }

/// Whether every value of `part` is one of `whole`: structure by structure.
bool conforms(const TypeRef& part, const TypeRef& whole);

bool has_members_of(const Type& part, const Type& whole) {
  return std::ranges::all_of(whole.members, [&](const auto& member) {
    const auto found =
        std::ranges::find(part.members, member.first, &std::pair<std::string, TypeRef>::first);
    return found != part.members.end() && conforms(found->second, member.second);
  });
}

/// What a function does not say about itself is no reason against it.
bool is_function_of(const Type& part, const Type& whole) {
  if (part.parameters.size() != whole.parameters.size()) return false;
  for (std::size_t i = 0; i < part.parameters.size(); ++i) {
    if (!conforms(whole.parameters[i], part.parameters[i])) return false;
  }
  return !part.element || conforms(part.element, whole.element);
}

bool conforms(const TypeRef& part, const TypeRef& whole) {
  if (!whole || whole->kind == TypeKind::any) return true;
  if (!part || part->kind == TypeKind::any) return false;
  if (part->kind == TypeKind::null) return true;
  if (part->kind != whole->kind) return false;
  switch (part->kind) {
    case TypeKind::list:
    case TypeKind::range: return conforms(part->element, whole->element);
    case TypeKind::context: return has_members_of(*part, *whole);
    case TypeKind::function: return is_function_of(*part, *whole);
    default: return true;
  }
}

/// A bare `function` asks for nothing more.
bool is_function_like(const Callable& function, const Type& type) {
  if (type.parameters.empty() && !type.element) return true;
  Type own{.kind = TypeKind::function, .element = function.result()};
  for (const auto& parameter : function.parameters())
    own.parameters.push_back(parameter.type);
  return is_function_of(own, type);
}

/// Looks at structures, and at the constraints of item definitions when it is asked to.
class Check {
public:
  Check(bool constraints, Work* work) : constraints_(constraints), work_(work) {}
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;
  ~Check() {
    if (work_) work_->spend(kMaxParts - parts_left_, 0);
  }

  [[nodiscard]] bool passes(const Datum& datum, const TypeRef& type) {
    if (parts_left_ == 0) return false;
    --parts_left_;
    if (!type || type->kind == TypeKind::any) return !type || allows(*type, datum);
    return kind_of(datum) == type->kind && has_parts_of(datum, *type) && allows(*type, datum);
  }

private:
  [[nodiscard]] bool allows(const Type& type, const Datum& datum) const {
    return !constraints_ || !type.constraint || type.constraint->allows(datum);
  }
  [[nodiscard]] bool passes_or_null(const Datum& datum, const TypeRef& type) {
    return datum.is_null() || passes(datum, type);
  }

  [[nodiscard]] bool has_parts_of(const Datum& datum, const Type& type) {
    switch (type.kind) {
      case TypeKind::list: return is_list_of(datum, type.element);
      case TypeKind::context:
        return std::ranges::all_of(type.members, [&](const auto& member) {
          const auto value = datum.entry(member.first);
          return value && passes_or_null(*value, member.second);
        });
      case TypeKind::range:
        return passes_or_null(datum.range()->low, type.element) &&
               passes_or_null(datum.range()->high, type.element);
      case TypeKind::function: return is_function_like(*datum.function(), type);
      default: return true;
    }
  }

  [[nodiscard]] bool is_list_of(const Datum& list, const TypeRef& element) {
    for (std::size_t i = 0; element && i < list.size(); ++i) {
      if (!passes_or_null(list.item(i), element)) return false;
    }
    return true;
  }

  // A small value may have many parts: [p, p] of a p that is [q, q] ...
  static constexpr std::size_t kMaxParts = 1'000'000;

  bool constraints_;
  Work* work_;
  std::size_t parts_left_ = kMaxParts;
};

} // namespace
TypeRef built_in_type(std::string_view name) {
  const auto found = std::ranges::find(kBuiltIn, name, &NamedKind::name);
  if (found == kBuiltIn.end()) return nullptr;
  return std::make_shared<const Type>(Type{.kind = found->kind});
}

std::string text_of(const Type& type) {
  if (!type.name.empty()) return type.name;
  std::string out(name_of(type.kind));
  switch (type.kind) {
    case TypeKind::list:
    case TypeKind::range: return type.element ? out + "<" + text_of(type.element) + ">" : out;
    case TypeKind::context:
      for (std::size_t i = 0; i < type.members.size(); ++i) {
        out +=
            (i == 0 ? "<" : ", ") + type.members[i].first + ": " + text_of(type.members[i].second);
      }
      return type.members.empty() ? out : out + ">";
    case TypeKind::function:
      if (type.parameters.empty() && !type.element) return out;
      for (std::size_t i = 0; i < type.parameters.size(); ++i)
        out += (i == 0 ? "<" : ", ") + text_of(type.parameters[i]);
      return out + (type.parameters.empty() ? "<>->" : ">->") + text_of(type.element);
    default: return out;
  }
}

std::string_view type_name_of(const Datum& datum) { return name_of(kind_of(datum)); }

bool is_instance(const Datum& datum, const TypeRef& type, Work* work) {
  return Check(false, work).passes(datum, type);
}

std::optional<Datum> coerced(const Datum& datum, const TypeRef& type, Work* work) {
  Check check(true, work);
  if (datum.is_null() || check.passes(datum, type)) return datum;
  if (type->kind == TypeKind::list && !datum.is_list()) {
    auto list = Datum(DatumList{datum});
    return check.passes(list, type) ? std::optional(list) : std::nullopt;
  }
  if (datum.is_list() && datum.size() == 1 && check.passes(datum.item(0), type)) {
    return datum.item(0);
  }
  if (type->kind == TypeKind::date_time && datum.date()) return Datum(at_midnight(*datum.date()));
  return std::nullopt;
}

} // namespace perdure::expr
