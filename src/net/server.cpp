// Listening, admitting and stopping; what happens on a connection is in session.cpp.
#include "net/server.h"

#include "net/asio_config.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "base/check.h"
#include "net/problem.h"
#include "net/session.h"

namespace perdure::net {

namespace {
constexpr Duration kAcceptPause{100};
// Clients above the limit who may still be told so; beyond that they are just disconnected.
constexpr std::size_t kMaxTurnedAway = 256;

std::string host_text(const asio::ip::address& address) {
  return address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
}
} // namespace

class Server::Impl {
public:
  Impl(ServerOptions options, Handler handler)
      : loop_(std::make_shared<asio::io_context>(1)),
        acceptor_(*loop_),
        pause_(*loop_),
        grace_(*loop_) {
    host_.options = std::move(options);
    host_.handler = std::move(handler);
    host_.loop = loop_;
  }

  Result<void> open() {
    const auto& options = host_.options;
    const auto where = options.host + ":" + std::to_string(options.port);
    error_code error;
    tcp::resolver resolver(*loop_);
    const auto found =
        resolver.resolve(options.host, std::to_string(options.port), tcp::resolver::passive, error);
    if (error || found.empty()) {
      return fail(ErrorCode::invalid_input,
                  "'" + options.host + "' is no address to listen on; give one such as 127.0.0.1",
                  where);
    }
    const auto endpoint = found.begin()->endpoint();
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) endpoint_ = acceptor_.local_endpoint(error);
    if (error) {
      return fail(ErrorCode::unavailable,
                  "cannot listen on " + where + ": " + error.message() +
                      "; choose another address or port, or stop the program that has it",
                  where);
    }
    return {};
  }

  void start() {
    asio::co_spawn(*loop_, accept_connections(), [this](const std::exception_ptr& failure) {
      if (failure) ended_by("http_accept_failed", failure);
    });
    thread_ = std::thread([this] { loop_->run(); });
    thread_id_ = thread_.get_id();
  }

  void stop() {
    PERDURE_CHECK(std::this_thread::get_id() != thread_id_);
    const std::lock_guard lock(stop_mutex_);
    if (!thread_.joinable()) return;
    asio::post(*loop_, [this] { begin_stop(); });
    thread_.join();
  }

  const tcp::endpoint& endpoint() const { return endpoint_; }
  const SessionHost& host() const { return host_; }

private:
  asio::awaitable<void> accept_connections() {
    while (acceptor_.is_open()) {
      auto [error, socket] = co_await acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
      if (!acceptor_.is_open()) co_return;
      if (!error) {
        admit(std::move(socket));
      } else if (error != asio::error::connection_aborted) {
        // Out of descriptors or memory: the client stays queued, and trying at once would only
        // spin.
        ++host_.accept_failures;
        host_.log_failure("http_accept_failed", error.message());
        pause_.expires_after(kAcceptPause);
        co_await pause_.async_wait(asio::as_tuple(asio::use_awaitable));
      }
    }
  }

  void admit(tcp::socket socket) {
    ++host_.connections_accepted;
    const auto limit = host_.options.max_connections;
    const bool over = sessions_.size() >= limit;
    if (over) ++host_.connections_refused;
    if (sessions_.size() >= limit + kMaxTurnedAway) return;
    const auto session = std::make_shared<Session>(std::move(socket), host_);
    sessions_.insert(session);
    ++host_.connections_open;
    auto life =
        over ? Session::turn_away(session, too_many_connections()) : Session::serve(session);
    asio::co_spawn(*loop_, std::move(life), [this, session](const std::exception_ptr& failure) {
      if (failure) ended_by("http_session_failed", failure);
      session->abort();
      sessions_.erase(session);
      --host_.connections_open;
      if (sessions_.empty()) grace_.cancel();
    });
  }

  static Response too_many_connections() {
    auto response =
        problem(503, "the server has all the connections it may hold; try again shortly");
    response.headers.emplace_back("Retry-After", "1");
    return response;
  }

  void ended_by(std::string_view event, const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& known) {
      host_.log_failure(event, known.what());
    }
  }

  void begin_stop() {
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    for (const auto& session : sessions_)
      session->finish();
    if (sessions_.empty()) return;
    grace_.expires_after(host_.options.stop_grace);
    grace_.async_wait([this](const error_code& error) {
      if (error) return;
      for (const auto& session : sessions_)
        session->abort();
    });
  }

  std::shared_ptr<asio::io_context> loop_;
  SessionHost host_;
  tcp::acceptor acceptor_;
  tcp::endpoint endpoint_;
  asio::steady_timer pause_;
  asio::steady_timer grace_;
  std::set<std::shared_ptr<Session>> sessions_; ///< server's thread only
  std::mutex stop_mutex_;
  std::thread thread_;
  std::thread::id thread_id_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() { stop(); }

Result<std::unique_ptr<Server>> Server::listen(ServerOptions options, Handler handler) {
  auto impl = std::make_unique<Impl>(std::move(options), std::move(handler));
  if (auto opened = impl->open(); !opened) return std::unexpected(std::move(opened.error()));
  impl->start();
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::uint16_t Server::port() const { return impl_->endpoint().port(); }

std::string Server::url() const {
  auto address = impl_->endpoint().address();
  // Nobody can connect to "any address"; its loopback names the same server.
  if (address == asio::ip::address_v4::any()) address = asio::ip::address_v4::loopback();
  if (address == asio::ip::address_v6::any()) address = asio::ip::address_v6::loopback();
  return "http://" + host_text(address) + ":" + std::to_string(port());
}

void Server::stop() { impl_->stop(); }

ServerCounters Server::counters() const {
  const auto& host = impl_->host();
  return {
      .connections_accepted = host.connections_accepted,
      .connections_open = host.connections_open,
      .connections_refused = host.connections_refused,
      .accept_failures = host.accept_failures,
      .requests = host.requests,
      .requests_open = host.requests_open,
      .requests_refused = host.requests_refused,
      .answers_undelivered = host.answers_undelivered,
  };
}

} // namespace perdure::net
