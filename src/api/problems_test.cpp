// Problems: status, headers and members of every kind of failure.
#include "api/problems.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace perdure::api {
namespace {

using Kind = engine::Failure::Kind;

Value body_of(const net::Response& response) {
  EXPECT_EQ(response.content_type, net::kProblemType);
  auto value = json::parse(response.body);
  EXPECT_TRUE(value) << response.body;
  return value ? std::move(*value) : Value();
}

TEST(Problems, EveryKindOfFailureHasItsStatus) {
  const std::pair<Kind, int> cases[] = {{Kind::invalid_input, 400},
                                        {Kind::not_found, 404},
                                        {Kind::refused, 409},
                                        {Kind::unavailable, 503},
                                        {Kind::internal, 500}};
  for (const auto& [kind, status] : cases) {
    const auto response = to_response(engine::Failure{.kind = kind, .message = "Because."});
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(*body_of(response).find("detail"), Value("Because."));
    EXPECT_EQ(*body_of(response).find("status"), Value(status));
  }
}

TEST(Problems, ARefusalNamesItsRuleTwice) {
  const auto response = to_response(engine::Failure{.kind = Kind::refused,
                                                    .violation = "TokenFinalizedTwice",
                                                    .message = "Too late.",
                                                    .existing_id = 12});
  EXPECT_EQ(net::find_header(response.headers, "X-Invariant-Violation"), "TokenFinalizedTwice");
  const auto body = body_of(response);
  EXPECT_EQ(*body.find("type"), Value("urn:perdure:problem:refused"));
  EXPECT_EQ(*body.find("violation"), Value("TokenFinalizedTwice"));
  EXPECT_EQ(*body.find("existing_instance_id"), Value("12"));
}

TEST(Problems, AReusedIdempotencyKeyIsUnprocessable) {
  const auto response = to_response(engine::Failure{
      .kind = Kind::refused, .violation = "IdempotencyKeyReused", .message = "No."});
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(net::find_header(response.headers, "X-Invariant-Violation"), "IdempotencyKeyReused");
}

TEST(Problems, WhatMayPassSaysWhenToTryAgain) {
  const auto failure = to_response(engine::Failure{.kind = Kind::unavailable, .message = "Later."});
  EXPECT_EQ(net::find_header(failure.headers, "Retry-After"), "1");
  const auto error = to_response(Error{ErrorCode::unavailable, "Later.", ""});
  EXPECT_EQ(error.status, 503);
  EXPECT_EQ(net::find_header(error.headers, "Retry-After"), "1");
}

TEST(Problems, AnInvalidModelListsItsDiagnostics) {
  engine::Failure failure{.kind = Kind::invalid_input, .message = "The model has errors."};
  failure.diagnostics.push_back({.code = "unsupported_element",
                                 .message = "Remove it.",
                                 .element_id = "Task_1",
                                 .line = 12,
                                 .column = 5,
                                 .file = "a.bpmn"});
  const auto response = to_response(failure);
  EXPECT_EQ(response.status, 400);
  const auto body = body_of(response);
  EXPECT_EQ(*body.find("diagnostics"), Value(Array{Object{{"code", "unsupported_element"},
                                                          {"severity", "error"},
                                                          {"message", "Remove it."},
                                                          {"file", "a.bpmn"},
                                                          {"line", 12},
                                                          {"column", 5},
                                                          {"element_id", "Task_1"}}}));
}

TEST(Problems, ErrorsOfQueriesHaveTheirStatus) {
  EXPECT_EQ(to_response(Error{ErrorCode::invalid_input, "x", ""}).status, 400);
  EXPECT_EQ(to_response(Error{ErrorCode::not_found, "x", ""}).status, 404);
  EXPECT_EQ(to_response(Error{ErrorCode::conflict, "x", ""}).status, 409);
  EXPECT_EQ(to_response(Error{ErrorCode::internal, "x", ""}).status, 500);
  EXPECT_EQ(not_found("task", "7").status, 404);
  EXPECT_EQ(cross_origin().status, 403);
}

} // namespace
} // namespace perdure::api
