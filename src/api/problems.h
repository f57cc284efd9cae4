// Problems: everything that can go wrong with a request, as the one answer its sender gets (RFC
// 9457).
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "engine/commands.h"
#include "net/http.h"
#include "net/problem.h"
#include "perdure/result.h"

namespace perdure::api {

/// A value, or the answer that says why there is none.
template <class T>
using Parsed = std::expected<T, net::Response>;

/// One place of a request that is wrong.
struct Complaint {
  enum class Part { body, query, path, header };
  Part part = Part::body;
  std::string where; ///< JSON pointer of the body ("" is the whole), else the name of the parameter
  std::string detail; ///< one sentence: what is wrong and what to do
};

/// 400 with the first complaint as detail and all of them in `errors`. At least one is needed.
[[nodiscard]] net::Response invalid_request(const std::vector<Complaint>& complaints);
[[nodiscard]] net::Response invalid_request(Complaint complaint);

/// 413: more bytes than a limit of the configuration allows.
[[nodiscard]] net::Response too_large(std::string detail);
/// 404 for a key that names nothing: not_found("process instance", "12").
[[nodiscard]] net::Response not_found(std::string_view what, std::string_view key);
/// 422: all of the request is understood, but what it asks for cannot be done.
[[nodiscard]] net::Response unprocessable(std::string detail, Object members);
/// 415: the body is of a kind that the route does not take.
[[nodiscard]] net::Response unsupported_media_type(std::string detail);
/// 403: a page of another site made a browser send this.
[[nodiscard]] net::Response cross_origin();
/// 503 with Retry-After.
[[nodiscard]] net::Response unavailable(std::string detail);

/// Why a command had no effect: 400, 404, 409 (422 for a reused Idempotency-Key), 503 or 500. A
/// refusal names its rule in the header X-Invariant-Violation and in the member `violation`.
[[nodiscard]] net::Response to_response(const engine::Failure& failure);
/// Why a query could not be answered.
[[nodiscard]] net::Response to_response(const Error& error);

} // namespace perdure::api
