// ResponseParser on Beast's basic_parser.
#include "net/response_parser.h"

#include "net/asio_config.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cstdint>
#include <utility>

namespace perdure::net {

namespace beast = boost::beast;
using beast::error_code;

namespace {
constexpr std::uint32_t kMaxHeaderBytes = 64 * 1024;
constexpr std::size_t kShortestChunkedRest = 5; // see request_parser.cpp
} // namespace

class ResponseParser::Impl final : private beast::http::basic_parser<false> {
public:
  Impl(std::size_t max_body_bytes, bool head) {
    header_limit(kMaxHeaderBytes);
    body_limit(max_body_bytes);
    skip(head);
    eager(true);
  }

  std::size_t feed(std::string_view input) {
    if (input.empty()) return 0;
    if (header_complete_ && chunked() && input.size() < kShortestChunkedRest) return 0;
    error_code error;
    const auto used = put(boost::asio::buffer(input.data(), input.size()), error);
    if (error && error != beast::http::error::need_more) {
      reason_ = error.message();
    } else if (!is_done() && input.size() - used > kMaxHeaderBytes) {
      reason_ = "a line is too long";
    }
    return used;
  }

  void end() {
    error_code error = beast::http::error::partial_message;
    if (header_complete_ && !is_done()) put_eof(error);
    if (error) reason_ = "the connection was closed in the middle of it";
  }

  Progress progress() const {
    if (!reason_.empty()) return Progress::broken;
    return is_done() ? Progress::complete : Progress::need_more;
  }
  bool keep_alive() const { return basic_parser::keep_alive(); }
  bool is_interim() const { return is_done() && response_.status / 100 == 1; }
  ClientResponse take_response() { return std::move(response_); }
  const std::string& reason() const { return reason_; }

private:
  void on_response_impl(int status, beast::string_view, int, error_code&) override {
    response_.status = status;
  }
  void on_field_impl(beast::http::field, beast::string_view name, beast::string_view value,
                     error_code&) override {
    if (!header_complete_) response_.headers.emplace_back(name, value);
  }
  void on_header_impl(error_code&) override { header_complete_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(beast::string_view body, error_code&) override {
    response_.body.append(body.data(), body.size());
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body, error_code&) override {
    response_.body.append(body.data(), body.size());
    return body.size();
  }
  void on_finish_impl(error_code&) override {}
  void on_request_impl(beast::http::verb, beast::string_view, beast::string_view, int,
                       error_code&) override {}

  ClientResponse response_;
  std::string reason_;
  bool header_complete_ = false;
};

ResponseParser::ResponseParser(std::size_t max_body_bytes, bool head)
    : impl_(std::make_unique<Impl>(max_body_bytes, head)),
      max_body_bytes_(max_body_bytes),
      head_(head) {}
ResponseParser::~ResponseParser() = default;

std::size_t ResponseParser::feed(std::string_view input) {
  std::size_t used = impl_->feed(input);
  while (impl_->is_interim()) {
    impl_ = std::make_unique<Impl>(max_body_bytes_, head_);
    used += impl_->feed(input.substr(used));
  }
  return used;
}

void ResponseParser::end() { impl_->end(); }
ResponseParser::Progress ResponseParser::progress() const { return impl_->progress(); }
bool ResponseParser::keep_alive() const { return impl_->keep_alive(); }
ClientResponse ResponseParser::take_response() { return impl_->take_response(); }
const std::string& ResponseParser::reason() const { return impl_->reason(); }

} // namespace perdure::net
