#include "decide/evaluate.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "decide/loop_variables.h"
#include "expr/recurrence.h"

namespace perdure::decide {

namespace {

using facts::IncidentKind;

/// The variables that a token sees: its own scope first, then outwards.
class VisibleScope final : public expr::Scope {
public:
  /// What `nearest` has comes before all; nullptr: nothing.
  VisibleScope(const facts::InstanceState& state, Key scope_id, const Object* nearest = nullptr) {
    if (nearest) variables_.push_back(nearest);
    std::optional<Key> next = scope_id;
    while (next) {
      const auto* scope = state.scopes.find(*next);
      PERDURE_CHECK(scope != nullptr);
      variables_.push_back(scope->variables.as<Object>());
      if (scope->kind == facts::ScopeKind::multi_instance) {
        counts_.push_back(loop_counts(state, *scope, false));
        variables_.push_back(&counts_.back());
      }
      next = scope->parent_id;
    }
  }

  [[nodiscard]] const Value* find(std::string_view name) const override {
    for (const auto* variables : variables_) {
      if (const auto* value = variables->find(name)) return value;
    }
    return nullptr;
  }

private:
  std::vector<const Object*> variables_;
  std::deque<Object> counts_; ///< keeps its members where they are
};

/// Variables of one object.
class OwnScope final : public expr::Scope {
public:
  explicit OwnScope(const Object& variables) : variables_(variables) {}
  [[nodiscard]] const Value* find(std::string_view name) const override {
    return variables_.find(name);
  }

private:
  const Object& variables_;
};

std::string quoted(std::string_view text) { return "`" + std::string(text) + "`"; }

Object seen_object(expr::SeenVariables seen) {
  Object values;
  for (auto& [name, value] : seen)
    values.append(std::move(name), std::move(value));
  return values;
}

Array warning_list(const std::vector<expr::Warning>& warnings) {
  Array list;
  for (const auto& warning : warnings) {
    list.push_back(Object{{"reason", warning.reason}, {"column", warning.column}});
  }
  return list;
}

constexpr std::string_view kAdvice = ": correct the variables or the model, then retry.";

/// A sentence as a part of another one.
std::string_view without_stop(std::string_view sentence) {
  if (sentence.ends_with('.')) sentence.remove_suffix(1);
  return sentence;
}

Trouble evaluation_failed(const expr::Expression& expression, std::string_view subject,
                          expr::EvaluationError error) {
  Trouble trouble;
  trouble.message.append(subject)
      .append(" cannot be evaluated (")
      .append(without_stop(error.reason))
      .append(")")
      .append(kAdvice);
  trouble.details.append("expression", expression.text());
  trouble.details.append("column", error.column);
  trouble.details.append("reason", std::move(error.reason));
  trouble.details.append("values", seen_object(std::move(error.seen)));
  trouble.details.append("warnings", Array{});
  return trouble;
}

/// What came out of an expression, kept until it is known to be of the right type.
struct Result {
  const expr::Expression* expression = nullptr; ///< nullptr: the text of the model itself
  expr::Evaluation evaluation;
};

/// The value as a message names it.
std::string shown(const Value& value) {
  const auto* text = value.as<std::string>();
  if (text && text->size() <= 60) return "the string " + quoted(*text);
  if (value.is_number()) return "the number " + json::write(value);
  if (value.is_null()) return "null";
  return (value.is_object() ? "an " : "a ") + std::string(value.type_name());
}

Trouble wrong_type(const Draft& draft, Key scope_id, const Result& result, std::string_view subject,
                   std::string_view wanted, const Object* nearest = nullptr) {
  const auto& [value, warnings] = result.evaluation;
  auto reason = "gave " + shown(value) + " where " + std::string(wanted) + " is needed";
  if (value.is_null() && !warnings.empty()) {
    reason.append(" (").append(without_stop(warnings.front().reason)).append(")");
  }
  Trouble trouble;
  trouble.message.append(subject).append(" ").append(reason).append(kAdvice);
  if (result.expression) {
    trouble.details.append("expression", result.expression->text());
    trouble.details.append("column", warnings.empty() ? 1 : warnings.front().column);
  }
  trouble.details.append("reason", "It " + reason + ".");
  if (result.expression) {
    const VisibleScope scope(draft.state(), scope_id, nearest);
    trouble.details.append("values", seen_object(expr::seen_by(*result.expression, scope)));
    trouble.details.append("warnings", warning_list(warnings));
  }
  return trouble;
}

/// A text is needed, and there is none.
Trouble empty_text(const Draft& draft, Key scope_id, const definition::Template& source,
                   const Result& result, std::string_view subject, std::string_view consequence) {
  Trouble trouble;
  trouble.message.append(subject).append(" is empty").append(consequence).append(kAdvice);
  trouble.details.append("expression", source.text);
  trouble.details.append("reason", "It gave null or an empty text.");
  if (result.expression) {
    const VisibleScope scope(draft.state(), scope_id);
    trouble.details.append("values", seen_object(expr::seen_by(*result.expression, scope)));
    trouble.details.append("warnings", warning_list(result.evaluation.warnings));
  }
  return trouble;
}

Outcome<Result> run(const Draft& draft, Key scope_id, const expr::Expression& expression,
                    std::string_view subject, const Object* nearest = nullptr) {
  const VisibleScope scope(draft.state(), scope_id, nearest);
  auto evaluation = expr::evaluate(expression, scope, draft.at());
  if (evaluation) return Result{&expression, *std::move(evaluation)};
  return std::unexpected(evaluation_failed(expression, subject, std::move(evaluation.error())));
}

/// Where the token, or the scope when no token is there, sees its variables from.
Key seen_from(const Draft& draft, const Visit& visit) {
  if (visit.token_id == kNoKey) return visit.scope_id;
  return variables_of(draft.state(), visit.token_id);
}

std::string subject_of(const Visit& visit, std::string_view what) {
  return "The " + std::string(what) + " of " + quoted(visit.node.id);
}

Outcome<Result> run(const Draft& draft, const Visit& visit, const definition::Template& source,
                    std::string_view what) {
  if (source.expression) {
    return run(draft, seen_from(draft, visit), *source.expression, subject_of(visit, what));
  }
  return Result{nullptr, {.value = Value(source.text), .warnings = {}}};
}

void add_depth_and_bytes(const Value& value, int depth, int& deepest, std::int64_t& bytes) {
  deepest = std::max(deepest, depth);
  bytes += 8;
  // Beyond the limit nobody asks how far: the walk itself must not go deeper.
  if (depth > kMaxValueDepth) return;
  if (const auto* text = value.as<std::string>()) {
    bytes += static_cast<std::int64_t>(text->size());
  } else if (const auto* list = value.as<Array>()) {
    for (const auto& item : *list)
      add_depth_and_bytes(item, depth + 1, deepest, bytes);
  } else if (const auto* object = value.as<Object>()) {
    for (const auto& [name, member] : *object) {
      bytes += static_cast<std::int64_t>(name.size());
      add_depth_and_bytes(member, depth + 1, deepest, bytes);
    }
  }
}

std::optional<std::int64_t> whole_number(const Value& value) {
  if (const auto* number = value.as<std::int64_t>()) return *number;
  const auto* text = value.as<std::string>();
  if (!text) return std::nullopt;
  std::int64_t number = 0;
  const auto* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

Array split_names(std::string_view text) {
  Array names;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    auto name = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const auto first = name.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) continue;
    name = name.substr(first, name.find_last_not_of(" \t\r\n") - first + 1);
    names.emplace_back(name);
  }
  return names;
}

bool is_duration(std::string_view text) {
  return text.starts_with('P') || text.starts_with("-P") || text.starts_with("+P");
}

} // namespace

