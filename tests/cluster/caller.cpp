#include "cluster/caller.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/json.h"

namespace perdure::cluster_test {

namespace {

constexpr std::chrono::milliseconds kPause{50};
/// A node that is silent for so long is taken for frozen.
constexpr Duration kPatience{3'000};
constexpr int kUnavailable = 503;

} // namespace

Caller::Caller(const Addresses& addresses, Traffic& traffic, std::uint64_t seed, std::size_t node)
    : addresses_(addresses), traffic_(traffic), chance_(seed), node_(node) {}

std::optional<Answer> Caller::post(std::string_view path, const Value& body,
                                   std::string_view idempotency_key) {
  net::Fields headers{{"Content-Type", "application/json"}};
  if (!idempotency_key.empty()) headers.emplace_back("Idempotency-Key", idempotency_key);
  return call("POST", path, headers, json::write(body));
}

std::optional<Answer> Caller::get(std::string_view path) { return call("GET", path, {}, {}); }

std::optional<Answer> Caller::call(std::string_view method, std::string_view path,
                                   const net::Fields& headers, std::string_view body) {
  bool uncertain = false;
  for (;;) {
    const auto response = attempt(method, path, headers, body);
    if (response) {
      auto parsed = json::parse(response->body);
      EXPECT_TRUE(parsed) << method << " " << path << ": " << response->body;
      return Answer{
          .status = response->status,
          .body = parsed ? std::move(*parsed) : Value(),
          .violation = std::string(response->header("X-Invariant-Violation").value_or("")),
          .replayed = response->header("Idempotency-Replayed") == "true",
          .uncertain = uncertain};
    }
    uncertain = true;
    if (addresses_.is_called_off()) return std::nullopt;
    move_on();
  }
}

std::optional<net::ClientResponse> Caller::attempt(std::string_view method, std::string_view path,
                                                   const net::Fields& headers,
                                                   std::string_view body) {
  const auto url = addresses_.of(node_);
  if (url.empty()) return std::nullopt;
  if (!client_ || url != url_) {
    url_ = url;
    client_.emplace(url, net::ClientOptions{.answer_timeout = kPatience});
  }
  auto response = client_->request(method, "/api/v1" + std::string(path), headers, body);
  if (!response) {
    ++traffic_.losses;
    client_.reset();
    return std::nullopt;
  }
  ++traffic_.answers;
  if (response->status != kUnavailable) return std::move(*response);
  EXPECT_TRUE(response->header("Retry-After")) << response->body;
  ++traffic_.unavailable;
  return std::nullopt;
}

void Caller::move_on() {
  client_.reset();
  node_ = static_cast<std::size_t>(chance_.below(static_cast<int>(addresses_.count())));
  addresses_.wait_for_change(kPause);
}

} // namespace perdure::cluster_test
