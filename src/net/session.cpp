// One coroutine per connection: receive, hand over, await the answer, write it, again.
#include "net/session.h"

#include <boost/asio/post.hpp>
#include <exception>
#include <utility>

#include "net/problem.h"

namespace perdure::net {

namespace {

// Requests sent ahead of their answers are kept up to here; beyond it the client must wait.
constexpr std::size_t kMaxPipelinedBytes = 64 * 1024;
constexpr std::size_t kSmallBody = 16 * 1024;
constexpr Duration kLingerTime{2'000};

// Calls what others handed in: an exception of theirs must not end the server.
template <class Call>
void guarded(const SessionHost& host, std::string_view event, Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (const std::exception& failure) {
    host.log_failure(event, failure.what());
  }
}

} // namespace

void SessionHost::log_failure(std::string_view event, std::string_view what) const {
  if (options.log) options.log->write(LogLevel::error, event, {{"what", std::string(what)}});
}

Session::Session(tcp::socket socket, SessionHost& host)
    : host_(host),
      connection_(std::make_shared<Connection>(std::move(socket), std::span(host.scratch))),
      peer_(connection_->peer_address()) {}

asio::awaitable<void> Session::serve(std::shared_ptr<Session> self) {
  co_await self->serve_requests();
  self->give_up_exchange();
  self->connection_->close();
}

asio::awaitable<void> Session::turn_away(std::shared_ptr<Session> self, Response response) {
  self->idle_ = false;
  const Framing framing{.keep_alive = false};
  const bool written = co_await self->write(std::move(response), framing, false);
  if (written) co_await self->linger();
  self->connection_->close();
}

void Session::finish() {
  finishing_ = true;
  if (idle_) connection_->interrupt();
}

asio::awaitable<void> Session::serve_requests() {
  const RequestParser::Limits limits{.max_header_bytes = host_.options.max_header_bytes,
                                     .max_body_bytes = host_.options.max_body_bytes};
  bool keep = true;
  while (keep && !finishing_) {
    RequestParser parser(limits);
    const bool received = co_await receive(&parser);
    if (!received) co_return;
    keep = co_await answer(&parser);
    served_one_ = true;
    if (keep && !connection_->input().empty()) co_await Connection::yield();
  }
  if (exchange_) co_return; // the client is gone
  co_await linger();
}

// False when the connection ends without anything to answer.
asio::awaitable<bool> Session::receive(RequestParser* parser) {
  const auto& options = host_.options;
  const bool fresh = !served_one_ || !connection_->input().empty();
  connection_->set_deadline(fresh ? options.header_timeout : options.keep_alive_timeout);
  idle_ = true;
  for (;;) {
    const bool had_started = parser->started();
    auto& input = connection_->input();
    input.consume(parser->feed(input.view()));
    if (parser->progress() != RequestParser::Progress::need_more) break;
    idle_ = !parser->started();
    if (finishing_ && idle_) co_return false;
    if (parser->started() && !had_started) connection_->set_deadline(options.header_timeout);
    const Io io = co_await receive_more(parser);
    if (io == Io::timed_out && parser->started()) break;
    if (io != Io::ok) co_return false;
  }
  idle_ = false;
  connection_->clear_deadline();
  connection_->clear_interrupt();
  co_return true;
}

asio::awaitable<Io> Session::receive_more(RequestParser* parser) {
  const auto patience = host_.options.body_timeout;
  if (parser->header_complete()) {
    if (parser->take_awaits_continue()) {
      const Io io = co_await connection_->write("HTTP/1.1 100 Continue\r\n\r\n", patience);
      if (io != Io::ok) co_return io;
    }
    connection_->set_deadline(patience);
  }
  co_return co_await connection_->read();
}

// False when the connection must end.
asio::awaitable<bool> Session::answer(RequestParser* parser) {
  if (parser->progress() != RequestParser::Progress::complete) {
    const bool refused = parser->progress() == RequestParser::Progress::refused;
    auto response = refused ? problem(parser->refusal().status, parser->refusal().detail)
                            : problem(408, "the rest of the request did not come in time");
    ++host_.requests_refused;
    co_await write(std::move(response), Framing{.keep_alive = false}, false);
    co_return false;
  }
  auto request = parser->take_request();
  const bool head = request.method == "HEAD";
  call_handler(std::move(request));
  auto answer = co_await await_answer();
  --host_.requests_open;
  if (!answer) co_return false;
  const Framing framing{.keep_alive = parser->keep_alive() && !finishing_,
                        .name_keep_alive = parser->is_http_1_0()};
  const bool written = co_await write(std::move(answer->response), framing, head);
  if (written) exchange_ = nullptr;
  report(std::move(answer->delivered), written);
  co_return (written && framing.keep_alive);
}

void Session::call_handler(Request request) {
  request.peer = peer_;
  exchange_ = open_exchange();
  ++host_.requests;
  ++host_.requests_open;
  const Responder responder(exchange_);
  try {
    host_.handler(std::move(request), responder);
  } catch (const std::exception& failure) {
    host_.log_failure("http_handler_failed", failure.what());
    responder.send(problem(500, "a bug in the server stopped this request; its log says more"));
  }
}

std::shared_ptr<Exchange> Session::open_exchange() {
  return std::make_shared<Exchange>([weak = weak_from_this(), loop = host_.loop] {
    asio::post(*loop, [weak] {
      const auto self = weak.lock();
      if (self && self->parked_) self->connection_->interrupt();
    });
  });
}

// Empty when the client is gone.
asio::awaitable<std::optional<Answer>> Session::await_answer() {
  bool half_closed = false;
  bool lost = false;
  for (;;) {
    auto answer = exchange_->take_answer_or_watch();
    if (answer) {
      if (!answer->only_if_connected || !connection_->peer_closed()) co_return answer;
      report(std::move(answer->delivered), false);
      co_return std::nullopt;
    }
    if (exchange_->is_cut() || lost) {
      report({}, false);
      co_return std::nullopt;
    }
    const bool room = connection_->input().size() < kMaxPipelinedBytes;
    parked_ = true;
    Io io = Io::ok;
    if (room && !half_closed)
      io = co_await connection_->read();
    else
      io = co_await connection_->wait_for_loss();
    parked_ = false;
    connection_->clear_interrupt();
    lost = io == Io::failed;
    if (io == Io::end) {
      half_closed = true;
      guarded(host_, "http_on_close_failed", [&] { exchange_->peer_half_closed(); });
    }
  }
}

asio::awaitable<bool> Session::write(Response response, Framing framing, bool head) {
  auto bytes = response_head(response, framing);
  const bool has_body = !head && response.status != 204 && response.status != 304;
  const bool small = response.body.size() <= kSmallBody;
  if (has_body && small) bytes += response.body;
  const auto patience = host_.options.body_timeout;
  Io io = co_await connection_->write(bytes, patience);
  if (io == Io::ok && has_body && !small) io = co_await connection_->write(response.body, patience);
  co_return io == Io::ok;
}

// Closing with unread input would reset the connection and may destroy the answer on its way.
asio::awaitable<void> Session::linger() {
  idle_ = false;
  connection_->close_sending();
  connection_->set_deadline(kLingerTime);
  for (Io io = Io::ok; io == Io::ok;) {
    connection_->input().clear();
    io = co_await connection_->read();
  }
}

void Session::give_up_exchange() {
  const auto exchange = std::exchange(exchange_, nullptr);
  if (!exchange) return;
  guarded(host_, "http_on_close_failed", [&] { exchange->peer_gone(); });
}

void Session::report(Responder::Delivered delivered, bool success) {
  if (!success) ++host_.answers_undelivered;
  if (delivered) guarded(host_, "http_delivered_failed", [&] { delivered(success); });
}

} // namespace perdure::net
