// Client: asks one node once, and tells the answer as it is; for tests that count answers.
#pragma once

#include <string>
#include <string_view>

#include "net/client.h"
#include "perdure/value.h"

namespace perdure::cluster_test {

struct Reply {
  int status = 0; ///< 0: a test failure told that there was no answer
  std::string violation;
  bool replayed = false;
  Value body;
};

/// One thread at a time. Every answer 503 must say when to come again.
class Client {
public:
  explicit Client(const std::string& url) : client_(url) {}

  [[nodiscard]] Reply post(std::string_view path, const Value& body, std::string_view key = {});
  /// Until the node can serve.
  [[nodiscard]] Reply post_until_served(std::string_view path, const Value& body,
                                        std::string_view key = {});
  [[nodiscard]] Reply get(std::string_view path);
  /// Deploys a model.
  [[nodiscard]] Reply deploy(const std::string& model);
  /// The key of a new instance.
  [[nodiscard]] std::string start(const std::string& process);
  /// A figure of /metrics; a test failure when it is not there.
  [[nodiscard]] std::int64_t figure(const std::string& name);

private:
  [[nodiscard]] Reply ask(std::string_view method, std::string_view path,
                          const net::Fields& headers, std::string_view body);

  net::Client client_;
};

} // namespace perdure::cluster_test
