// Client: a small blocking HTTP client for the command line and for tests.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "net/http.h"
#include "perdure/result.h"

namespace perdure::net {

struct ClientOptions {
  Duration connect_timeout{5'000};
  Duration answer_timeout{30'000}; ///< from the request's first byte to the answer's last
  std::size_t max_body_bytes = 64 * 1024 * 1024;
};

struct ClientResponse {
  int status = 0;
  Fields headers;
  std::string body;

  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const {
    return find_header(headers, name);
  }
};

/// Whether it is an address that Client takes: invalid_input says what is wrong.
[[nodiscard]] Result<void> check_base_url(std::string_view text);

/// Keeps one connection open between requests. One thread at a time.
class Client {
public:
  /// "http://host:port" or "http://host:port/prefix". A bad address is reported by request().
  explicit Client(std::string base_url, const ClientOptions& options = {});
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  /// Sends one request and waits for the answer; any status is a success here. `target` begins with
  /// a slash and is encoded by the caller (percent_encode in net/uri.h). Host, Content-Length and
  /// Connection are written by the client. Errors: invalid_input for a bad address or target,
  /// unavailable for all that the network does. A request whose bytes may have reached the server
  /// is sent again only when its method is safe to repeat (GET, HEAD, PUT, DELETE, OPTIONS).
  [[nodiscard]] Result<ClientResponse> request(std::string_view method, std::string_view target,
                                               const Fields& headers = {},
                                               std::string_view body = {});

  /// Ends the kept connection, if any.
  void close();

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace perdure::net
