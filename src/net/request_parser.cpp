// RequestParser on Beast's basic_parser: fields go straight into the Request, and what the parser
// lets through although a server must not (unknown encodings, no Host) is refused here.
#include "net/request_parser.h"

#include "net/asio_config.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cstdint>
#include <optional>
#include <utility>

#include "net/uri.h"

namespace perdure::net {

namespace beast = boost::beast;
using beast::error_code;

namespace {

// Memory for a body is promised by its bytes, not by what the client announces.
constexpr std::uint64_t kFirstBodyReserve = 64 * 1024;
// No rest of a chunked body is shorter ("0", two line ends); the parser asserts on a shorter one.
constexpr std::size_t kShortestChunkedRest = 5;

// "GET /path HTTP/2.0": well formed but for the version it names.
bool speaks_other_version(std::string_view line) {
  for (int spaces = 0; spaces < 2; ++spaces) {
    line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1);
    if (line.empty()) return false;
  }
  const auto digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  return line.size() == 8 && line.starts_with("HTTP/") && digit(line[5]) && line[6] == '.' &&
         digit(line[7]);
}

} // namespace

class RequestParser::Impl final : private beast::http::basic_parser<true> {
public:
  explicit Impl(const Limits& limits) : limits_(limits) {
    header_limit(static_cast<std::uint32_t>(limits.max_header_bytes));
    body_limit(limits.max_body_bytes);
  }

  std::size_t feed(std::string_view input) {
    std::size_t used = 0;
    if (!started_) {
      used = std::min(input.find_first_not_of("\r\n"), input.size());
      started_ = used < input.size();
    }
    if (started_ && !header_complete_) {
      const auto taken = parse(input.substr(used));
      used += taken;
      header_bytes_ += taken;
      eager(header_complete_);
    }
    if (header_complete_ && progress() == Progress::need_more) used += parse(input.substr(used));
    if (progress() != Progress::refused) check_growth(input.size() - used);
    return used;
  }

  Progress progress() const {
    if (refusal_) return Progress::refused;
    return is_done() ? Progress::complete : Progress::need_more;
  }
  bool started() const { return started_; }
  bool header_complete() const { return header_complete_; }
  bool take_awaits_continue() {
    return std::exchange(expects_continue_, false) && request_.body.empty() && !is_done();
  }
  bool keep_alive() const { return basic_parser::keep_alive(); }
  bool is_http_1_0() const { return version_ == 10; }
  Request take_request() { return std::move(request_); }
  const Refusal& refusal() const { return *refusal_; }

private:
  std::size_t parse(std::string_view bytes) {
    if (bytes.empty() || (chunked_ && bytes.size() < kShortestChunkedRest)) return 0;
    if (!request_line_) first_line_ = bytes.substr(0, bytes.find("\r\n"));
    error_code error;
    const auto taken = put(boost::asio::buffer(bytes.data(), bytes.size()), error);
    if (!refusal_ && error && error != beast::http::error::need_more) refuse(error);
    first_line_ = {};
    return taken;
  }

  // The parser bounds request line and fields one by one and a chunk's own line not at all.
  void check_growth(std::size_t waiting) {
    const auto head = header_bytes_ + (header_complete_ ? 0 : waiting);
    if (head > limits_.max_header_bytes) {
      refuse(beast::http::error::header_limit);
    } else if (chunked_ && !is_done() && waiting > limits_.max_header_bytes) {
      refuse(400, "a chunk's size line or trailer is too long; send chunks without extensions");
    }
  }

  void refuse(int status, std::string detail) { refusal_.emplace(status, std::move(detail)); }

