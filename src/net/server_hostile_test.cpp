// The server against peers that break rules, stall, vanish or flood: it answers clearly and goes
// on.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <csignal>
#include <latch>
#include <random>
#include <thread>

#include "base/json.h"
#include "net/test_server.h"

namespace perdure::net {
namespace {

void expect_still_serving(const Server& server) {
  auto peer = TestSocket::connected(server.port());
  ASSERT_TRUE(peer.send(get("/alive")));
  EXPECT_EQ(body_of(peer.receive_answer()), "GET /alive");
}

void expect_problem(const std::string& answer, int status) {
  EXPECT_EQ(status_of(answer), status) << answer;
  EXPECT_TRUE(answer.contains("Content-Type: application/problem+json\r\n")) << answer;
  EXPECT_TRUE(answer.contains("Connection: close\r\n")) << answer;
  const auto body = json::parse(body_of(answer));
  ASSERT_TRUE(body.has_value()) << answer;
  ASSERT_NE(body->find("status"), nullptr);
  EXPECT_EQ(*body->find("status"), Value(status));
  EXPECT_NE(body->find("type"), nullptr);
  EXPECT_NE(body->find("title"), nullptr);
  EXPECT_NE(body->find("detail"), nullptr);
}

TEST(HostileServer, ProtocolErrorsAreAnsweredAndTheConnectionEnds) {
  const auto server = serve(echo, {.max_header_bytes = 1'024, .max_body_bytes = 1'024});
  const std::pair<int, std::string> cases[] = {
      {400, "nonsense\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\n\r\n"},
      {413, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1025\r\n\r\n"},
      {413, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9999\r\nExpect: 100-continue\r\n\r\n"},
      {413, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n"},
      {431, "GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(2'000, 'a') + "\r\n\r\n"},
      {501, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n"},
      {505, "GET / HTTP/3.0\r\nHost: h\r\n\r\n"},
  };
  for (const auto& [status, bytes] : cases) {
    auto peer = TestSocket::connected(server->port());
    ASSERT_TRUE(peer.send(bytes));
    expect_problem(peer.receive_all(), status);
  }
  EXPECT_EQ(server->counters().requests, 0U);
  EXPECT_EQ(server->counters().requests_refused, std::size(cases));
  expect_still_serving(*server);
}

TEST(HostileServer, RequestsBeforeTheBrokenOneAreAnswered) {
  const auto server = serve(echo);
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(peer.send(get("/a") + "broken\r\n\r\n" + get("/b")));
  EXPECT_EQ(body_of(peer.receive_answer()), "GET /a");
  expect_problem(peer.receive_all(), 400);
}

TEST(HostileServer, ABodyOverTheLimitGetsItsAnswerWhileItIsStillSent) {
  const auto server = serve(echo, {.max_body_bytes = 1'000});
  auto peer = TestSocket::connected(server->port());
  std::thread sender([&] {
    static_cast<void>(peer.send(post("/", std::string(20'000'000, 'x'))));
    peer.close_sending();
  });
  const auto answer = peer.receive_all();
  sender.join();
  expect_problem(answer, 413);
  expect_still_serving(*server);
}

TEST(HostileServer, SlowRequestsTimeOut) {
  const auto server = serve(echo, {.header_timeout = Duration(50),
                                   .body_timeout = Duration(50),
                                   .keep_alive_timeout = Duration(50)});
  for (const auto* half : {"GET / HTTP/1.1\r\nHo",
                           "POST / HTTP/1.1\r\nHost: h\r\n"
                           "Content-Length: 9\r\n\r\nhalf"}) {
    auto peer = TestSocket::connected(server->port());
    ASSERT_TRUE(peer.send(half));
    expect_problem(peer.receive_all(), 408);
  }
  auto silent = TestSocket::connected(server->port());
  EXPECT_EQ(silent.receive_all(), "");
  auto idle = TestSocket::connected(server->port());
  ASSERT_TRUE(idle.send(get("/a")));
  EXPECT_EQ(body_of(idle.receive_all()), "GET /a");
}

TEST(HostileServer, DrippingHeadersDoNotExtendTheDeadline) {
  const auto server = serve(echo, {.header_timeout = Duration(200)});
  auto peer = TestSocket::connected(server->port());
  std::thread dripping([&] {
    for (int i = 0; i < 3'000 && peer.send("X"); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5)); // the drip itself
    }
  });
  const auto answer = peer.receive_all();
  peer.close_sending();
  dripping.join();
  expect_problem(answer, 408);
}

TEST(HostileServer, RandomBytesAndHalfRequests) {
  const auto server = serve(echo);
  std::mt19937 random(7);
  const std::string whole = post("/path?query=1", "some body") +
                            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                            "3\r\nabc\r\n0\r\n\r\n";
  for (int round = 0; round < 300; ++round) {
    auto bytes = whole.substr(0, random() % (whole.size() + 1));
    for (auto hits = random() % 4; hits > 0 && !bytes.empty(); --hits) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (round % 3 == 0) {
      for (auto& byte : bytes)
        byte = static_cast<char>(random());
    }
    auto peer = TestSocket::connected(server->port());
    static_cast<void>(peer.send(bytes));
    if (round % 2 == 0) peer.reset();
  }
  expect_still_serving(*server);
}

TEST(HostileServer, AnAbortedDownloadIsNotDeliveredAndRaisesNoSignal) {
  ASSERT_EQ(std::signal(SIGPIPE, SIG_DFL), SIG_DFL);
  Queue<bool> delivered;
  const auto server = serve([&](const Request& request, const Responder& to) {
    if (request.path != "/big") return echo(request, to);
    to.send({.body = std::string(32 * 1024 * 1024, 'x')}, [&](bool all) { delivered.put(all); });
  });
  for (int i = 0; i < 3; ++i) {
    auto peer = TestSocket::connected(server->port());
    ASSERT_TRUE(peer.send(get("/big")));
    ASSERT_TRUE(peer.receive_some());
    peer.reset();
    EXPECT_FALSE(delivered.take());
  }
  expect_still_serving(*server);
  EXPECT_EQ(server->counters().answers_undelivered, 3U);
}

TEST(HostileServer, TurnsAwayConnectionsOverItsLimit) {
  const auto server = serve(echo, {.max_connections = 2});
  auto first = TestSocket::connected(server->port());
  auto second = TestSocket::connected(server->port());
  for (auto* peer : {&first, &second}) {
    ASSERT_TRUE(peer->send(get("/a")));
    EXPECT_EQ(body_of(peer->receive_answer()), "GET /a");
  }
  auto third = TestSocket::connected(server->port());
  ASSERT_TRUE(third.send(get("/b")));
  const auto answer = third.receive_all();
  expect_problem(answer, 503);
  EXPECT_TRUE(answer.contains("Retry-After: 1\r\n"));
  EXPECT_EQ(server->counters().connections_refused, 1U);
  ASSERT_TRUE(first.send(get("/c")));
  EXPECT_EQ(body_of(first.receive_answer()), "GET /c");
}

TEST(HostileServer, SurvivesTheLackOfFileDescriptors) {
  const auto server = serve(echo);
  auto peer = TestSocket::unconnected();
  std::vector<int> hoard;
  for (int descriptor = 0; (descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) {
    hoard.push_back(descriptor);
  }
  ASSERT_TRUE(peer.connect(server->port()));
  ASSERT_TRUE(peer.send(get("/alive")));
  while (server->counters().accept_failures == 0)
    std::this_thread::yield();
  // A server that spins would now fail thousands of times while these are given back.
  for (const int descriptor : hoard)
    ::close(descriptor);
  EXPECT_EQ(body_of(peer.receive_answer()), "GET /alive");
  EXPECT_LT(server->counters().accept_failures, 100U);
}

} // namespace
} // namespace perdure::net