bool fits(const Value& value) {
  int deepest = 0;
  std::int64_t bytes = 0;
  add_depth_and_bytes(value, 1, deepest, bytes);
  return deepest <= kMaxValueDepth && bytes <= kMaxValueBytes;
}

Outcome<bool> evaluate_condition(const Draft& draft, Key scope_id, const definition::Flow& flow,
                                 const Object* beside) {
  const auto subject = "The condition of flow " + quoted(flow.id);
  const auto blame_flow = [&](Trouble trouble) {
    trouble.details.append(std::string(kFlowMember), flow.id);
    return std::unexpected(std::move(trouble));
  };
  auto result = run(draft, scope_id, *flow.condition, subject, beside);
  if (!result) return blame_flow(std::move(result.error()));
  if (const auto* holds = result->evaluation.value.as<bool>()) return *holds;
  return blame_flow(wrong_type(draft, scope_id, *result, subject, "true or false"));
}

bool evaluate_holds(const Draft& draft, Key scope_id, const expr::Expression& condition,
                    const Object* beside) {
  const VisibleScope scope(draft.state(), scope_id, beside);
  const auto evaluation = expr::evaluate(condition, scope, draft.at());
  const auto* holds = evaluation ? evaluation->value.as<bool>() : nullptr;
  return holds && *holds;
}

