// Expressions of models: compiled once at deployment, evaluated by the pure core. Two spellings,
// one tree: FEEL (`= order.total > 100`) and the JUEL subset that Camunda 7 models use (`${total >
// 100}`).
//
// Where FEEL says null (a missing name, 1 + "a", division by zero) the result is null and a warning
// says why; what a null means is the caller's business. JUEL treats an unknown name as an error.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  /// Whether it is a plain text or literal that reads nothing.
  [[nodiscard]] bool is_constant() const { return variables().empty(); }
  [[nodiscard]] const Tree* tree() const { return tree_.get(); }

private:
  std::shared_ptr<const Tree> tree_;
};

/// Compiles `source` whole: FEEL without a leading `=`, JUEL without `${` and `}`.
[[nodiscard]] std::expected<Expression, Diagnostic> compile(std::string_view source,
                                                            Dialect dialect);

/// Whether an attribute's text is an expression: a leading `=`, or a `${` or `#{` that is not
/// escaped by a backslash.
[[nodiscard]] bool is_expression(std::string_view text);

/// An attribute of a model: `=...` is FEEL; `${...}` or `#{...}` is JUEL; text with `${...}` inside
/// is a JUEL composite that yields a string; any other text is itself, a constant string.
[[nodiscard]] std::expected<Expression, Diagnostic> compile_attribute(std::string_view text);

/// The body of a conditionExpression or condition: as compile_attribute, but bare text is FEEL.
[[nodiscard]] std::expected<Expression, Diagnostic> compile_condition(std::string_view text);

/// Names as the expression sees them.
class Scope {
public:
  Scope() = default;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  virtual ~Scope() = default;
  /// The variable's value, or nullptr when there is none. The pointer must live through evaluate().
  [[nodiscard]] virtual const Value* find(std::string_view name) const = 0;
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

/// Why a null came about.
struct Warning {
  std::string reason;
  int column = 1;
  friend bool operator==(const Warning&, const Warning&) = default;
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

/// Same expression and same variables give the same result; no clock, no I/O. The work is bounded:
/// an expression that takes too many steps ends with an error. Thread-safe.
[[nodiscard]] std::expected<Evaluation, EvaluationError> evaluate(const Expression& expression,
                                                                  const Scope& scope);

/// The root variables the expression reads and their values, large ones shortened: for incidents.
[[nodiscard]] SeenVariables seen_by(const Expression& expression, const Scope& scope);

} // namespace perdure::expr
