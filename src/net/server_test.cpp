// The server over loopback: what a well-behaved client gets.
#include "net/server.h"

#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <thread>

#include "net/test_server.h"

namespace perdure::net {
namespace {

TEST(Server, HandsOverTheRequestAndWritesTheAnswer) {
  Request seen;
  const auto server = serve([&](Request request, const Responder& to) {
    seen = std::move(request);
    to.send({.status = 201, .headers = {{"Location", "/x/1"}}, .body = "{}"});
  });
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(
      peer.send("POST /x%20y?a=1&a=2 HTTP/1.1\r\nHost: h\r\nX-Key: v\r\n"
                "Content-Length: 4\r\n\r\nbody"));
  EXPECT_EQ(peer.receive_answer(),
            "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
            "Location: /x/1\r\n\r\n{}");
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.path, "/x y");
  EXPECT_EQ(seen.target, "/x%20y?a=1&a=2");
  EXPECT_EQ(seen.query_parameters, (Fields{{"a", "1"}, {"a", "2"}}));
  EXPECT_EQ(seen.header("x-key"), "v");
  EXPECT_EQ(seen.body, "body");
  EXPECT_EQ(seen.peer, "127.0.0.1");
}

TEST(Server, KeepsTheConnection) {
  const auto server = serve(echo);
  auto peer = TestSocket::connected(server->port());
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(peer.send(get("/" + std::to_string(i))));
    ASSERT_EQ(body_of(peer.receive_answer()), "GET /" + std::to_string(i));
  }
  EXPECT_EQ(server->counters().connections_accepted, 1U);
  EXPECT_EQ(server->counters().requests, 100U);
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  Parking parking;
  const auto server = serve([&](const Request& request, const Responder& to) {
    if (request.path == "/slow")
      parking.park(to);
    else
      echo(request, to);
  });
  auto peer = TestSocket::connected(server->port());
  std::string requests = get("/slow");
  for (int i = 0; i < 50; ++i)
    requests += get("/" + std::to_string(i));
  ASSERT_TRUE(peer.send(requests));
  parking.take().send({.body = "slow"});
  EXPECT_EQ(body_of(peer.receive_answer()), "slow");
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(body_of(peer.receive_answer()), "GET /" + std::to_string(i));
  }
}

