#include "api/problems.h"

#include <utility>

#include "api/json_shapes.h"
#include "base/check.h"
#include "base/key.h"

namespace perdure::api {
namespace {

constexpr std::string_view kRetryAfterSeconds = "1";
/// The engine's violation for an Idempotency-Key that came before with another request.
constexpr std::string_view kIdempotencyKeyReused = "IdempotencyKeyReused";

std::string type_uri(std::string_view name) {
  return std::string("urn:perdure:problem:").append(name);
}

net::Response problem(int status, std::string_view name, std::string detail, Object extra = {}) {
  return net::to_response(net::Problem{.status = status,
                                       .detail = std::move(detail),
                                       .type = type_uri(name),
                                       .extra = std::move(extra)});
}

std::string_view member_of(Complaint::Part part) {
  switch (part) {
    case Complaint::Part::body: return "pointer";
    case Complaint::Part::query: return "query";
    case Complaint::Part::path: return "path";
    case Complaint::Part::header: return "header";
  }
  return "pointer";
}

net::Response refused(const engine::Failure& failure) {
  // A reused key is a mistake in the request itself, not a state that may change.
  const bool reused_key = failure.violation == kIdempotencyKeyReused;
  Object extra{{"violation", failure.violation}};
  if (failure.existing_id) extra.append("existing_instance_id", key_text(*failure.existing_id));
  Array objections;
  for (const auto& objection : failure.objections) {
    objections.push_back(
        Object{{"element_id", objection.element_id}, {"detail", objection.message}});
  }
  if (!objections.empty()) extra.append("objections", std::move(objections));
  auto response = problem(reused_key ? 422 : 409, reused_key ? "idempotency-key-reused" : "refused",
                          failure.message, std::move(extra));
  response.headers.emplace_back("X-Invariant-Violation", failure.violation);
  return response;
}

net::Response invalid_model(const engine::Failure& failure) {
  Array diagnostics;
  for (const auto& diagnostic : failure.diagnostics)
    diagnostics.push_back(to_value(diagnostic));
  return problem(400, "invalid-model", failure.message,
                 Object{{"diagnostics", std::move(diagnostics)}});
}

} // namespace

net::Response invalid_request(const std::vector<Complaint>& complaints) {
  PERDURE_CHECK(!complaints.empty());
  Array errors;
  for (const auto& complaint : complaints) {
    errors.push_back(Object{{std::string(member_of(complaint.part)), complaint.where},
                            {"detail", complaint.detail}});
  }
  return problem(400, "invalid-request", complaints.front().detail,
                 Object{{"errors", std::move(errors)}});
}

net::Response invalid_request(Complaint complaint) {
  return invalid_request(std::vector<Complaint>{std::move(complaint)});
}

net::Response too_large(std::string detail) { return problem(413, "too-large", std::move(detail)); }

net::Response not_found(std::string_view what, std::string_view key) {
  std::string detail = "There is no ";
  detail.append(what).append(" with the id ").append(key).append("; check the id.");
  return problem(404, "not-found", std::move(detail));
}

net::Response unsupported_media_type(std::string detail) {
  return problem(415, "unsupported-media-type", std::move(detail));
}

net::Response unprocessable(std::string detail, Object members) {
  return problem(422, "unprocessable", std::move(detail), std::move(members));
}

net::Response cross_origin() {
  return problem(
      403, "cross-origin",
      "A page of another site sent this request; send it from this server's own pages or from a "
      "program that is no browser.");
}

net::Response unavailable(std::string detail) {
  auto response = problem(503, "unavailable", std::move(detail));
  response.headers.emplace_back("Retry-After", kRetryAfterSeconds);
  return response;
}

net::Response to_response(const engine::Failure& failure) {
  using Kind = engine::Failure::Kind;
  switch (failure.kind) {
    case Kind::invalid_input:
      return failure.diagnostics.empty() ? problem(400, "invalid-request", failure.message)
                                         : invalid_model(failure);
    case Kind::not_found: return problem(404, "not-found", failure.message);
    case Kind::refused: return refused(failure);
    case Kind::unavailable: return unavailable(failure.message);
    case Kind::internal: break;
  }
  return problem(500, "internal", failure.message);
}

net::Response to_response(const Error& error) {
  switch (error.code) {
    case ErrorCode::invalid_input: return problem(400, "invalid-request", error.message);
    case ErrorCode::not_found: return problem(404, "not-found", error.message);
    case ErrorCode::conflict:
    case ErrorCode::invariant_violated: return problem(409, "refused", error.message);
    case ErrorCode::unavailable: return unavailable(error.message);
    case ErrorCode::internal: break;
  }
  return problem(500, "internal", error.message);
}

} // namespace perdure::api
