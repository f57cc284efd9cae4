#include "net/local_names.h"

#include <gtest/gtest.h>

namespace perdure::net {
namespace {

TEST(LocalNames, AreThoseThatNoStrangerCanOwn) {
  for (const auto* host : {"localhost", "localhost:8080", "LOCALHOST", "a.localhost:1", "127.0.0.1",
                           "127.0.0.1:8080", "127.1.2.3", "[::1]", "[::1]:8080"}) {
    EXPECT_TRUE(is_local_name(host)) << host;
  }
  for (const auto* host :
       {"", "evil.example", "evil.example:8080", "127.evil.example", "localhost.evil.example",
        "notlocalhost", "10.0.0.1", "[::2]", "[::1", "0.0.0.0"}) {
    EXPECT_FALSE(is_local_name(host)) << host;
  }
  EXPECT_TRUE(is_loopback("127.0.0.1"));
  EXPECT_TRUE(is_loopback("::1"));
  EXPECT_FALSE(is_loopback("0.0.0.0"));
}

TEST(LocalNames, GuardAnswersOtherNamesItself) {
  int reached = 0;
  const auto guarded = only_local_names([&](const Request&, const Responder& to) {
    ++reached;
    to.send({.status = 204});
  });
  const auto status_for = [&](const Fields& headers) {
    int status = 0;
    Request request;
    request.headers = headers;
    guarded(request, Responder::into([&](const Response& response) { status = response.status; }));
    return status;
  };
  EXPECT_EQ(status_for({{"Host", "localhost:8080"}}), 204);
  EXPECT_EQ(status_for({}), 204);
  EXPECT_EQ(reached, 2);
  EXPECT_EQ(status_for({{"Host", "evil.example:8080"}, {"Origin", "http://evil.example:8080"}}),
            421);
  EXPECT_EQ(reached, 2);
}

} // namespace
} // namespace perdure::net
