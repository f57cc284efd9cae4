// Responder: the right to answer one request, once, from any thread, now or much later.
#pragma once

#include <functional>
#include <memory>

#include "net/http.h"

namespace perdure::net {

class Exchange;

/// A shared handle; all copies speak of the same request. When the last copy goes without an answer
/// the client gets a 500. Thread-safe. May outlive the server: sending then reports false.
class Responder {
public:
  /// Told true once the operating system has taken the whole answer while the client was there,
  /// false when it could not be written. Called once, on the server's thread or inside send().
  using Delivered = std::move_only_function<void(bool delivered)>;

  /// The first call is the answer; later ones do nothing. True when the client was still there and
  /// the answer is on its way; `delivered` has the last word. After false nothing reaches the
  /// client.
  bool send(Response response, Delivered delivered = {}) const;

  /// False once the client has closed its side. True may be out of date at once.
  [[nodiscard]] bool peer_connected() const;

  /// Called once, on the server's thread, when the client goes away before the answer was sent; at
  /// once on this thread if it has gone already. Not called after an answer. A client that only
  /// closes its sending side counts as gone for a request that asked for this; for others the
  /// answer is written. Must not block. A second call replaces the first.
  void on_close(std::move_only_function<void()> closed) const;

  /// A responder without a connection, for tests of handlers: the answer goes to `sink`.
  [[nodiscard]] static Responder into(std::function<void(Response)> sink);

  /// For the server.
  explicit Responder(const std::shared_ptr<Exchange>& exchange);

private:
  std::shared_ptr<Exchange> exchange_;
};

/// Answers a request or keeps the responder for later. Called on the server's thread: must not
/// block.
using Handler = std::function<void(Request, Responder)>;

} // namespace perdure::net
