// The blocking client: each step is started asynchronously and the loop run until it is done or
// late.
#include "net/client.h"

#include "net/asio_config.h"

#include <poll.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <charconv>
#include <chrono>
#include <utility>

#include "net/response_parser.h"

namespace perdure::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

using Clock = std::chrono::steady_clock;

struct BaseUrl {
  std::string host;
  std::uint16_t port = 80;
  std::string authority; // as the Host field wants it
  std::string prefix;    // of every path, without trailing slash
};

Result<BaseUrl> parse_base_url(std::string_view text) {
  const auto refuse = [&] {
    return fail(ErrorCode::invalid_input,
                "'" + std::string(text) + "' is no server address; write it as http://host:port");
  };
  constexpr std::string_view kScheme = "http://";
  if (!text.starts_with(kScheme)) return refuse();
  auto rest = text.substr(kScheme.size());
  const auto slash = std::min(rest.find('/'), rest.size());
  BaseUrl url;
  url.prefix = rest.substr(slash);
  while (url.prefix.ends_with('/'))
    url.prefix.pop_back();
  rest = rest.substr(0, slash);
  url.authority = rest;
  const bool clean = (url.authority + url.prefix).find_first_of(" \r\n\t@?#") == std::string::npos;
  auto colon = rest.rfind(':');
  if (rest.starts_with('[')) {
    const auto bracket = rest.find(']');
    if (bracket == std::string_view::npos) return refuse();
    url.host = rest.substr(1, bracket - 1);
    if (colon < bracket) colon = std::string_view::npos;
  } else {
    url.host = rest.substr(0, colon);
  }
  if (url.host.empty() || !clean) return refuse();
  if (colon == std::string_view::npos) return url;
  const auto digits = rest.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), url.port);
  if (error != std::errc() || end != digits.data() + digits.size() || url.port == 0)
    return refuse();
  return url;
}

bool may_repeat(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" ||
         method == "OPTIONS";
}

bool breaks_lines(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

std::string request_text(std::string_view method, const BaseUrl& url, std::string_view target,
                         const Fields& headers, std::string_view body) {
  std::string out;
  out.append(method).append(" ").append(url.prefix).append(target).append(" HTTP/1.1\r\nHost: ");
  out.append(url.authority).append("\r\n");
  for (const auto& [name, value] : headers) {
    out.append(name).append(": ").append(value).append("\r\n");
  }
  if (!body.empty() || method == "POST" || method == "PUT" || method == "PATCH") {
    out.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
  }
  out.append("\r\n").append(body);
  return out;
}

} // namespace

Result<void> check_base_url(std::string_view text) {
  const auto url = parse_base_url(text);
  if (!url) return std::unexpected(url.error());
  return {};
}

class Client::Impl {
public:
  Impl(std::string base_url, const ClientOptions& options)
      : base_url_(std::move(base_url)), options_(options), url_(parse_base_url(base_url_)) {}

  Result<ClientResponse> request(std::string_view method, std::string_view target,
                                 const Fields& headers, std::string_view body) {
    if (!url_) return std::unexpected(url_.error());
    if (auto checked = check(method, target, headers); !checked) {
      return std::unexpected(checked.error());
    }
    const auto text = request_text(method, *url_, target, headers, body);
    if (socket_.is_open() && peer_closed()) close();
    const bool reused = socket_.is_open();
    if (!reused) {
      if (auto connected = connect(); !connected) return std::unexpected(connected.error());
    }
    Attempt attempt = exchange(text, method == "HEAD");
    if (!attempt.response && reused && attempt.nothing_received && may_repeat(method)) {
      if (auto connected = connect(); !connected) return std::unexpected(connected.error());
      attempt = exchange(text, method == "HEAD");
    }
    return std::move(attempt.response);
  }

  void close() {
    error_code ignored;
    socket_.close(ignored);
  }

private:
  struct Attempt {
    Result<ClientResponse> response;
    bool nothing_received = false; ///< and not for want of time
  };

  static Result<void> check(std::string_view method, std::string_view target,
                            const Fields& headers) {
    bool broken = method.empty() || method.contains(' ') || breaks_lines(method);
    broken = broken || !target.starts_with('/') || target.contains(' ') || breaks_lines(target);
    for (const auto& [name, value] : headers) {
      broken = broken || name.empty() || breaks_lines(name) || breaks_lines(value);
    }
    if (!broken) return {};
    return fail(ErrorCode::invalid_input,
                "the request for '" + std::string(target) +
                    "' has a space or line break where none may be; encode it");
  }

