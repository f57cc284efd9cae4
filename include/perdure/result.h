// Result<T>: a value or an Error. Used for operating failures (disk, network) and for bad input;
// business refusals have their own ordered enum (facts/refusal.h).
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace perdure {

/// What kind of thing went wrong; callers branch on this, never on the text.
enum class ErrorCode {
  invalid_input,      ///< the caller's bytes are wrong; sending them again cannot help
  not_found,          ///< the named thing does not exist
  conflict,           ///< the state does not allow it
  invariant_violated, ///< the database refused a write; `where` names the constraint
  unavailable,        ///< disk, network or database cannot serve now; trying again may help
  internal,           ///< a bug in Perdure
};

/// An error a person can act on.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message; ///< one sentence that says what is wrong and what to do
  std::string where;   ///< constraint, JSON pointer, file or key it speaks of; may be empty
};

template <class T>
using Result = std::expected<T, Error>;

/// Builds the error side of a Result: `return fail(ErrorCode::not_found, "...")`.
[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string message,
                                                 std::string where = {}) {
  return std::unexpected<Error>(Error{code, std::move(message), std::move(where)});
}

} // namespace perdure
