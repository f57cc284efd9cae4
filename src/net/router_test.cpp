// The route table: which route a request finds, and what it is told when there is none.
#include "net/router.h"

#include <gtest/gtest.h>

#include "base/check.h"

namespace perdure::net {
namespace {

void ignore(const Request&, const Responder&) {}

std::vector<Route> table() {
  return {
      {"GET", "/", ignore},
      {"GET", "/instances", ignore},
      {"POST", "/instances", ignore},
      {"GET", "/instances/{id}", ignore},
      {"DELETE", "/instances/{id}", ignore},
      {"GET", "/instances/{instance}/steps/{step}", ignore},
      {"POST", "/instances/search", ignore},
      {"GET", "/instances/latest", ignore},
      {"GET", "/console/{rest...}", ignore},
  };
}

std::string found(const Router& router, std::string_view method, std::string_view path) {
  const auto match = router.match(method, path);
  if (match.outcome == Router::Outcome::no_path) return "404";
  if (match.outcome == Router::Outcome::no_method) return "405 " + match.allow;
  std::string text = match.route->method + " " + match.route->pattern;
  for (const auto& [name, value] : match.path_parameters)
    text += " " + name + "=" + value;
  return text;
}

TEST(Router, FindsTheRoute) {
  const Router router(table());
  EXPECT_EQ(found(router, "GET", "/"), "GET /");
  EXPECT_EQ(found(router, "POST", "/instances"), "POST /instances");
  EXPECT_EQ(found(router, "GET", "/instances/42"), "GET /instances/{id} id=42");
  EXPECT_EQ(found(router, "DELETE", "/instances/42"), "DELETE /instances/{id} id=42");
  EXPECT_EQ(found(router, "GET", "/instances/7/steps/a%2Fb%20c"),
            "GET /instances/{instance}/steps/{step} instance=7 step=a/b c");
  EXPECT_EQ(found(router, "GET", "/console/a/b.js"), "GET /console/{rest...} rest=a/b.js");
  EXPECT_EQ(found(router, "GET", "/console/"), "GET /console/{rest...} rest=");
}

TEST(Router, LiteralsWinButDoNotHideOtherRoutes) {
  const Router router(table());
  EXPECT_EQ(found(router, "GET", "/instances/latest"), "GET /instances/latest");
  EXPECT_EQ(found(router, "POST", "/instances/search"), "POST /instances/search");
  EXPECT_EQ(found(router, "GET", "/instances/search"), "GET /instances/{id} id=search");
  EXPECT_EQ(found(router, "GET", "/instances/latest/steps/1"),
            "GET /instances/{instance}/steps/{step} instance=latest step=1");
}

TEST(Router, HeadIsServedByGet) {
  const Router router(table());
  EXPECT_EQ(found(router, "HEAD", "/instances/1"), "GET /instances/{id} id=1");
}

TEST(Router, UnknownPathsAndMethods) {
  const Router router(table());
  for (const auto* path :
       {"", "x", "/x", "/instances/", "/instances//steps/1", "/instances/1/steps", "/instances/%zz",
        "/console", "//", "/instances/1/"}) {
    EXPECT_EQ(found(router, "GET", path), "404") << path;
  }
  EXPECT_EQ(found(router, "PUT", "/instances"), "405 GET, HEAD, POST");
  EXPECT_EQ(found(router, "PUT", "/instances/1"), "405 DELETE, GET, HEAD");
  EXPECT_EQ(found(router, "get", "/instances/1"), "405 DELETE, GET, HEAD");
}

Response dispatch(const Router& router, std::string method, std::string target) {
  Response answer{.status = 0};
  Request request;
  request.method = std::move(method);
  request.path = target;
  request.target = std::move(target);
  router(std::move(request),
         Responder::into([&](Response response) { answer = std::move(response); }));
  return answer;
}

TEST(Router, AnswersForTheHandlersItDoesNotHave) {
  std::vector<Route> routes = {{"GET", "/a/{x}", [](const Request& request, const Responder& to) {
                                  to.send({.body = request.path_parameter("x")});
                                }}};
  const Router router(std::move(routes));
  EXPECT_EQ(dispatch(router, "GET", "/a/b?c=d").body, "b");

  const auto missing = dispatch(router, "GET", "/b");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.content_type, "application/problem+json");

  const auto refused = dispatch(router, "POST", "/a/b");
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(find_header(refused.headers, "Allow"), "GET, HEAD");
  EXPECT_EQ(refused.content_type, "application/problem+json");

  const auto options = dispatch(router, "OPTIONS", "/a/b");
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(find_header(options.headers, "Allow"), "GET, HEAD");
}

TEST(Router, KeepsItsTableAsGiven) {
  const Router router(table());
  ASSERT_EQ(router.routes().size(), table().size());
  EXPECT_EQ(router.routes()[4].method, "DELETE");
  EXPECT_EQ(router.routes()[4].pattern, "/instances/{id}");
}

TEST(Router, AmbiguousTablesAreBugs) {
  const auto build = [](std::string first, std::string second) {
    const Router router({{"GET", std::move(first), ignore}, {"GET", std::move(second), ignore}});
  };
  EXPECT_THROW(build("/a", "/a"), BugFound);
  EXPECT_THROW(build("/a/{x}", "/a/{y}"), BugFound);
  EXPECT_THROW(build("/a/{x...}", "/a/{y...}"), BugFound);
  EXPECT_THROW(build("/a", "b"), BugFound);
  EXPECT_THROW(build("/a", "/{x...}/b"), BugFound);
}

} // namespace
} // namespace perdure::net
