// Built-in functions of FEEL: tables of rows, one file for each theme. A row says what it accepts;
// arguments that do not fit never reach the function.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "expr/datum.h"
#include "expr/work.h"

namespace perdure::expr {

/// One call: its arguments, evaluated and accepted, and where it stands. Optional arguments may be
/// missing at the end, or null.
struct Call {
  Work& work;
  std::span<const Datum> arguments;
  std::uint32_t offset;
  std::string_view name;

  /// Null, with a warning that begins with the name of the function.
  [[nodiscard]] Datum null_because(WarningKind kind, std::string_view reason) const;
  [[nodiscard]] Datum invalid(std::string_view reason) const {
    return null_because(WarningKind::invalid_argument, reason);
  }
  /// "argument 2 must be a number, not a text"
  [[nodiscard]] Datum wrong_type(std::size_t index, std::string_view wanted) const;

  [[nodiscard]] const Datum& operator[](std::size_t index) const { return arguments[index]; }
  [[nodiscard]] std::string_view text(std::size_t index) const { return *arguments[index].text(); }
  [[nodiscard]] const Decimal& number(std::size_t index) const {
    return *arguments[index].number();
  }
  /// A number without its fraction; nullopt when it is none or too large.
  [[nodiscard]] std::optional<std::int64_t> whole(std::size_t index) const;
  /// The items of a list argument. Pays for the copy.
  [[nodiscard]] DatumList items(std::size_t index) const;
  [[nodiscard]] bool spend(std::size_t steps) const { return work.spend(steps, offset); }
  [[nodiscard]] bool spend_bytes(std::size_t bytes) const {
    return work.spend_bytes(bytes, offset);
  }
};

/// What a parameter takes. A list of one stands for its item; a single value for a list of it.
enum class Accepts : std::uint8_t { any, boolean, number, text, list, context, function };

struct Formal {
  std::string_view name;
  Accepts accepts = Accepts::any;
};

/// A function, or one of several ways to call it.
struct Function {
  std::string_view name;
  std::array<Formal, 4> formals; ///< those without a name are not there
  std::uint8_t required = 0;     ///< the rest may be left out or null
  Datum (*run)(const Call& call) = nullptr;
  bool is_variadic = false; ///< the last formal repeats; by name it is one argument

  [[nodiscard]] std::size_t count() const;
};

/// Where an argument of that name stands; nullopt when there is no such parameter.
[[nodiscard]] std::optional<std::size_t> position_of(const Function& function,
                                                     std::string_view parameter);

/// The first function of that name; nullptr for an unknown name.
[[nodiscard]] const Function* find_function(std::string_view name);
/// The function that can be called with so many arguments; nullptr when there is none.
[[nodiscard]] const Function* find_function(std::string_view name, std::size_t count);
/// The function that has parameters of these names, in this order rather than in another; nullptr
/// when there is none.
[[nodiscard]] const Function* find_function(std::string_view name,
                                            std::span<const std::string> parameters);
/// "takes 1 argument", "takes 2 to 3 arguments"
[[nodiscard]] std::string arity_of(std::string_view name);
/// Whether some function's name begins like this.
[[nodiscard]] bool begins_function_name(std::string_view prefix);

/// Accepts the arguments and runs the function; null and a warning when they do not fit.
[[nodiscard]] Datum run_function(Work& work, const Function& function,
                                 std::span<const Datum> arguments, std::uint32_t offset);

/// A built-in function as a value. Called with more or fewer arguments than it has parameters, it
/// looks for the way to be called with them.
class BuiltIn final : public Callable {
public:
  explicit BuiltIn(const Function& function);
  [[nodiscard]] std::span<const Parameter> parameters() const override { return parameters_; }
  [[nodiscard]] bool is_overloaded() const override { return true; }
  [[nodiscard]] Datum call(Work& work, std::span<const Datum> arguments,
                           std::uint32_t offset) const override;
  [[nodiscard]] const Function& function() const { return function_; }

private:
  const Function& function_;
  std::vector<Parameter> parameters_;
};

[[nodiscard]] std::span<const Function> conversion_functions();
[[nodiscard]] std::span<const Function> context_functions();
[[nodiscard]] std::span<const Function> list_functions();
[[nodiscard]] std::span<const Function> number_functions();
[[nodiscard]] std::span<const Function> range_functions();
[[nodiscard]] std::span<const Function> statistics_functions();
[[nodiscard]] std::span<const Function> temporal_functions();
[[nodiscard]] std::span<const Function> text_functions();

} // namespace perdure::expr
