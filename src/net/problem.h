// Problem details for HTTP APIs (RFC 9457): the one shape of every error answer.
#pragma once

#include <string>
#include <string_view>

#include "net/http.h"
#include "perdure/value.h"

namespace perdure::net {

inline constexpr std::string_view kProblemType = "application/problem+json";

struct Problem {
  int status = 500;
  std::string detail;               ///< one sentence: what is wrong and what to do
  std::string type = "about:blank"; ///< URI that names the kind of problem
  std::string title = {};           ///< short name of the kind; the status phrase when empty
  Object extra = {};                ///< more members; the four above win over the same name here
};

/// The answer that carries the problem. Never fails.
[[nodiscard]] Response to_response(const Problem& problem);

/// The common case: a problem known by its status alone.
[[nodiscard]] Response problem(int status, std::string detail);

} // namespace perdure::net
