// ResponseParser: the bytes of one HTTP/1.x answer -> ClientResponse. For the client.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "net/client.h"

namespace perdure::net {

class ResponseParser {
public:
  enum class Progress { need_more, complete, broken };

  /// `head`: the answer to a HEAD request, which has no body whatever it announces.
  ResponseParser(std::size_t max_body_bytes, bool head);
  ~ResponseParser();
  ResponseParser(const ResponseParser&) = delete;
  ResponseParser& operator=(const ResponseParser&) = delete;

  /// Reads from the front of `input` and returns how many bytes it has used up. Skips interim
  /// answers.
  [[nodiscard]] std::size_t feed(std::string_view input);
  /// The peer has closed: completes an answer that ends there.
  void end();

  [[nodiscard]] Progress progress() const;
  [[nodiscard]] bool keep_alive() const;
  [[nodiscard]] ClientResponse take_response();
  /// When broken: what is wrong with the answer.
  [[nodiscard]] const std::string& reason() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  std::size_t max_body_bytes_;
  bool head_;
};

} // namespace perdure::net
