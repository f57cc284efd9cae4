// Connection: one accepted socket with its input, one deadline and one pending operation at a time.
// No template, so that TLS can come inside read and write. Server's thread only. Private to net.
#pragma once

#include "net/asio_config.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"

namespace perdure::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// How a read, write or wait ended.
enum class Io {
  ok,
  end,         ///< the peer has closed its sending side
  failed,      ///< the connection is lost or closed
  timed_out,   ///< the deadline passed
  interrupted, ///< interrupt() was called
};

/// Bytes received and not yet used up.
class InputBuffer {
public:
  [[nodiscard]] std::string_view view() const { return std::string_view(bytes_).substr(start_); }
  [[nodiscard]] bool empty() const { return start_ == bytes_.size(); }
  [[nodiscard]] std::size_t size() const { return bytes_.size() - start_; }
  void append(const char* bytes, std::size_t count) { bytes_.append(bytes, count); }
  /// Drops `count` bytes from the front; gives memory back once empty.
  void consume(std::size_t count);
  void clear() { consume(size()); }

private:
  std::string bytes_;
  std::size_t start_ = 0;
};

class Connection : public std::enable_shared_from_this<Connection> {
public:
  /// `scratch` is where bytes arrive; all connections of a thread share one, so that an idle one
  /// holds none. It must outlive the connection.
  Connection(tcp::socket socket, std::span<char> scratch);

  [[nodiscard]] InputBuffer& input() { return input_; }
  /// Appends at least one byte to the input when ok.
  asio::awaitable<Io> read();
  /// Writes all of it; each piece that the peer takes moves the deadline `patience` ahead.
  asio::awaitable<Io> write(std::string_view bytes, Duration patience);
  /// Ends only when the connection is lost, the deadline passes or interrupt() is called.
  asio::awaitable<Io> wait_for_loss();
  /// Lets other connections run.
  static asio::awaitable<void> yield();

  void set_deadline(Duration from_now);
  void clear_deadline();
  /// Ends the pending operation, or the next one, with `interrupted`.
  void interrupt();
  void clear_interrupt() { interrupted_ = false; }

  /// True when the peer has closed its sending side or all, even behind unread bytes.
  [[nodiscard]] bool peer_closed();
  [[nodiscard]] std::string peer_address() const;
  /// Tells the peer that no more will come.
  void close_sending();
  /// Ends every pending operation with `failed`.
  void close();

private:
  using Clock = std::chrono::steady_clock;

  asio::awaitable<Io> wait(tcp::socket::wait_type type);
  void arm_timer();

  tcp::socket socket_;
  std::span<char> scratch_;
  InputBuffer input_;
  asio::steady_timer timer_;
  Clock::time_point deadline_ = Clock::time_point::max();
  Clock::time_point armed_ = Clock::time_point::max(); ///< when the running timer rings; max: none
  unsigned reads_in_a_row_ = 0;
  bool timed_out_ = false;
  bool interrupted_ = false;
};

} // namespace perdure::net
