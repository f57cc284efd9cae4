// Exchange: what a connection and the responders of one request know of each other. Private to net.
//
//   responder side (any thread)        session side (server's thread)
//   send, abandon, on_close      -->   take_answer_or_watch, is_cut      (woken by `wake`)
//   peer_connected               <--   peer_half_closed, peer_gone
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "net/responder.h"

namespace perdure::net {

/// An answer that waits to be written.
struct Answer {
  Response response;
  Responder::Delivered delivered;
  bool only_if_connected = false; ///< on_close was asked for: a closed connection must get nothing
};

/// Thread-safe. Callbacks run without the lock.
class Exchange {
public:
  /// `wake` tells the session, on any thread, that something has happened while it was watching.
  explicit Exchange(std::function<void()> wake) : wake_(std::move(wake)) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  bool send(Response response, Responder::Delivered delivered);
  /// Answers 500 when nobody has answered.
  void abandon();
  [[nodiscard]] bool peer_connected() const;
  void on_close(std::move_only_function<void()> closed);

  /// The answer; without one, the next event calls `wake` once.
  [[nodiscard]] std::optional<Answer> take_answer_or_watch();
  /// True when no answer can be written any more.
  [[nodiscard]] bool is_cut() const;
  /// The client has closed its sending side. Cuts the exchange if on_close was asked for.
  void peer_half_closed();
  /// The connection is lost. An answer that was not taken is reported as not delivered.
  void peer_gone();

private:
  enum class Peer { connected, half_closed, gone };

  const std::function<void()> wake_;
  mutable std::mutex mutex_;
  Peer peer_ = Peer::connected;
  bool answered_ = false;
  bool watched_ = false;
  bool close_wanted_ = false;
  std::move_only_function<void()> closed_;
  std::optional<Answer> answer_;
};

} // namespace perdure::net