Outcome<Value> evaluate_value(const Draft& draft, const Visit& visit,
                              const expr::Expression& expression, std::string_view what) {
  const auto subject = subject_of(visit, what);
  auto result = run(draft, seen_from(draft, visit), expression, subject);
  if (!result) return std::unexpected(std::move(result.error()));
  if (fits(result->evaluation.value)) return std::move(result->evaluation.value);
  return std::unexpected(wrong_type(draft, seen_from(draft, visit), *result, subject,
                                    "a value of at most 60 levels and 16 MiB"));
}

Outcome<Value> evaluate_list(const Draft& draft, const Visit& visit,
                             const expr::Expression& expression, std::string_view what) {
  const auto subject = subject_of(visit, what);
  auto result = run(draft, seen_from(draft, visit), expression, subject);
  if (!result) return std::unexpected(std::move(result.error()));
  auto& value = result->evaluation.value;
  if (!value.is_array()) {
    return std::unexpected(wrong_type(draft, seen_from(draft, visit), *result, subject, "a list"));
  }
  if (fits(value)) return std::move(value);
  return std::unexpected(wrong_type(draft, seen_from(draft, visit), *result, subject,
                                    "a list of at most 60 levels and 16 MiB"));
}

Outcome<bool> evaluate_truth(const Draft& draft, const Visit& visit,
                             const expr::Expression& expression, std::string_view what,
                             const Object* nearest) {
  const auto subject = subject_of(visit, what);
  auto result = run(draft, seen_from(draft, visit), expression, subject, nearest);
  if (!result) return std::unexpected(std::move(result.error()));
  if (const auto* holds = result->evaluation.value.as<bool>()) return *holds;
  return std::unexpected(
      wrong_type(draft, seen_from(draft, visit), *result, subject, "true or false", nearest));
}

Outcome<Value> evaluate_source(const Draft& draft, const Visit& visit, Key scope_id,
                               const definition::Template& source, std::string_view what,
                               const Object& nearest) {
  if (!source.expression) return Value(source.text);
  const auto subject = subject_of(visit, what);
  auto result = run(draft, scope_id, *source.expression, subject, &nearest);
  if (!result) return std::unexpected(std::move(result.error()));
  if (fits(result->evaluation.value)) return std::move(result->evaluation.value);
  return std::unexpected(wrong_type(draft, scope_id, *result, subject,
                                    "a value of at most 60 levels and 16 MiB", &nearest));
}

Outcome<std::int64_t> evaluate_size(const Draft& draft, const Visit& visit,
                                    const definition::Template& source, std::string_view what) {
  auto result = run(draft, visit, source, what);
  if (!result) return std::unexpected(std::move(result.error()));
  const auto number = whole_number(result->evaluation.value);
  if (number && *number >= 0) return *number;
  return std::unexpected(wrong_type(draft, seen_from(draft, visit), *result,
                                    subject_of(visit, what), "a whole number of at least 0"));
}

Outcome<Value> evaluate_template(const Draft& draft, const Visit& visit,
                                 const definition::Template& source, std::string_view what) {
  if (source.expression) return evaluate_value(draft, visit, *source.expression, what);
  return Value(source.text);
}

