// Types of FEEL: what `instance of` asks, what parameters and DMN's item definitions demand.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expr/datum.h"

namespace perdure::expr {

struct Type;
/// nullptr means Any.
using TypeRef = std::shared_ptr<const Type>;

enum class TypeKind : std::uint8_t {
  any,
  null,
  boolean,
  number,
  string,
  date,
  time,
  date_time,
  days_duration,
  months_duration,
  list,
  context,
  range,
  function,
};

/// A demand beyond the structure of a value: the allowed values of an item definition.
class Constraint {
public:
  Constraint() = default;
  Constraint(const Constraint&) = delete;
  Constraint& operator=(const Constraint&) = delete;
  virtual ~Constraint() = default;
  [[nodiscard]] virtual bool allows(const Datum& datum) const = 0;
};

struct Type {
  TypeKind kind = TypeKind::any;
  std::string name;                                     ///< of an item definition; may be empty
  std::vector<std::pair<std::string, TypeRef>> members; ///< context; others may be there too
  TypeRef element;                                      ///< list, range; result of a function
  std::vector<TypeRef> parameters;                      ///< function
  std::shared_ptr<const Constraint> constraint;         ///< may be nullptr
};

/// "number", "date and time", "Any" ...; nullptr when there is no built-in type of that name.
[[nodiscard]] TypeRef built_in_type(std::string_view name);

/// As FEEL writes it: "list<number>", "context<a: string>".
[[nodiscard]] std::string text_of(const Type& type);

/// The name of the value's own type: "number", "string", "list", "days and time duration" ...
[[nodiscard]] std::string_view type_name_of(const Datum& datum);

/// Whether the value is an instance: its structure counts, constraints do not. null is one of Any
/// and Null only. Pays `work` for what it looks at; a value with more than a million parts is none.
[[nodiscard]] bool is_instance(const Datum& datum, const TypeRef& type, Work* work = nullptr);

/// The value as that type: itself when it conforms (to the constraints too) or is null, the item of
/// a list of one, the list of a single value, midnight UTC of a date; nullopt when it cannot be.
/// `work` as above.
[[nodiscard]] std::optional<Datum> coerced(const Datum& datum, const TypeRef& type,
                                           Work* work = nullptr);

} // namespace perdure::expr
