#include "store/postgres/error.h"

#include <string>

namespace perdure::store::postgres {

namespace {

std::string field(const Libpq& libpq, const PGresult* result, int code) {
  const char* text = libpq.resultErrorField(result, code);
  return text ? text : "";
}

std::string first_line(std::string_view report) {
  std::string line(report.substr(0, report.find('\n')));
  while (line.ends_with('.') || line.ends_with(' '))
    line.pop_back();
  return line;
}

/// The name of the rule that was broken; empty when the state is of another kind.
std::string rule_name(const Libpq& libpq, const PGresult* result, std::string_view state) {
  if (state == "23503") return "foreign_key";
  if (state == "23502") {
    return field(libpq, result, PG_DIAG_TABLE_NAME) + "_" +
           field(libpq, result, PG_DIAG_COLUMN_NAME) + "_required";
  }
  if (state.starts_with("23")) return field(libpq, result, PG_DIAG_CONSTRAINT_NAME);
  return state.starts_with("22") ? "value_type" : "";
}

/// The server ended a transaction that rested for too long: this process was frozen.
bool is_frozen(std::string_view state) { return state == "25P03" || state == "25P04"; }

bool is_lost_race(std::string_view state) {
  return state == "40001" || state == "40P01" || state == "55P03";
}

Error passing_error(std::string_view state, const std::string& report) {
  if (state == "53100") {
    return {ErrorCode::unavailable,
            "The disk of the database is full; free some space there, then go on.", report};
  }
  if (state == "25006") {
    return {ErrorCode::unavailable,
            "The database only reads at the moment (a replica?); try again later.", report};
  }
  if (is_frozen(state)) {
    return {ErrorCode::unavailable,
            "The database ended a transaction of this process, which stood still for too long; "
            "nothing of it was kept, try again.",
            report};
  }
  if (state == "42501") {
    return {
        ErrorCode::unavailable,
        "The database role lacks a right (" + report + "); grant it as docs/operations.md says.",
        report};
  }
  return {ErrorCode::unavailable, "The database cannot be used: " + report + "; try again later.",
          report};
}

} // namespace

Error error_of(const Libpq& libpq, const PGresult* result) {
  const auto state = field(libpq, result, PG_DIAG_SQLSTATE);
  auto report = first_line(field(libpq, result, PG_DIAG_MESSAGE_PRIMARY));
  if (report.empty()) report = first_line(libpq.resultErrorMessage(result));
  if (const auto rule = rule_name(libpq, result, state); !rule.empty()) {
    return {ErrorCode::invariant_violated,
            "The database refused a row that breaks " + rule + " (" + report +
                "); nothing of this change was kept.",
            rule};
  }
  if (is_lost_race(state)) {
    return {ErrorCode::conflict, "Another node was faster (" + report + "); try again.", state};
  }
  // A wrong statement, but for what an administrator withheld.
  const bool wrong = state.starts_with("42") || state.starts_with("26") ||
                     state.starts_with("0A") || state.starts_with("XX") ||
                     (state.starts_with("25") && state != "25006" && !is_frozen(state));
  if (wrong && state != "42501") {
    return {ErrorCode::internal, "A statement does not fit the schema: " + report + ".", report};
  }
  return passing_error(state, report);
}

Error lost_connection(std::string_view report) {
  return {ErrorCode::unavailable,
          "The database cannot be reached (" + first_line(report) +
              "); check its address and that it runs.",
          first_line(report)};
}

bool ends_session(const Libpq& libpq, const PGresult* result) {
  const auto state = field(libpq, result, PG_DIAG_SQLSTATE);
  return state == "25006" || is_frozen(state) || state.starts_with("57P") ||
         state.starts_with("08");
}

bool is_refusal(const Error& error) {
  return error.code == ErrorCode::conflict || error.code == ErrorCode::invariant_violated ||
         error.code == ErrorCode::invalid_input;
}

} // namespace perdure::store::postgres
