// RequestParser: the bytes of one HTTP/1.x request -> Request. Takes them in pieces of any size and
// never more than its limits into memory. No sockets, so that it can be fuzzed.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "net/http.h"

namespace perdure::net {

/// Why a request cannot be taken, in terms of an answer.
struct Refusal {
  int status = 400;
  std::string detail;
};

class RequestParser {
public:
  struct Limits {
    std::size_t max_header_bytes = 16 * 1024;
    std::size_t max_body_bytes = 16 * 1024 * 1024;
  };
  enum class Progress { need_more, complete, refused };

  explicit RequestParser(const Limits& limits);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  /// Reads from the front of `input` and returns how many bytes it has used up. The caller gives
  /// the rest again, with more behind it. Not to be called once complete or refused.
  [[nodiscard]] std::size_t feed(std::string_view input);

  [[nodiscard]] Progress progress() const;
  /// True from the first byte on; empty lines before a request do not count.
  [[nodiscard]] bool started() const;
  [[nodiscard]] bool header_complete() const;
  /// True, once, when the client waits for "100 Continue" before it sends the body.
  [[nodiscard]] bool take_awaits_continue();

  /// When complete.
  [[nodiscard]] bool keep_alive() const;
  [[nodiscard]] bool is_http_1_0() const;
  [[nodiscard]] Request take_request();
  /// When refused.
  [[nodiscard]] const Refusal& refusal() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace perdure::net
