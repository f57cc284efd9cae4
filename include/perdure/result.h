// Result<T>: a value or an Error. Used for operating failures (disk, network) and for bad input;
// business refusals have their own ordered enum (facts/refusal.h).
#pragma once

#include <string>
#include <utility>
#include <version>

#ifdef __cpp_lib_expected
#include <expected>
#else
#include "perdure/expected.h"
#endif

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

#ifdef __cpp_lib_expected
template <class T>
using Result = std::expected<T, Error>;
using Failure = std::unexpected<Error>;
#else
template <class T>
using Result = Expected<T, Error>;
using Failure = Unexpected<Error>;
#endif

/// Builds the error side of a Result: `return fail(ErrorCode::not_found, "...")`.
[[nodiscard]] inline Failure fail(ErrorCode code, std::string message, std::string where = {}) {
  return Failure(Error{code, std::move(message), std::move(where)});
}

} // namespace perdure
