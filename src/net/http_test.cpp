// Message values: lookup, the head of an answer, problem details.
#include "net/http.h"

#include <gtest/gtest.h>

#include "base/check.h"
#include "base/json.h"
#include "net/problem.h"

namespace perdure::net {
namespace {

TEST(Http, LookupTakesTheFirstAndHeadersIgnoreCase) {
  Request request;
  request.headers = {{"Content-Type", "a"}, {"content-type", "b"}};
  request.query_parameters = {{"q", "1"}, {"q", "2"}};
  request.path_parameters = {{"id", "7"}};
  EXPECT_EQ(request.header("CONTENT-TYPE"), "a");
  EXPECT_EQ(request.header("Content-Typ"), std::nullopt);
  EXPECT_EQ(request.query("q"), "1");
  EXPECT_EQ(request.query("Q"), std::nullopt);
  EXPECT_EQ(request.path_parameter("id"), "7");
  EXPECT_THROW(static_cast<void>(request.path_parameter("other")), BugFound);
}

TEST(Http, HeadOfAnAnswer) {
  const Response response{.headers = {{"X-A", "1"}}, .body = "{}"};
  EXPECT_EQ(
      response_head(response, {}),
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nX-A: 1\r\n\r\n");
  EXPECT_EQ(response_head({.status = 201}, {.keep_alive = false}),
            "HTTP/1.1 201 Created\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(response_head({.status = 204}, {.name_keep_alive = true}),
            "HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(response_head({.status = 799}, {}),
            "HTTP/1.1 799 Unknown\r\nContent-Length: 0\r\n\r\n");
}

TEST(Http, UserDataCannotForgeHeaders) {
  const Response response{.headers = {{"Location", "/a\r\nSet-Cookie: x=1"},
                                      {"content-length", "99"},
                                      {"Transfer-Encoding", "chunked"},
                                      {"Connection", "upgrade"}}};
  EXPECT_EQ(response_head(response, {}),
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nLocation: /a  Set-Cookie: x=1\r\n\r\n");
}

TEST(Problem, HasTheFourMembersAndTheExtraOnes) {
  const auto response = to_response({.status = 409,
                                     .detail = "say \"no\"\n",
                                     .type = "urn:perdure:conflict",
                                     .title = "Taken",
                                     .extra = {{"status", 1}, {"key", "7"}}});
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(response.content_type, "application/problem+json");
  const auto body = json::parse(response.body);
  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(*body, Value(Object{{"type", "urn:perdure:conflict"},
                                {"title", "Taken"},
                                {"status", 409},
                                {"detail", "say \"no\"\n"},
                                {"key", "7"}}));
}

TEST(Problem, TitleComesFromTheStatus) {
  EXPECT_EQ(problem(404, "d").body,
            R"({"type":"about:blank","title":"Not Found","status":404,"detail":"d"})");
}

} // namespace
} // namespace perdure::net