  void refuse(const error_code& error) {
    using beast::http::error;
    if (error == error::header_limit) {
      refuse(431, "the request line and header fields exceed the limit of " +
                      std::to_string(limits_.max_header_bytes) +
                      " bytes; send fewer or shorter ones");
    } else if (error == error::body_limit) {
      refuse(413, "the request body exceeds the limit of " +
                      std::to_string(limits_.max_body_bytes) + " bytes; send it in smaller parts");
    } else if (error == error::bad_version && speaks_other_version(first_line_)) {
      refuse(505,
             "this server speaks HTTP/1.1 and HTTP/1.0 only; send the request in one of these");
    } else {
      refuse(400, "the bytes received are no HTTP/1.1 request: " + error.message());
    }
  }

  // Stops the parser from inside a callback.
  void stop(error_code& error, int status, std::string detail) {
    refuse(status, std::move(detail));
    error = beast::http::error::bad_value;
  }

  void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target,
                       int version, error_code& error) override {
    request_line_ = true;
    version_ = version;
    request_.method = method;
    if (method == "CONNECT") {
      return stop(error, 501, "this server is no proxy; send the request to its own path");
    }
    auto parsed = net::parse_target({target.data(), target.size()});
    if (!parsed) return stop(error, 400, std::move(parsed.error().message));
    request_.target = std::move(parsed->origin_form);
    request_.path = std::move(parsed->path);
    request_.query_parameters = std::move(parsed->query);
  }

  void on_field_impl(beast::http::field name, beast::string_view name_text,
                     beast::string_view value, error_code& error) override {
    using beast::http::field;
    if (header_complete_) return; // a trailer must not pass for a header
    if (name == field::transfer_encoding && !beast::iequals(value, "chunked")) {
      return stop(error, 501, "this server knows no transfer encoding but chunked; send it plain");
    }
    if (name == field::transfer_encoding && version_ == 10) {
      return stop(error, 400, "HTTP/1.0 has no transfer encoding; send a Content-Length");
    }
    if (name == field::expect) {
      if (!beast::iequals(value, "100-continue")) {
        return stop(error, 417, "this server knows no expectation but 100-continue; leave it out");
      }
      expects_continue_ = version_ == 11;
    }
    if (name == field::host) ++hosts_;
    request_.headers.emplace_back(name_text, value);
  }

  void on_header_impl(error_code& error) override {
    header_complete_ = true;
    chunked_ = chunked();
    const bool host_missing = hosts_ == 0 && version_ == 11;
    if (host_missing || hosts_ > 1) stop(error, 400, "an HTTP/1.1 request needs one Host field");
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) override {
    request_.body.reserve(std::min(length.value_or(0), kFirstBodyReserve));
  }
  std::size_t on_body_impl(beast::string_view body, error_code&) override {
    request_.body.append(body.data(), body.size());
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body, error_code&) override {
    request_.body.append(body.data(), body.size());
    return body.size();
  }
  void on_finish_impl(error_code&) override {}
  void on_response_impl(int, beast::string_view, int, error_code&) override {}

  const Limits limits_;
  Request request_;
  std::optional<Refusal> refusal_;
  std::string_view first_line_; // only while put() runs
  std::size_t header_bytes_ = 0;
  int version_ = 11;
  int hosts_ = 0;
  bool started_ = false;
  bool request_line_ = false;
  bool header_complete_ = false;
  bool chunked_ = false;
  bool expects_continue_ = false;
};

RequestParser::RequestParser(const Limits& limits) : impl_(std::make_unique<Impl>(limits)) {}
RequestParser::~RequestParser() = default;
std::size_t RequestParser::feed(std::string_view input) { return impl_->feed(input); }
RequestParser::Progress RequestParser::progress() const { return impl_->progress(); }
bool RequestParser::started() const { return impl_->started(); }
bool RequestParser::header_complete() const { return impl_->header_complete(); }
bool RequestParser::take_awaits_continue() { return impl_->take_awaits_continue(); }
bool RequestParser::keep_alive() const { return impl_->keep_alive(); }
bool RequestParser::is_http_1_0() const { return impl_->is_http_1_0(); }
Request RequestParser::take_request() { return impl_->take_request(); }
const Refusal& RequestParser::refusal() const { return impl_->refusal(); }

} // namespace perdure::net
