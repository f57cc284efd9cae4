// Reads and writes first try, then wait: a waiting connection holds no buffer, and TLS can keep the
// same shape. The timer is re-armed only when a deadline moves closer; a ring that comes early
// sleeps on.
#include "net/connection.h"

#include <poll.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace perdure::net {

namespace {
constexpr std::size_t kKeptInput = 4 * 1024;
// A peer that always has more to read must not keep the thread from the others.
constexpr unsigned kMaxReadsInARow = 16;
} // namespace

void InputBuffer::consume(std::size_t count) {
  start_ += count;
  if (start_ < bytes_.size()) {
    if (start_ < bytes_.size() / 2) return;
    bytes_.erase(0, start_);
  } else if (bytes_.capacity() > kKeptInput) {
    bytes_ = std::string();
  } else {
    bytes_.clear();
  }
  start_ = 0;
}

Connection::Connection(tcp::socket socket, std::span<char> scratch)
    : socket_(std::move(socket)), scratch_(scratch), timer_(socket_.get_executor()) {
  error_code ignored; // a peer that is gone already shows at the first read
  socket_.non_blocking(true, ignored);
  socket_.set_option(tcp::no_delay(true), ignored);
}

asio::awaitable<Io> Connection::read() {
  if (++reads_in_a_row_ > kMaxReadsInARow) {
    reads_in_a_row_ = 0;
    co_await yield();
  }
  for (;;) {
    if (timed_out_) co_return Io::timed_out;
    error_code error;
    const std::size_t count =
        socket_.read_some(asio::buffer(scratch_.data(), scratch_.size()), error);
    if (!error) {
      input_.append(scratch_.data(), count);
      co_return Io::ok;
    }
    if (error == asio::error::eof) co_return Io::end;
    if (error != asio::error::would_block) co_return Io::failed;
    reads_in_a_row_ = 0;
    const Io waited = co_await wait(tcp::socket::wait_read);
    if (waited != Io::ok) co_return waited;
  }
}

asio::awaitable<Io> Connection::write(std::string_view bytes, Duration patience) {
  set_deadline(patience);
  while (!bytes.empty()) {
    error_code error;
    const std::size_t count = socket_.write_some(asio::buffer(bytes.data(), bytes.size()), error);
    if (!error) {
      bytes.remove_prefix(count);
      set_deadline(patience);
      continue;
    }
    if (error != asio::error::would_block) co_return Io::failed;
    const Io waited = co_await wait(tcp::socket::wait_write);
    if (waited != Io::ok) co_return waited;
  }
  co_return Io::ok;
}

asio::awaitable<Io> Connection::wait_for_loss() {
  const Io waited = co_await wait(tcp::socket::wait_error);
  co_return waited == Io::ok ? Io::failed : waited;
}

asio::awaitable<void> Connection::yield() {
  co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
}

asio::awaitable<Io> Connection::wait(tcp::socket::wait_type type) {
  if (timed_out_) co_return Io::timed_out;
  if (std::exchange(interrupted_, false)) co_return Io::interrupted;
  const auto [error] = co_await socket_.async_wait(type, asio::as_tuple(asio::use_awaitable));
  if (!error) co_return Io::ok;
  if (timed_out_) co_return Io::timed_out;
  if (std::exchange(interrupted_, false)) co_return Io::interrupted;
  co_return Io::failed;
}

void Connection::set_deadline(Duration from_now) {
  timed_out_ = false;
  deadline_ = Clock::now() + from_now;
  if (deadline_ < armed_) arm_timer();
}

void Connection::clear_deadline() {
  timed_out_ = false;
  deadline_ = Clock::time_point::max();
}

void Connection::arm_timer() {
  armed_ = deadline_;
  timer_.expires_at(deadline_);
  timer_.async_wait([weak = weak_from_this()](const error_code& error) {
    const auto self = weak.lock();
    if (!self || error) return;
    self->armed_ = Clock::time_point::max();
    if (self->deadline_ == Clock::time_point::max()) return;
    if (Clock::now() < self->deadline_) return self->arm_timer();
    self->timed_out_ = true;
    error_code ignored;
    self->socket_.cancel(ignored);
  });
}

void Connection::interrupt() {
  interrupted_ = true;
  error_code ignored;
  socket_.cancel(ignored);
}

bool Connection::peer_closed() {
  if (!socket_.is_open()) return true;
  pollfd state{.fd = socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
  return ::poll(&state, 1, 0) == 1;
}

std::string Connection::peer_address() const {
  error_code error;
  const auto endpoint = socket_.remote_endpoint(error);
  return error ? std::string() : endpoint.address().to_string();
}

void Connection::close_sending() {
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

void Connection::close() {
  error_code ignored;
  timer_.cancel();
  socket_.close(ignored);
}

} // namespace perdure::net
