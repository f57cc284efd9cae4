// The request parser: every piece size gives the same request, every limit and misuse its refusal.
#include "net/request_parser.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace perdure::net {
namespace {

constexpr RequestParser::Limits kSmall{.max_header_bytes = 512, .max_body_bytes = 64};

struct Outcome {
  int refused = 0; // status
  Request request;
  std::string rest;
  bool complete = false;
};

// Feeds `bytes` in pieces, as a connection would.
Outcome parse(std::string_view bytes, std::size_t piece) {
  RequestParser parser(kSmall);
  std::string waiting;
  while (parser.progress() == RequestParser::Progress::need_more && !bytes.empty()) {
    waiting += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    waiting.erase(0, parser.feed(waiting));
  }
  Outcome outcome;
  outcome.rest = waiting + std::string(bytes);
  outcome.complete = parser.progress() == RequestParser::Progress::complete;
  if (outcome.complete) outcome.request = parser.take_request();
  if (parser.progress() == RequestParser::Progress::refused) {
    outcome.refused = parser.refusal().status;
    EXPECT_FALSE(parser.refusal().detail.empty());
  }
  return outcome;
}

TEST(RequestParser, AnyPieceSizeGivesTheSameRequest) {
  const std::string plain =
      "\r\n\r\nPOST /a%20b?q=1 HTTP/1.1\r\nHost: h\r\nX: folded\r\n  value\r\nContent-Length: "
      "3\r\n\r\n"
      "abcGET";
  const std::string chunked =
      "POST /a%20b?q=1 HTTP/1.1\r\nHost: h\r\nX: folded value\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "1;name=value\r\na\r\n02\r\nbc\r\n0\r\nX-Trailer: 1\r\nHost: other\r\n\r\nGET";
  for (std::size_t piece = 1; piece < 240; ++piece) {
    for (const auto& bytes : {plain, chunked}) {
      const auto outcome = parse(bytes, piece);
      ASSERT_TRUE(outcome.complete) << piece << outcome.refused;
      EXPECT_EQ(outcome.request.method, "POST");
      EXPECT_EQ(outcome.request.target, "/a%20b?q=1");
      EXPECT_EQ(outcome.request.path, "/a b");
      EXPECT_EQ(outcome.request.query("q"), "1");
      EXPECT_EQ(outcome.request.header("x"), "folded value");
      EXPECT_EQ(outcome.request.header("host"), "h");
      EXPECT_EQ(outcome.request.header("x-trailer"), std::nullopt);
      EXPECT_EQ(outcome.request.headers.size(), 3U);
      EXPECT_EQ(outcome.request.body, "abc");
      EXPECT_EQ(outcome.rest, "GET");
    }
  }
}

TEST(RequestParser, EmptyChunkedBodyByteByByte) {
  const auto* bytes = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  for (std::size_t piece = 1; piece < 70; ++piece)
    EXPECT_TRUE(parse(bytes, piece).complete);
}

struct Misuse {
  int status;
  std::string bytes;
};

std::vector<Misuse> misuses() {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\n";
  return {
      {400, "GET / HTTP/1.1\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
      {400, "GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n"},
      {400, "GET a HTTP/1.1\r\nHost: h\r\n\r\n"},
      {400, "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n"},
      {400, "G(T / HTTP/1.1\r\nHost: h\r\n\r\n"},
      {400, "GET / HTTX/1.1\r\nHost: h\r\n\r\n"},
      {400, "GET / HTTP/1.1\nHost: h\n\n\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost : h\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost: h\r\nX: a\x01\r\n\r\n"},
      {400, std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + "\r\n\r\n"},
      {400, head + "Content-Length: -1\r\n\r\n"},
      {400, head + "Content-Length: 1x\r\n\r\n"},
      {400, head + "Content-Length: 99999999999999999999\r\n\r\n"},
      {400, head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"},
      {400, head + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {400, head + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n"},
      {400, head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {400, head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n\r\n"},
      {400, head + "Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n"},
      {400, head + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(600, 'a')},
      {400, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {413, head + "Content-Length: 65\r\n\r\n"},
      {413, head + "Content-Length: 65\r\nExpect: 100-continue\r\n\r\n"},
      {413, head + "Transfer-Encoding: chunked\r\n\r\n41\r\n" + std::string(65, 'a')},
      {413, head + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffe\r\nabc"},
      {417, head + "Expect: miracles\r\n\r\n"},
      {431, "GET /" + std::string(600, 'a')},
      {431, "GET /" + std::string(600, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n"},
      {431, head + "X: " + std::string(600, 'a')},
      {431, "GET /" + std::string(300, 'a') +
                " HTTP/1.1\r\nHost: h\r\nX: " + std::string(300, 'a') + "\r\n\r\n"},
      {501, "CONNECT example.org:443 HTTP/1.1\r\nHost: h\r\n\r\n"},
      {501, head + "Transfer-Encoding: gzip\r\n\r\n"},
      {501, head + "Transfer-Encoding: gzip, chunked\r\n\r\n"},
      {505, "GET / HTTP/2.0\r\nHost: h\r\n\r\n"},
      {505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
  };
}

TEST(RequestParser, MisuseIsRefusedWithItsStatus) {
  for (const auto& [status, bytes] : misuses()) {
    for (const std::size_t piece : {1UL, 7UL, 10'000UL}) {
      EXPECT_EQ(parse(bytes, piece).refused, status) << piece << ": " << bytes;
    }
  }
}

TEST(RequestParser, ContinueIsAskedForOnceAndOnlyBeforeTheBody) {
  const std::string head =
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";
  RequestParser waiting(kSmall);
  EXPECT_EQ(waiting.feed(head), head.size());
  EXPECT_TRUE(waiting.take_awaits_continue());
  EXPECT_FALSE(waiting.take_awaits_continue());
  RequestParser sending(kSmall);
  EXPECT_EQ(sending.feed(head + "a"), head.size() + 1);
  EXPECT_FALSE(sending.take_awaits_continue());
}

TEST(RequestParser, KeepAliveFollowsVersionAndConnection) {
  const auto keeps = [](std::string_view bytes) {
    RequestParser parser(kSmall);
    EXPECT_EQ(parser.feed(bytes), bytes.size());
    EXPECT_EQ(parser.progress(), RequestParser::Progress::complete);
    return parser.keep_alive();
  };
  EXPECT_TRUE(keeps("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(keeps("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

} // namespace
} // namespace perdure::net
