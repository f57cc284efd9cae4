// Backend: whom a command talks to. Both kinds speak the native HTTP API, so each command is
// written once and its answers have one shape: a running server over a socket, or a folder's
// database in this process.
#pragma once

#include <string>
#include <string_view>

#include "net/client.h"
#include "perdure/result.h"

namespace perdure::cli {

class Backend {
public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// Sends one request and waits for its answer; any status is a success here. Errors: unavailable.
  [[nodiscard]] virtual Result<net::ClientResponse> request(std::string_view method,
                                                            std::string_view target,
                                                            const net::Fields& headers,
                                                            std::string_view body) = 0;
  /// Options that make another `perdure` command talk to the same place, such as "--data orders".
  [[nodiscard]] virtual std::string options() const = 0;
  /// Whether workers other than those in this process can take tasks.
  [[nodiscard]] virtual bool has_workers() const = 0;
};

} // namespace perdure::cli
