// The client against our server and against servers that misbehave.
#include "net/client.h"

#include <gtest/gtest.h>

#include <thread>

#include "net/test_server.h"

namespace perdure::net {
namespace {

TEST(Client, AsksAndKeepsItsConnection) {
  const auto server = serve(echo);
  Client client(server->url() + "/prefix/");
  for (int i = 0; i < 10; ++i) {
    const auto response = client.request("POST", "/a%20b", {{"X", "1"}}, "body");
    ASSERT_TRUE(response.has_value());
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->body, "POST /prefix/a bbody");
    EXPECT_EQ(response->header("content-type"), "text/plain");
  }
  EXPECT_EQ(server->counters().connections_accepted, 1U);
  const auto head = client.request("HEAD", "/");
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->body, "");
  EXPECT_EQ(client.request("GET", "/x")->body, "GET /prefix/x");
}

TEST(Client, ErrorAnswersAreAnswers) {
  const auto server =
      serve([](const Request&, const Responder& to) { to.send({.status = 404, .body = "no"}); });
  Client client(server->url());
  const auto response = client.request("GET", "/");
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(response->body, "no");
}

TEST(Client, CarriesLargeBodies) {
  const auto server = serve(echo);
  Client client(server->url());
  const std::string body(5'000'000, 'x');
  const auto response = client.request("PUT", "/", {}, body);
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->body.size(), body.size() + 5);
}

TEST(Client, SeesARefusalAlthoughItWasStillSending) {
  const auto server = serve(echo, {.max_body_bytes = 1'000});
  Client client(server->url());
  const auto response = client.request("POST", "/", {}, std::string(30'000'000, 'x'));
  ASSERT_TRUE(response.has_value()) << response.error().message;
  EXPECT_EQ(response->status, 413);
  EXPECT_EQ(client.request("POST", "/", {}, "small")->status, 200);
}

TEST(Client, SaysWhenNobodyListens) {
  std::string url;
  {
    const TestListener closed;
    url = closed.url();
  }
  Client client(url);
  const auto response = client.request("GET", "/");
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code, ErrorCode::unavailable);
  EXPECT_EQ(response.error().message,
            "cannot reach " + url + ": Connection refused; is `perdure serve` running?");
}

TEST(Client, RefusesBadAddressesAndRequests) {
  for (const auto* url :
       {"", "localhost:80", "https://localhost", "http://", "http://:80", "http://h:0",
        "http://h:70000", "http://h:8x", "http://u@h", "http://[::1", "http://h\r\nX: 1"}) {
    const auto response = Client(url).request("GET", "/");
    ASSERT_FALSE(response.has_value()) << url;
    EXPECT_EQ(response.error().code, ErrorCode::invalid_input) << url;
  }
  const TestListener listener;
  Client client(listener.url());
  EXPECT_EQ(client.request("GET", "no-slash").error().code, ErrorCode::invalid_input);
  EXPECT_EQ(client.request("GET", "/a b").error().code, ErrorCode::invalid_input);
  EXPECT_EQ(client.request("GET", "/", {{"A", "b\r\nC: d"}}).error().code,
            ErrorCode::invalid_input);
}

TEST(Client, GivesUpInTime) {
  const TestListener silent;
  Client client(silent.url(), {.answer_timeout = Duration(30)});
  const auto response = client.request("GET", "/");
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(response.error().message.contains("did not answer within 30 ms"));
}

// A server that answers each connection's first request with the next of `answers` and closes.
class ScriptedServer {
public:
  explicit ScriptedServer(std::vector<std::string> answers)
      : thread_([this, answers = std::move(answers)] {
          for (const auto& answer : answers) {
            auto peer = listener_.accept();
            heads_.push_back(peer.receive_to("\r\n\r\n"));
            EXPECT_TRUE(peer.send(answer));
          }
        }) {}
  ~ScriptedServer() { join(); }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  [[nodiscard]] std::string url() const { return listener_.url(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] const std::vector<std::string>& heads() const { return heads_; }

private:
  TestListener listener_;
  std::vector<std::string> heads_;
  std::thread thread_;
};

TEST(Client, ReadsEveryKindOfBody) {
  ScriptedServer server({
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
      "HTTP/1.0 200 OK\r\n\r\nto the end",
      "HTTP/1.1 204 No Content\r\n\r\n",
  });
  for (const auto* body : {"ab", "abc", "to the end", ""}) {
    Client client(server.url());
    const auto response = client.request("GET", "/");
    ASSERT_TRUE(response.has_value()) << response.error().message;
    EXPECT_EQ(response->body, body);
  }
}

TEST(Client, NamesBrokenAnswers) {
  ScriptedServer server({"SSH-2.0-OpenSSH\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab",
                         "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n", ""});
  for (int i = 0; i < 4; ++i) {
    Client client(server.url(), {.max_body_bytes = 100});
    const auto response = client.request("GET", "/");
    ASSERT_FALSE(response.has_value());
    EXPECT_EQ(response.error().code, ErrorCode::unavailable);
    EXPECT_EQ(response.error().where, server.url());
  }
}

TEST(Client, OpensANewConnectionWhenTheServerHasClosedTheOld) {
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n";
  ScriptedServer server({answer + "1", answer + "2"});
  Client client(server.url());
  EXPECT_EQ(client.request("GET", "/")->body, "1");
  EXPECT_EQ(client.request("GET", "/")->body, "2");
  server.join();
  EXPECT_EQ(server.heads()[0].substr(0, 16), "GET / HTTP/1.1\r\n");
}

// Takes a second request on a kept connection and closes without an answer.
Result<ClientResponse> ask_after_loss(const std::string& method) {
  TestListener listener;
  std::thread server([&] {
    auto first = listener.accept();
    static_cast<void>(first.receive_to("\r\n\r\n"));
    EXPECT_TRUE(first.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    static_cast<void>(first.receive_to("\r\n\r\n"));
    first.close();
    if (method == "POST") return;
    auto second = listener.accept();
    static_cast<void>(second.receive_to("\r\n\r\n"));
    EXPECT_TRUE(second.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"));
  });
  Client client(listener.url());
  EXPECT_TRUE(client.request("GET", "/").has_value());
  auto response = client.request(method, "/");
  server.join();
  return response;
}

TEST(Client, RepeatsOnlyWhatIsSafeToRepeat) {
  EXPECT_EQ(ask_after_loss("GET")->status, 201);
  const auto post = ask_after_loss("POST");
  ASSERT_FALSE(post.has_value());
  EXPECT_EQ(post.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(post.error().message.contains("closed the connection without an answer"));
}

} // namespace
} // namespace perdure::net
