// Server: HTTP/1.1 over TCP on one thread of its own. Knows nothing of what it serves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/time.h"
#include "net/responder.h"
#include "perdure/result.h"

namespace perdure::net {

struct ServerOptions {
  std::string host = "127.0.0.1"; ///< address or name to listen on
  std::uint16_t port = 0;         ///< 0: any free port
  std::size_t max_header_bytes = 16 * 1024;
  std::size_t max_body_bytes = 16 * 1024 * 1024;
  std::size_t max_connections = 10'000; ///< above it a client gets 503
  Duration header_timeout{10'000};      ///< for a whole request head
  Duration body_timeout{30'000}; ///< without a byte of the body, or without one taken of the answer
  Duration keep_alive_timeout{75'000}; ///< between two requests
  Duration stop_grace{5'000};          ///< how long stop() waits for answers
  Log* log = nullptr;                  ///< not owned; outlives the server
};

struct ServerCounters {
  std::uint64_t connections_accepted = 0;
  std::uint64_t connections_open = 0;
  std::uint64_t connections_refused = 0; ///< over max_connections
  std::uint64_t accept_failures = 0;     ///< for want of file descriptors or memory
  std::uint64_t requests = 0;            ///< handed to the handler
  std::uint64_t requests_open = 0;       ///< of these, not yet answered
  std::uint64_t requests_refused = 0;    ///< answered 4xx or 5xx for breaking the protocol
  std::uint64_t answers_undelivered = 0; ///< the client was gone
};

class Server {
public:
  /// Binds and starts to serve. An exception that leaves the handler is answered with 500 and
  /// logged. Errors: invalid_input for a host that is none, unavailable when the address cannot be
  /// had.
  [[nodiscard]] static Result<std::unique_ptr<Server>> listen(ServerOptions options,
                                                              Handler handler);
  /// Stops as stop() does.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  /// "http://127.0.0.1:8080"
  [[nodiscard]] std::string url() const;

  /// Stops to accept, closes idle connections, gives requests under way the grace time, then closes
  /// what is left (their on_close is called). Returns when all is over. May be called again, from
  /// any thread but the server's own.
  void stop();

  /// Thread-safe.
  [[nodiscard]] ServerCounters counters() const;

private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace perdure::net
