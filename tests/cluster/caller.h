// Caller: a careful client of many nodes. It repeats a request, at another node when one is silent
// or cannot serve, until it is answered, and knows whether an earlier try may have had its effect.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/nodes.h"
#include "net/client.h"
#include "perdure/value.h"
#include "random/chance.h"

namespace perdure::cluster_test {

struct Answer {
  int status = 0;
  Value body;
  std::string violation;  ///< of the header X-Invariant-Violation
  bool replayed = false;  ///< an earlier request did it
  bool uncertain = false; ///< an earlier try may have been done
};

/// What all callers of a test have seen. Thread-safe.
struct Traffic {
  std::atomic<std::int64_t> answers{0};
  std::atomic<std::int64_t> losses{0};      ///< requests without an answer
  std::atomic<std::int64_t> unavailable{0}; ///< answers that asked to come again
};

/// One thread at a time.
class Caller {
public:
  /// Begins at the node of that number.
  Caller(const Addresses& addresses, Traffic& traffic, std::uint64_t seed, std::size_t node);

  /// The answer; nullopt only when the addresses are called off.
  [[nodiscard]] std::optional<Answer> post(std::string_view path, const Value& body,
                                           std::string_view idempotency_key = {});
  [[nodiscard]] std::optional<Answer> get(std::string_view path);

private:
  [[nodiscard]] std::optional<Answer> call(std::string_view method, std::string_view path,
                                           const net::Fields& headers, std::string_view body);
  /// One try; nullopt: try again.
  [[nodiscard]] std::optional<net::ClientResponse> attempt(std::string_view method,
                                                           std::string_view path,
                                                           const net::Fields& headers,
                                                           std::string_view body);
  void move_on();

  const Addresses& addresses_;
  Traffic& traffic_;
  random::Chance chance_;
  std::size_t node_;
  std::string url_;
  std::optional<net::Client> client_;
};

} // namespace perdure::cluster_test
