// Session: the requests of one connection, one after the other. Private to net, server's thread
// only but for `wake`.
#pragma once

#include "net/asio_config.h"

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string_view>

#include "net/connection.h"
#include "net/exchange.h"
#include "net/request_parser.h"
#include "net/server.h"

namespace perdure::net {

/// What all sessions of a server share. Outlives them.
struct SessionHost {
  ServerOptions options;
  Handler handler;
  std::shared_ptr<asio::io_context> loop; ///< shared with responders, which may outlive the server
  std::array<char, 64 * 1024> scratch{};
  std::atomic<std::uint64_t> connections_accepted = 0;
  std::atomic<std::uint64_t> connections_open = 0;
  std::atomic<std::uint64_t> connections_refused = 0;
  std::atomic<std::uint64_t> accept_failures = 0;
  std::atomic<std::uint64_t> requests = 0;
  std::atomic<std::uint64_t> requests_open = 0;
  std::atomic<std::uint64_t> requests_refused = 0;
  std::atomic<std::uint64_t> answers_undelivered = 0;

  void log_failure(std::string_view event, std::string_view what) const;
};

class Session : public std::enable_shared_from_this<Session> {
public:
  Session(tcp::socket socket, SessionHost& host);

  /// Serves until the connection ends.
  static asio::awaitable<void> serve(std::shared_ptr<Session> self);
  /// Gives one answer without reading a request.
  static asio::awaitable<void> turn_away(std::shared_ptr<Session> self, Response response);

  /// Lets the request under way finish and then closes; at once when there is none.
  void finish();
  /// Closes now.
  void abort() { connection_->close(); }

private:
  asio::awaitable<void> serve_requests();
  asio::awaitable<bool> receive(RequestParser* parser);
  asio::awaitable<Io> receive_more(RequestParser* parser);
  asio::awaitable<bool> answer(RequestParser* parser);
  asio::awaitable<std::optional<Answer>> await_answer();
  asio::awaitable<bool> write(Response response, Framing framing, bool head);
  asio::awaitable<void> linger();

  void call_handler(Request request);
  std::shared_ptr<Exchange> open_exchange();
  /// Ends the exchange as lost, whatever its callbacks throw.
  void give_up_exchange();
  void report(Responder::Delivered delivered, bool success);

  SessionHost& host_;
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<Exchange> exchange_; ///< of the request under way
  std::string peer_;
  bool idle_ = true;    ///< no byte of a request has come
  bool parked_ = false; ///< awaits an answer
  bool finishing_ = false;
  bool served_one_ = false;
};

} // namespace perdure::net
