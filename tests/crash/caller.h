// Caller: a careful client. It repeats a request until it is answered, whatever happens to the
// server meanwhile, and knows whether an earlier try may have had its effect.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "crash/address.h"
#include "net/client.h"
#include "perdure/value.h"

namespace perdure::crash_test {

struct Answer {
  int status = 0;
  Value body;
  std::string violation;  ///< of the header X-Invariant-Violation
  bool replayed = false;  ///< the server says that an earlier request did it
  bool uncertain = false; ///< an earlier try was not answered: it may have been done
};

/// What all callers of a test have seen. Thread-safe.
class Traffic {
public:
  void answered();
  void lost() { ++lost_; }

  [[nodiscard]] std::int64_t answers() const;
  /// Requests without an answer.
  [[nodiscard]] std::int64_t losses() const { return lost_; }
  /// Waits until there are so many answers in all, at most for `limit`.
  void wait_for_answers(std::int64_t answers, std::chrono::milliseconds limit);

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t answers_ = 0;
  std::atomic<std::int64_t> lost_{0};
};

/// One thread at a time.
class Caller {
public:
  Caller(Address& address, Traffic& traffic);

  /// The answer; nullopt only when the load is called off.
  [[nodiscard]] std::optional<Answer> post(std::string_view path, const Value& body,
                                           std::string_view idempotency_key = {});
  [[nodiscard]] std::optional<Answer> get(std::string_view path);

private:
  [[nodiscard]] std::optional<Answer> call(std::string_view method, std::string_view path,
                                           const net::Fields& headers, std::string_view body);

  Address& address_;
  Traffic& traffic_;
  int life_ = 0;
  std::optional<net::Client> client_;
};

} // namespace perdure::crash_test
