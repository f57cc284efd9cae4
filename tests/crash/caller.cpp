#include "crash/caller.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace perdure::crash_test {

namespace {

constexpr std::chrono::milliseconds kPause{200};
constexpr int kUnavailable = 503;

} // namespace

void Traffic::answered() {
  {
    const std::lock_guard lock(mutex_);
    ++answers_;
  }
  changed_.notify_all();
}

std::int64_t Traffic::answers() const {
  const std::lock_guard lock(mutex_);
  return answers_;
}

void Traffic::wait_for_answers(std::int64_t answers, std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit, [&] { return answers_ >= answers; });
}

Caller::Caller(Address& address, Traffic& traffic) : address_(address), traffic_(traffic) {}

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
    const auto place = address_.now();
    if (!client_ || place.life != life_) {
      client_.emplace(place.url);
      life_ = place.life;
    }
    auto response = client_->request(method, "/api/v1" + std::string(path), headers, body);
    if (response) traffic_.answered();
    if (response && response->status != kUnavailable) {
      auto parsed = json::parse(response->body);
      EXPECT_TRUE(parsed) << method << " " << path << ": " << response->body;
      return Answer{
          .status = response->status,
          .body = parsed ? std::move(*parsed) : Value(),
          .violation = std::string(response->header("X-Invariant-Violation").value_or("")),
          .replayed = response->header("Idempotency-Replayed") == "true",
          .uncertain = uncertain};
    }
    if (!response) {
      traffic_.lost();
      uncertain = true;
      client_.reset();
    }
    if (address_.is_called_off()) return std::nullopt;
    address_.wait_for_change(life_, kPause);
  }
}

} // namespace perdure::crash_test