  std::unexpected<Error> lost(const std::string& what) {
    close();
    return fail(ErrorCode::unavailable, what, base_url_);
  }

  Result<void> connect() {
    close();
    const auto unreachable = [&](const error_code& error) {
      return lost("cannot reach " + base_url_ + ": " + error.message() +
                  "; is `perdure serve` running?");
    };
    error_code error;
    tcp::resolver resolver(loop_);
    const auto found = resolver.resolve(url_->host, std::to_string(url_->port), error);
    if (error) return unreachable(error);
    const auto deadline = Clock::now() + options_.connect_timeout;
    error = asio::error::host_not_found;
    for (const auto& entry : found) {
      close();
      error = run(deadline, [&](auto done) { socket_.async_connect(entry.endpoint(), done); });
      if (!error || error == asio::error::timed_out) break;
    }
    if (error) return unreachable(error);
    socket_.set_option(tcp::no_delay(true), error);
    return {};
  }

  // Sends the request and reads its answer; closes the connection unless it can be used again.
  Attempt exchange(std::string_view text, bool head) {
    const auto deadline = Clock::now() + options_.answer_timeout;
    for (auto rest = text; !rest.empty();) {
      std::size_t count = 0;
      const auto error = run(deadline, [&](auto done) {
        socket_.async_write_some(asio::buffer(rest.data(), rest.size()),
                                 [&count, done](const error_code& result, std::size_t taken) {
                                   count = taken;
                                   done(result);
                                 });
      });
      rest.remove_prefix(count);
      // A server may refuse early and stop reading; its answer is then still there to be read.
      if (error == asio::error::timed_out) return {late(), false};
      if (error) break;
    }
    return read_answer(deadline, head);
  }

  Attempt read_answer(Clock::time_point deadline, bool head) {
    ResponseParser parser(options_.max_body_bytes, head);
    std::string input;
    bool nothing_received = true;
    while (parser.progress() == ResponseParser::Progress::need_more) {
      std::size_t count = 0;
      const auto error = run(deadline, [&](auto done) {
        socket_.async_read_some(asio::buffer(scratch_),
                                [&count, done](const error_code& result, std::size_t taken) {
                                  count = taken;
                                  done(result);
                                });
      });
      if (error == asio::error::timed_out) return {late(), false};
      if (error && nothing_received) {
        return {lost("the server at " + base_url_ + " closed the connection without an answer (" +
                     error.message() + "); look into its log and try again"),
                true};
      }
      if (error) {
        parser.end();
        continue;
      }
      nothing_received = false;
      input.append(scratch_.data(), count);
      input.erase(0, parser.feed(input));
    }
    if (parser.progress() == ResponseParser::Progress::broken) {
      return {lost("the server at " + base_url_ +
                   " sent an answer that is no HTTP: " + parser.reason() + "; check the address"),
              false};
    }
    if (!parser.keep_alive() || !input.empty()) close();
    return {parser.take_response(), false};
  }

  std::unexpected<Error> late() {
    return lost("the server at " + base_url_ + " did not answer within " +
                std::to_string(options_.answer_timeout.count()) +
                " ms; try again or allow more time");
  }

  // Runs one operation to its end. Late: closes the socket and gives timed_out.
  template <class Start>
  error_code run(Clock::time_point deadline, Start start) {
    error_code result;
    start([&result](const error_code& error) { result = error; });
    loop_.restart();
    loop_.run_until(deadline);
    if (loop_.stopped()) return result;
    close();
    loop_.run();
    return asio::error::timed_out;
  }

  bool peer_closed() {
    pollfd state{.fd = socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&state, 1, 0) == 1;
  }

  std::string base_url_;
  ClientOptions options_;
  Result<BaseUrl> url_;
  asio::io_context loop_{1};
  tcp::socket socket_{loop_};
  std::array<char, 16 * 1024> scratch_{};
};

Client::Client(std::string base_url, const ClientOptions& options)
    : impl_(std::make_unique<Impl>(std::move(base_url), options)) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Result<ClientResponse> Client::request(std::string_view method, std::string_view target,
                                       const Fields& headers, std::string_view body) {
  return impl_->request(method, target, headers, body);
}

void Client::close() { impl_->close(); }

} // namespace perdure::net
