// Responders: one answer, whoever sends it, and the truth about clients that have gone.
#include "net/responder.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <stdexcept>
#include <thread>

#include "net/test_server.h"

namespace perdure::net {
namespace {

TEST(Responder, OnlyTheFirstAnswerCounts) {
  std::vector<bool> taken;
  const auto server = serve([&](const Request&, const Responder& to) {
    taken.push_back(to.send({.body = "first"}));
    taken.push_back(to.send({.body = "second"}, [](bool) { ADD_FAILURE(); }));
  });
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(peer.send(get("/") + get("/")));
  EXPECT_EQ(body_of(peer.receive_answer()), "first");
  EXPECT_EQ(body_of(peer.receive_answer()), "first");
  EXPECT_EQ(taken, (std::vector<bool>{true, false, true, false}));
}

TEST(Responder, ADroppedOneAnswers500) {
  Parking parking;
  const auto server = serve([&](const Request& request, const Responder& to) {
    if (request.path == "/later") parking.park(to);
  });
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(peer.send(get("/now")));
  EXPECT_EQ(status_of(peer.receive_answer()), 500);
  ASSERT_TRUE(peer.send(get("/later")));
  {
    const auto dropped = parking.take();
  }
  EXPECT_EQ(status_of(peer.receive_answer()), 500);
}

TEST(Responder, AThrowingHandlerAnswers500AndTheServerGoesOn) {
  const auto server = serve([](const Request& request, const Responder& to) {
    if (request.path == "/throw") throw std::runtime_error("secret");
    echo(request, to);
  });
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(peer.send(get("/throw") + get("/a")));
  const auto answer = peer.receive_answer();
  EXPECT_EQ(status_of(answer), 500);
  EXPECT_FALSE(answer.contains("secret"));
  EXPECT_EQ(body_of(peer.receive_answer()), "GET /a");
}

TEST(Responder, DeliveredIsToldOnceTheAnswerIsWritten) {
  Queue<bool> delivered;
  const auto server = serve([&](const Request&, const Responder& to) {
    to.send({.body = "a"}, [&](bool all) { delivered.put(all); });
  });
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(peer.send(get("/")));
  EXPECT_EQ(body_of(peer.receive_answer()), "a");
  EXPECT_TRUE(delivered.take());
}

// Parks a request, lets `leave` end the connection, and expects that nothing is delivered.
template <class Leave>
void expect_no_delivery(Leave leave) {
  Queue<std::string> events;
  Parking parking;
  const auto server = serve([&](const Request&, const Responder& to) {
    to.on_close([&] { events.put("closed"); });
    parking.park(to);
  });
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(peer.send(get("/poll")));
  const auto parked = parking.take();
  EXPECT_TRUE(parked.peer_connected());
  leave(peer);
  EXPECT_EQ(events.take(), "closed");
  EXPECT_FALSE(parked.peer_connected());
  EXPECT_FALSE(parked.send({.body = "task"},
                           [&](bool all) { events.put(all ? "delivered" : "not delivered"); }));
  EXPECT_EQ(events.take(), "not delivered");
  EXPECT_FALSE(parked.send({.body = "again"}));
}

TEST(Responder, AParkedClientThatClosesGetsNothing) {
  expect_no_delivery([](TestSocket& peer) { peer.close(); });
}
TEST(Responder, AParkedClientThatResetsGetsNothing) {
  expect_no_delivery([](TestSocket& peer) { peer.reset(); });
}
TEST(Responder, AParkedClientThatStopsSendingGetsNothing) {
  expect_no_delivery([](TestSocket& peer) { peer.close_sending(); });
}
TEST(Responder, AParkedClientThatSentMoreAndClosedGetsNothing) {
  expect_no_delivery([](TestSocket& peer) {
    EXPECT_TRUE(peer.send(get("/next")));
    peer.close();
  });
}

TEST(Responder, AnEndThatTheServerHasNotSeenYetStillPreventsDelivery) {
  std::latch asked(1);
  std::latch closed(1);
  Queue<bool> delivered;
  const auto server = serve([&](const Request&, const Responder& to) {
    to.on_close([] {});
    asked.count_down();
    closed.wait(); // the server's thread is busy while the client leaves
    to.send({.body = "task"}, [&](bool all) { delivered.put(all); });
  });
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(peer.send(get("/poll")));
  asked.wait();
  peer.close();
  closed.count_down();
  EXPECT_FALSE(delivered.take());
  EXPECT_EQ(server->counters().answers_undelivered, 1U);
}

TEST(Responder, OnCloseAfterTheEndIsCalledAtOnce) {
  Parking parking;
  const auto server = serve([&](const Request&, const Responder& to) { parking.park(to); });
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(peer.send(get("/")));
  const auto parked = parking.take();
  peer.close_sending();
  while (parked.peer_connected())
    std::this_thread::yield();
  bool called = false;
  parked.on_close([&] { called = true; });
  EXPECT_TRUE(called);
  EXPECT_FALSE(parked.send({}));
  EXPECT_EQ(peer.receive_all(), "");
}

TEST(Responder, AHalfClosedClientGetsAnOrdinaryAnswer) {
  Parking parking;
  const auto server = serve([&](const Request&, const Responder& to) { parking.park(to); });
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(peer.send(get("/")));
  peer.close_sending();
  const auto parked = parking.take();
  while (parked.peer_connected())
    std::this_thread::yield();
  EXPECT_TRUE(parked.send({.body = "a"}));
  EXPECT_EQ(body_of(peer.receive_all()), "a");
}

TEST(Responder, AnAnsweredRequestIsNotClosed) {
  Parking parking;
  bool called = false;
  auto server = serve([&](const Request&, const Responder& to) {
    to.on_close([&] { called = true; });
    parking.park(to);
  });
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(peer.send(get("/")));
  const auto parked = parking.take();
  parked.send({.body = "a"});
  EXPECT_EQ(body_of(peer.receive_answer()), "a");
  peer.close();
  server.reset();
  EXPECT_FALSE(called);
}

TEST(Responder, ACallbackMayHoldItsOwnResponder) {
  Queue<int> closed;
  const auto server = serve([&](const Request&, const Responder& to) {
    to.on_close([&closed, to] {
      to.send({});
      closed.put(1);
    });
  });
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(peer.send(get("/")));
  peer.close();
  EXPECT_EQ(closed.take(), 1);
}

TEST(Responder, OutlivesItsServer) {
  Parking parking;
  auto server = serve([&](const Request&, const Responder& to) { parking.park(to); },
                      {.stop_grace = Duration(1)});
  auto peer = TestSocket::connected(server->port());
  ASSERT_TRUE(peer.send(get("/")));
  const auto parked = parking.take();
  server.reset();
  EXPECT_FALSE(parked.peer_connected());
  bool delivered = true;
  EXPECT_FALSE(parked.send({}, [&](bool all) { delivered = all; }));
  EXPECT_FALSE(delivered);
}

TEST(Responder, RacesBetweenAnswerAndClose) {
  Parking parking;
  Queue<int> closed;
  const auto server = serve([&](const Request&, const Responder& to) {
    to.on_close([&] { closed.put(1); });
    parking.park(to);
  });
  for (int round = 0; round < 200; ++round) {
    auto peer = TestSocket::connected(server->port());
    ASSERT_TRUE(peer.send(get("/")));
    const auto parked = parking.take();
    std::promise<bool> result;
    std::thread leaving([&] { peer.close(); });
    parked.send({.body = "a"}, [&](bool all) { result.set_value(all); });
    static_cast<void>(result.get_future().get()); // told exactly once, either way
    leaving.join();
  }
  EXPECT_EQ(server->counters().requests, 200U);
}

TEST(Stop, LetsARequestUnderWayFinish) {
  Parking parking;
  const auto server = serve([&](const Request&, const Responder& to) { parking.park(to); });
  auto busy = TestSocket::connected(server->port());
  auto idle = TestSocket::connected(server->port());
  ASSERT_TRUE(busy.send(get("/")));
  const auto parked = parking.take();
  std::thread stopping([&] { server->stop(); });
  EXPECT_EQ(idle.receive_all(), ""); // closed: the stop has begun
  EXPECT_TRUE(parked.send({.body = "a"}));
  const auto answer = busy.receive_all();
  EXPECT_EQ(body_of(answer), "a");
  EXPECT_TRUE(answer.contains("Connection: close\r\n"));
  busy.close();
  stopping.join();
  EXPECT_FALSE(TestSocket::unconnected().connect(server->port()));
  server->stop();
  EXPECT_EQ(server->counters().connections_open, 0U);
}

TEST(Stop, ClosesWhatIsLeftAfterTheGraceTime) {
  Parking parking;
  Queue<int> closed;
  const auto server = serve(
      [&](const Request&, const Responder& to) {
        to.on_close([&] { closed.put(1); });
        parking.park(to);
      },
      {.stop_grace = Duration(20)});
  auto parked = TestSocket::connected(server->port());
  auto half = TestSocket::connected(server->port());
  ASSERT_TRUE(half.send("GET / HT"));
  ASSERT_TRUE(parked.send(get("/")));
  const auto responder = parking.take();
  server->stop();
  EXPECT_EQ(closed.take(), 1);
  EXPECT_EQ(parked.receive_all(), "");
  EXPECT_EQ(half.receive_all(), "");
  EXPECT_FALSE(responder.send({}));
}

} // namespace
} // namespace perdure::net