Outcome<Value> evaluate_on(const Draft& draft, const Visit& visit, const Object& variables,
                           const definition::Template& source, std::string_view what) {
  if (!source.expression) return Value(source.text);
  const OwnScope scope(variables);
  auto evaluation = expr::evaluate(*source.expression, scope, draft.at());
  if (evaluation) return std::move(evaluation->value);
  return std::unexpected(evaluation_failed(*source.expression, subject_of(visit, what),
                                           std::move(evaluation.error())));
}

Outcome<std::optional<std::string>> evaluate_text(const Draft& draft, const Visit& visit,
                                                  const definition::Template& source,
                                                  std::string_view what) {
  auto result = run(draft, visit, source, what);
  if (!result) return std::unexpected(std::move(result.error()));
  auto& value = result->evaluation.value;
  if (value.is_null()) return std::nullopt;
  auto* text = value.as<std::string>();
  if (!text) {
    return std::unexpected(
        wrong_type(draft, seen_from(draft, visit), *result, subject_of(visit, what), "a string"));
  }
  if (text->empty()) return std::nullopt;
  return std::move(*text);
}

Outcome<std::string> evaluate_needed_text(const Draft& draft, const Visit& visit,
                                          const definition::Template& source, std::string_view what,
                                          std::string_view consequence) {
  auto result = run(draft, visit, source, what);
  if (!result) return std::unexpected(std::move(result.error()));
  auto& value = result->evaluation.value;
  auto* text = value.as<std::string>();
  if (text && !text->empty()) return std::move(*text);
  const auto subject = subject_of(visit, what);
  if (!text && !value.is_null()) {
    return std::unexpected(wrong_type(draft, visit.scope_id, *result, subject, "a string"));
  }
  return std::unexpected(empty_text(draft, visit.scope_id, source, *result, subject, consequence));
}

Object explain_condition(const Draft& draft, Key scope_id, const definition::Flow& flow,
                         Object& values) {
  const VisibleScope scope(draft.state(), scope_id);
  for (auto& [name, value] : expr::seen_by(*flow.condition, scope))
    values.set(name, std::move(value));
  const auto evaluation = expr::evaluate(*flow.condition, scope, draft.at());
  return {{"flow_id", flow.id},
          {"expression", flow.condition->text()},
          {"warnings", evaluation ? warning_list(evaluation->warnings) : Array{}}};
}

namespace {

Outcome<std::optional<std::int64_t>> evaluate_whole(const Draft& draft, const Visit& visit,
                                                    const definition::Template& source,
                                                    std::string_view what, std::int64_t least,
                                                    std::string_view wanted) {
  if (!source.expression && source.text.empty()) return std::nullopt;
  auto result = run(draft, visit, source, what);
  if (!result) return std::unexpected(std::move(result.error()));
  const auto number = whole_number(result->evaluation.value);
  if (number && *number >= least) return number;
  return std::unexpected(
      wrong_type(draft, seen_from(draft, visit), *result, subject_of(visit, what), wanted));
}

} // namespace

Outcome<std::optional<std::int64_t>> evaluate_count(const Draft& draft, const Visit& visit,
                                                    const definition::Template& source,
                                                    std::string_view what) {
  return evaluate_whole(draft, visit, source, what, 1, "a whole number of at least 1");
}

Outcome<std::optional<std::int64_t>> evaluate_number(const Draft& draft, const Visit& visit,
                                                     const definition::Template& source,
                                                     std::string_view what) {
  return evaluate_whole(draft, visit, source, what, std::numeric_limits<std::int64_t>::min(),
                        "a whole number");
}

Outcome<Value> evaluate_names(const Draft& draft, const Visit& visit,
                              const definition::Template& source, std::string_view what) {
  auto result = run(draft, visit, source, what);
  if (!result) return std::unexpected(std::move(result.error()));
  auto& value = result->evaluation.value;
  if (value.is_null()) return Array{};
  if (const auto* text = value.as<std::string>()) return split_names(*text);
  const auto* list = value.as<Array>();
  if (list && std::ranges::all_of(*list, &Value::is_string)) return std::move(value);
  return std::unexpected(wrong_type(draft, seen_from(draft, visit), *result,
                                    subject_of(visit, what),
                                    "a list of strings or a text with commas"));
}

