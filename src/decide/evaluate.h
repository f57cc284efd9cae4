// Expressions of the model, evaluated where a token stands. What goes wrong becomes a Trouble,
// which holds everything that an incident shows.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "decide/draft.h"
#include "definition/definition.h"
#include "expr/expression.h"
#include "facts/rows.h"
#include "perdure/value.h"

namespace perdure::decide {

/// Why a token cannot go on.
struct Trouble {
  facts::IncidentKind kind = facts::IncidentKind::expression_error;
  std::string message; ///< one sentence
  Object details;
};

template <class T>
using Outcome = std::expected<T, Trouble>;

/// Values nest at most this deep: the database must be able to read what is written into facts.
inline constexpr int kMaxValueDepth = 60;
/// The bytes that one value may have, about.
inline constexpr std::int64_t kMaxValueBytes = std::int64_t{16} * 1024 * 1024;

/// Whether the value is within both limits.
[[nodiscard]] bool fits(const Value& value);

/// True or false. Anything else (null too) is a Trouble that shows the expression and the values
/// seen. The condition sees the members of `beside` before the variables.
[[nodiscard]] Outcome<bool> evaluate_condition(const Draft& draft, Key scope_id,
                                               const definition::Flow& flow,
                                               const Object* beside = nullptr);
/// Whether the expression gives true in that scope: anything else does not hold.
[[nodiscard]] bool evaluate_holds(const Draft& draft, Key scope_id,
                                  const expr::Expression& condition,
                                  const Object* beside = nullptr);
/// The value of an expression, within the limits; null is a value. `what` names it in a message
/// ("script").
[[nodiscard]] Outcome<Value> evaluate_value(const Draft& draft, const Visit& visit,
                                            const expr::Expression& expression,
                                            std::string_view what);
/// The same where a list is needed.
[[nodiscard]] Outcome<Value> evaluate_list(const Draft& draft, const Visit& visit,
                                           const expr::Expression& expression,
                                           std::string_view what);
/// True or false. The expression sees the members of `nearest` before all variables; nullptr: none.
[[nodiscard]] Outcome<bool> evaluate_truth(const Draft& draft, const Visit& visit,
                                           const expr::Expression& expression,
                                           std::string_view what, const Object* nearest = nullptr);
/// A template as a value of any kind, seen from that scope with `nearest` before all variables.
[[nodiscard]] Outcome<Value> evaluate_source(const Draft& draft, const Visit& visit, Key scope_id,
                                             const definition::Template& source,
                                             std::string_view what, const Object& nearest);
/// A template as a whole number of at least 0; it must not be empty.
[[nodiscard]] Outcome<std::int64_t> evaluate_size(const Draft& draft, const Visit& visit,
                                                  const definition::Template& source,
                                                  std::string_view what);

/// The same on variables of their own.
[[nodiscard]] Outcome<Value> evaluate_on(const Draft& draft, const Visit& visit,
                                         const Object& variables,
                                         const definition::Template& source, std::string_view what);
/// The value of a template where the token stands: its text when it is no expression.
[[nodiscard]] Outcome<Value> evaluate_template(const Draft& draft, const Visit& visit,
                                               const definition::Template& source,
                                               std::string_view what);

/// A template as text; nullopt when the template is empty or gives null.
[[nodiscard]] Outcome<std::optional<std::string>> evaluate_text(const Draft& draft,
                                                                const Visit& visit,
                                                                const definition::Template& source,
                                                                std::string_view what);
/// A template as text, without which there is Trouble: its message says that it is empty, and
/// `consequence` (", so ...").
[[nodiscard]] Outcome<std::string> evaluate_needed_text(const Draft& draft, const Visit& visit,
                                                        const definition::Template& source,
                                                        std::string_view what,
                                                        std::string_view consequence = {});
/// A condition that did not hold and what it noticed, for the details of an incident. What it saw
/// is added to `values`.
[[nodiscard]] Object explain_condition(const Draft& draft, Key scope_id,
                                       const definition::Flow& flow, Object& values);
/// A template as a whole number of at least 1; nullopt when the template is empty.
[[nodiscard]] Outcome<std::optional<std::int64_t>> evaluate_count(
    const Draft& draft, const Visit& visit, const definition::Template& source,
    std::string_view what);
/// A template as a whole number of any size; nullopt when the template is empty.
[[nodiscard]] Outcome<std::optional<std::int64_t>> evaluate_number(
    const Draft& draft, const Visit& visit, const definition::Template& source,
    std::string_view what);
/// A template as a list of strings: a list, or a text with commas.
[[nodiscard]] Outcome<Value> evaluate_names(const Draft& draft, const Visit& visit,
                                            const definition::Template& source,
                                            std::string_view what);
/// A template as a moment: a date-time, or a duration from now. nullopt when empty or null.
[[nodiscard]] Outcome<std::optional<Instant>> evaluate_moment(const Draft& draft,
                                                              const Visit& visit,
                                                              const definition::Template& source,
                                                              std::string_view what);
/// The name of the message or signal that the event throws or catches.
[[nodiscard]] Outcome<std::string> evaluate_name(const Draft& draft, const Visit& visit,
                                                 const definition::EventSpec& event);
/// The correlation key of a message as text; nullopt when the template is empty. Trouble is a
/// bad_correlation_key.
[[nodiscard]] Outcome<std::optional<std::string>> evaluate_key(const Draft& draft,
                                                               const Visit& visit,
                                                               const definition::Template& source);

/// When a timer is due first, and the recurrence that it follows.
struct DueTime {
  Instant at{};
  std::optional<std::string> cycle;
};
/// For a timer that is reached now. Trouble is a bad_timer.
[[nodiscard]] Outcome<DueTime> evaluate_timer(const Draft& draft, const Visit& visit,
                                              const definition::TimerSpec& timer);

/// What an incident's details say when a flow's condition is at fault: the token was on its way
/// out.
inline constexpr std::string_view kFlowMember = "flow_id";
/// The same when the work was done and something else kept the token from going out.
inline constexpr std::string_view kLeavingMember = "leaving";

} // namespace perdure::decide