TEST(Server, PipelinedBytesBeyondTheLimitWaitInTheSocket) {
  Parking parking;
  const auto server = serve([&](const Request& request, const Responder& to) {
    if (request.path == "/slow")
      parking.park(to);
    else
      echo(request, to);
  });
  auto peer = TestSocket::connected(server->port());
  const std::string body(60'000, 'b');
  ASSERT_TRUE(peer.send(get("/slow")));
  const auto slow = parking.take();
  std::thread sender([&] {
    for (int i = 0; i < 20; ++i)
      EXPECT_TRUE(peer.send(post("/", body)));
  });
  slow.send({.body = "slow"});
  EXPECT_EQ(body_of(peer.receive_answer()), "slow");
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(body_of(peer.receive_answer()), "POST /" + body);
  sender.join();
}

TEST(Server, HeadHasTheLengthButNoBody) {
  const auto server = serve(echo);
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(peer.send("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n" + get("/b")));
  EXPECT_EQ(peer.receive_answer(false),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n\r\n");
  EXPECT_EQ(body_of(peer.receive_answer()), "GET /b");
}

TEST(Server, NoContentHasNoBody) {
  const auto server = serve(
      [](const Request&, const Responder& to) { to.send({.status = 204, .body = "not sent"}); });
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(peer.send(get("/") + get("/")));
  EXPECT_EQ(peer.receive_answer(), "HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(peer.receive_answer(), "HTTP/1.1 204 No Content\r\n\r\n");
}

TEST(Server, TellsAWaitingClientToContinue) {
  const auto server = serve(echo);
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(
      peer.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n"
                "Expect: 100-continue\r\n\r\n"));
  EXPECT_EQ(peer.receive_to("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(peer.send("hi"));
  EXPECT_EQ(body_of(peer.receive_answer()), "POST /ahi");
}

TEST(Server, TakesChunkedBodies) {
  const auto server = serve(echo);
  auto peer = TestSocket::connected(server->port());
  const std::string bytes =
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2\r\nhi\r\n6;x=y\r\n there\r\n0\r\nTrailer: 1\r\n\r\n";
  for (const char byte : bytes)
    ASSERT_TRUE(peer.send({&byte, 1}));
  EXPECT_EQ(body_of(peer.receive_answer()), "POST /hi there");
  ASSERT_TRUE(peer.send(bytes));
  EXPECT_EQ(body_of(peer.receive_answer()), "POST /hi there");
}

TEST(Server, HonoursConnectionClose) {
  const auto server = serve(echo);
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(peer.send("GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n" + get("/b")));
  const auto all = peer.receive_all();
  EXPECT_TRUE(all.contains("\r\nConnection: close\r\n"));
  EXPECT_EQ(body_of(all), "GET /a");
  EXPECT_EQ(server->counters().requests, 1U);
}

TEST(Server, ServesOldClients) {
  const auto server = serve(echo);
  auto closing = TestSocket::connected(server->port());
  ASSERT_TRUE(closing.send("GET /a HTTP/1.0\r\n\r\n"));
  EXPECT_EQ(body_of(closing.receive_all()), "GET /a");
  auto keeping = TestSocket::connected(server->port());
  ASSERT_TRUE(keeping.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
  EXPECT_TRUE(keeping.receive_answer().contains("\r\nConnection: keep-alive\r\n"));
  ASSERT_TRUE(keeping.send(get("/b")));
  EXPECT_EQ(body_of(keeping.receive_answer()), "GET /b");
}

TEST(Server, CarriesLargeBodiesBothWays) {
  const auto server = serve(echo);
  auto peer = TestSocket::connected(server->port());
  const std::string body(8 * 1024 * 1024, 'x');
  std::thread sender([&] { EXPECT_TRUE(peer.send(post("/", body))); });
  const auto answer = body_of(peer.receive_answer());
  sender.join();
  EXPECT_EQ(answer.size(), body.size() + 6);
  EXPECT_TRUE(answer.ends_with(body));
}

TEST(Server, AnswersFromAnyThread) {
  Parking parking;
  const auto server = serve([&](const Request&, const Responder& to) { parking.park(to); });
  std::thread worker([&] {
    for (int i = 0; i < 200; ++i)
      parking.take().send({.body = std::to_string(i)});
  });
  auto peer = TestSocket::connected(server->port());
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(peer.send(get("/")));
    ASSERT_EQ(body_of(peer.receive_answer()), std::to_string(i));
  }
  worker.join();
}

TEST(Server, HoldsAThousandParkedRequests) {
  allow_open_files(4'096);
  constexpr std::size_t kMany = 1'000;
  Parking parking;
  const auto server = serve([&](const Request& request, const Responder& to) {
    parking.park(to, request.path);
    to.on_close([] {});
  });
  std::vector<TestSocket> peers;
  for (std::size_t i = 0; i < kMany; ++i) {
    peers.push_back(TestSocket::connected(server->port()));
    ASSERT_TRUE(peers.back().send(get("/" + std::to_string(i))));
  }
  std::vector<std::pair<Responder, std::string>> parked;
  for (std::size_t i = 0; i < kMany; ++i)
    parked.push_back(parking.take_named());
  EXPECT_EQ(server->counters().requests_open, kMany);
  for (const auto& [responder, path] : parked) {
    EXPECT_TRUE(responder.peer_connected());
    EXPECT_TRUE(responder.send({.body = path}));
  }
  for (std::size_t i = 0; i < kMany; ++i) {
    ASSERT_EQ(body_of(peers[i].receive_answer()), "/" + std::to_string(i));
  }
}

TEST(Server, TellsItsAddress) {
  const auto server = serve(echo);
  EXPECT_EQ(server->url(), "http://127.0.0.1:" + std::to_string(server->port()));
  const auto any = Server::listen({.host = "0.0.0.0"}, echo);
  ASSERT_TRUE(any.has_value());
  EXPECT_EQ((*any)->url(), "http://127.0.0.1:" + std::to_string((*any)->port()));
}

TEST(Server, SaysWhyItCannotListen) {
  const auto server = serve(echo);
  const auto taken = Server::listen({.port = server->port()}, echo);
  ASSERT_FALSE(taken.has_value());
  EXPECT_EQ(taken.error().code, ErrorCode::unavailable);
  EXPECT_EQ(taken.error().where, "127.0.0.1:" + std::to_string(server->port()));
  const auto nowhere = Server::listen({.host = "not an address"}, echo);
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_EQ(nowhere.error().code, ErrorCode::invalid_input);
}

} // namespace
} // namespace perdure::net