Outcome<std::optional<Instant>> evaluate_moment(const Draft& draft, const Visit& visit,
                                                const definition::Template& source,
                                                std::string_view what) {
  auto result = run(draft, visit, source, what);
  if (!result) return std::unexpected(std::move(result.error()));
  const auto& value = result->evaluation.value;
  if (value.is_null()) return std::nullopt;
  if (const auto* text = value.as<std::string>()) {
    if (text->empty()) return std::nullopt;
    const auto moment =
        is_duration(*text) ? add_iso_duration(draft.at(), *text) : parse_instant(*text);
    if (moment) return *moment;
  }
  return std::unexpected(wrong_type(draft, seen_from(draft, visit), *result,
                                    subject_of(visit, what), "an ISO 8601 date-time or duration"));
}

Outcome<std::string> evaluate_name(const Draft& draft, const Visit& visit,
                                   const definition::EventSpec& event) {
  const auto what = std::string(name_of(event.kind)) + " name";
  return evaluate_needed_text(draft, visit, event.name, what);
}

Outcome<std::optional<std::string>> evaluate_key(const Draft& draft, const Visit& visit,
                                                 const definition::Template& source) {
  if (!source.expression && source.text.empty()) return std::nullopt;
  const auto as_bad_key = [](Trouble trouble) {
    trouble.kind = IncidentKind::bad_correlation_key;
    return std::unexpected(std::move(trouble));
  };
  auto result = run(draft, visit, source, "correlation key");
  if (!result) return as_bad_key(std::move(result.error()));
  const auto& value = result->evaluation.value;
  if (const auto* text = value.as<std::string>()) return *text;
  if (value.is_number()) return json::write(value);
  return as_bad_key(wrong_type(draft, seen_from(draft, visit), *result,
                               subject_of(visit, "correlation key"), "a string or a number"));
}

namespace {

/// The moment that the text of a timer means; nullopt when it means none.
std::optional<DueTime> due_time(const Draft& draft, definition::TimerKind kind,
                                const std::string& text) {
  switch (kind) {
    case definition::TimerKind::date:
      if (const auto at = expr::parse_moment(text)) return DueTime{.at = *at, .cycle = {}};
      break;
    case definition::TimerKind::duration:
      if (const auto at = add_iso_duration(draft.at(), text)) {
        return DueTime{.at = *at, .cycle = {}};
      }
      break;
    case definition::TimerKind::cycle:
      if (const auto recurrence = expr::Recurrence::parse(text)) {
        const auto first = recurrence->first(draft.at());
        if (first) return DueTime{.at = first->at, .cycle = text};
      }
      break;
  }
  return std::nullopt;
}

std::string_view wanted_time(definition::TimerKind kind) {
  switch (kind) {
    case definition::TimerKind::date: return "an ISO 8601 date-time such as 2026-11-30T06:36:00Z";
    case definition::TimerKind::duration: return "an ISO 8601 duration such as PT15M";
    case definition::TimerKind::cycle:
      return "a recurrence with an occurrence to come, such as R3/PT10S or six fields of cron,";
  }
  return "";
}

} // namespace

Outcome<DueTime> evaluate_timer(const Draft& draft, const Visit& visit,
                                const definition::TimerSpec& timer) {
  const auto as_bad_timer = [](Trouble trouble) {
    trouble.kind = IncidentKind::bad_timer;
    return std::unexpected(std::move(trouble));
  };
  auto result = run(draft, visit, timer.when, "time");
  if (!result) return as_bad_timer(std::move(result.error()));
  if (const auto* text = result->evaluation.value.as<std::string>()) {
    if (auto due = due_time(draft, timer.kind, *text)) return *std::move(due);
  }
  return as_bad_timer(wrong_type(draft, seen_from(draft, visit), *result, subject_of(visit, "time"),
                                 wanted_time(timer.kind)));
}

} // namespace perdure::decide
