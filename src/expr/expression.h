// Expressions of models: compiled once at deployment, evaluated by the pure core. Two spellings,
// one tree: FEEL (`= order.total > 100`) and the JUEL subset that Camunda 7 models use (`${total >
// 100}`).
//
// Where FEEL says null (a missing name, 1 + "a", division by zero) the result is null and a warning
// says why; what a null means is the caller's business. JUEL treats an unknown name as an error.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "expr/datum.h"
#include "expr/types.h"
#include "expr/work.h"
#include "perdure/value.h"

namespace perdure::expr {

struct Tree;

/// Why a text does not compile.
struct Diagnostic {
  std::string message; ///< one sentence
  int column = 1;      ///< 1-based character in the text as it was handed in
};

enum class Dialect { feel, juel };

/// A compiled expression. Immutable, cheap to copy, shared between threads. A default-constructed
/// one is the constant null.
class Expression {
public:
  Expression() = default;
  explicit Expression(std::shared_ptr<const Tree> tree);

  /// As written, with its `=` or `${`.
  [[nodiscard]] const std::string& text() const;
  /// Root names it may read, sorted, each once. Inside a filter a name may turn out to be an entry
  /// of the item: it is listed all the same.
  [[nodiscard]] const std::vector<std::string>& variables() const;
  /// Whether it reads no variable.
  [[nodiscard]] bool is_constant() const { return variables().empty(); }
  [[nodiscard]] const std::shared_ptr<const Tree>& tree() const { return tree_; }

private:
  std::shared_ptr<const Tree> tree_;
};

/// Compiles `source` whole: FEEL without a leading `=`, JUEL without `${` and `}`.
[[nodiscard]] std::expected<Expression, Diagnostic> compile(std::string_view source,
                                                            Dialect dialect);

/// Names with spaces and special characters that a text may use. Names are matched longest first;
/// blanks count as one, and as none around + - * / . '
///
/// Copies share their members and types until one of them gets another.
class Names {
public:
  using Spellings = std::map<std::string, std::string, std::less<>>;
  using Types = std::map<std::string, TypeRef, std::less<>>;

  /// A variable or function of the scope.
  void add(std::string_view name);
  /// Forgets it again.
  void remove(std::string_view name);
  /// An entry of some context: what may stand after a point or inside a filter.
  void add_member(std::string_view name);
  /// A type that `instance of` and parameters may name; with an import's name: "import.tType".
  void add_type(std::string_view name, TypeRef type);
  /// Whether members are variables too, as if the whole text stood inside a filter.
  void open_members(bool is_open) { members_are_open_ = is_open; }

  /// Normalised names with how they were first written, sorted.
  [[nodiscard]] const Spellings& variables() const { return variables_; }
  [[nodiscard]] const Spellings& members() const { return *members_; }
  [[nodiscard]] const Types& types() const { return *types_; }
  [[nodiscard]] bool members_are_open() const { return members_are_open_; }

private:
  Spellings variables_;
  std::shared_ptr<Spellings> members_ = std::make_shared<Spellings>();
  std::shared_ptr<Types> types_ = std::make_shared<Types>();
  bool members_are_open_ = false;
};

/// Compiles FEEL that may use `names`.
[[nodiscard]] std::expected<Expression, Diagnostic> compile_feel(std::string_view source,
                                                                 const Names& names);

/// Compiles unary tests (`> 5, [1..3]`, `not("a")`, `-`): true or false for the input `?`.
[[nodiscard]] std::expected<Expression, Diagnostic> compile_unary_tests(std::string_view source,
                                                                        const Names& names);

/// Whether an attribute's text is an expression: a leading `=`, or a `${` or `#{` that is not
/// escaped by a backslash.
[[nodiscard]] bool is_expression(std::string_view text);

/// An attribute of a model: `=...` is FEEL; `${...}` or `#{...}` is JUEL; text with `${...}` inside
/// is a JUEL composite that yields a string; any other text is itself, a constant string.
[[nodiscard]] std::expected<Expression, Diagnostic> compile_attribute(std::string_view text);

/// The body of a conditionExpression or condition: as compile_attribute, but bare text is FEEL.
[[nodiscard]] std::expected<Expression, Diagnostic> compile_condition(std::string_view text);

/// What an expression's names stand for.
class Variables {
public:
  Variables() = default;
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;
  virtual ~Variables() = default;
  /// The variable's value, nullopt when there is none. `slot` is its position in
  /// Expression::variables(). What it borrows must live through the evaluation.
  [[nodiscard]] virtual std::optional<Datum> get(std::string_view name, std::size_t slot) const = 0;
};

/// Values by slot. Does not own them.
class SlotVariables final : public Variables {
public:
  explicit SlotVariables(std::span<const Datum> values) : values_(values) {}
  [[nodiscard]] std::optional<Datum> get(std::string_view, std::size_t slot) const override {
    return slot < values_.size() ? std::optional(values_[slot]) : std::nullopt;
  }

private:
  std::span<const Datum> values_;
};

/// Variables that are JSON values.
class Scope : public Variables {
public:
  /// The variable's value, or nullptr when there is none. The pointer must live through evaluate().
  [[nodiscard]] virtual const Value* find(std::string_view name) const = 0;
  [[nodiscard]] std::optional<Datum> get(std::string_view name, std::size_t) const final {
    const auto* value = find(name);
    return value ? std::optional(Datum::of(*value)) : std::nullopt;
  }
};

/// The members of one object as variables. Does not own the object.
class ObjectScope final : public Scope {
public:
  explicit ObjectScope(const Object& variables) : variables_(variables) {}
  [[nodiscard]] const Value* find(std::string_view name) const override {
    return variables_.find(name);
  }

private:
  const Object& variables_;
};

struct Evaluation {
  Value value;
  std::vector<Warning> warnings; ///< the first few, in order of evaluation
};

using SeenVariables = std::vector<std::pair<std::string, Value>>;

struct EvaluationError {
  std::string reason;
  int column = 1;
  SeenVariables seen;
};

/// Evaluates as part of some work: its budget, its clock, its warnings. Null when the work has
/// failed. `input` is what `?` means; nullptr outside unary tests. The result may borrow from the
/// variables and from the expression.
[[nodiscard]] Datum evaluate(const Expression& expression, const Variables& variables, Work& work,
                             const Datum* input = nullptr);

/// Same expression, variables and `now` give the same result; no clock, no I/O. The work is
/// bounded: an expression that takes too many steps ends with an error. Thread-safe.
[[nodiscard]] std::expected<Evaluation, EvaluationError> evaluate(
    const Expression& expression, const Scope& scope, std::optional<Instant> now = std::nullopt);

/// The root variables the expression reads and their values, large ones shortened: for incidents.
[[nodiscard]] SeenVariables seen_by(const Expression& expression, const Scope& scope);

} // namespace perdure::expr
