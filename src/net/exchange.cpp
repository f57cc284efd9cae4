// Exchange and Responder. Every transition is taken under the lock and its callbacks are called
// after.
#include "net/exchange.h"

#include <utility>

#include "net/problem.h"

namespace perdure::net {

bool Exchange::send(Response response, Responder::Delivered delivered) {
  std::move_only_function<void()> closed; // destroyed after the lock: it may own a responder
  bool reachable = false;
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (answered_) return false;
    answered_ = true;
    closed = std::exchange(closed_, {});
    reachable = peer_ != Peer::gone;
    if (reachable) {
      answer_.emplace(std::move(response), std::move(delivered), close_wanted_);
      wake = std::exchange(watched_, false);
    }
  }
  if (wake) wake_();
  if (!reachable && delivered) delivered(false);
  return reachable;
}

void Exchange::abandon() {
  {
    const std::lock_guard lock(mutex_);
    if (answered_) return;
  }
  send(problem(500, "the server dropped this request without an answer; its log says why"), {});
}

bool Exchange::peer_connected() const {
  const std::lock_guard lock(mutex_);
  return peer_ == Peer::connected;
}

void Exchange::on_close(std::move_only_function<void()> closed) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (answered_) return;
    close_wanted_ = true;
    if (peer_ == Peer::connected) {
      std::swap(closed_, closed);
      return;
    }
    peer_ = Peer::gone;
    wake = std::exchange(watched_, false);
  }
  if (wake) wake_();
  if (closed) closed();
}

std::optional<Answer> Exchange::take_answer_or_watch() {
  const std::lock_guard lock(mutex_);
  watched_ = !answer_ && peer_ != Peer::gone;
  return std::exchange(answer_, std::nullopt);
}

bool Exchange::is_cut() const {
  const std::lock_guard lock(mutex_);
  return peer_ == Peer::gone;
}

void Exchange::peer_half_closed() {
  std::move_only_function<void()> closed;
  {
    const std::lock_guard lock(mutex_);
    if (peer_ != Peer::connected) return;
    peer_ = close_wanted_ ? Peer::gone : Peer::half_closed;
    closed = std::exchange(closed_, {});
  }
  if (closed) closed();
}

void Exchange::peer_gone() {
  std::move_only_function<void()> closed;
  std::optional<Answer> answer;
  {
    const std::lock_guard lock(mutex_);
    peer_ = Peer::gone;
    watched_ = false;
    closed = std::exchange(closed_, {});
    answer = std::exchange(answer_, std::nullopt);
  }
  if (closed) closed();
  if (answer && answer->delivered) answer->delivered(false);
}

// The handle's deleter, not the exchange's: the session holds the exchange as well.
Responder::Responder(const std::shared_ptr<Exchange>& exchange)
    : exchange_(exchange.get(), [exchange](Exchange*) { exchange->abandon(); }) {}

bool Responder::send(Response response, Delivered delivered) const {
  return exchange_->send(std::move(response), std::move(delivered));
}

bool Responder::peer_connected() const { return exchange_->peer_connected(); }

void Responder::on_close(std::move_only_function<void()> closed) const {
  exchange_->on_close(std::move(closed));
}

Responder Responder::into(std::function<void(Response)> sink) {
  const auto holder = std::make_shared<std::weak_ptr<Exchange>>();
  auto exchange = std::make_shared<Exchange>([holder, sink = std::move(sink)] {
    const auto self = holder->lock();
    auto answer = self ? self->take_answer_or_watch() : std::nullopt;
    if (!answer) return;
    sink(std::move(answer->response));
    if (answer->delivered) answer->delivered(true);
  });
  *holder = exchange;
  static_cast<void>(exchange->take_answer_or_watch());
  return Responder(exchange);
}

} // namespace perdure::net
