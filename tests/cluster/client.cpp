#include "cluster/client.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/json.h"
#include "cli/program.h"

namespace perdure::cluster_test {

namespace {

constexpr int kUnavailable = 503;

} // namespace

Reply Client::post(std::string_view path, const Value& body, std::string_view key) {
  net::Fields headers{{"Content-Type", "application/json"}};
  if (!key.empty()) headers.emplace_back("Idempotency-Key", key);
  return ask("POST", path, headers, json::write(body));
}

Reply Client::post_until_served(std::string_view path, const Value& body, std::string_view key) {
  for (;;) {
    auto reply = post(path, body, key);
    if (reply.status != kUnavailable) return reply;
    std::this_thread::yield();
  }
}

Reply Client::get(std::string_view path) { return ask("GET", path, {}, {}); }

Reply Client::deploy(const std::string& model) {
  return ask("POST", "/process-definitions/deploy", {{"Content-Type", "application/xml"}}, model);
}

std::string Client::start(const std::string& process) {
  const auto reply = post("/process-instances", Object{{"process_def_id", process}});
  EXPECT_EQ(reply.status, 201);
  return cli_test::text_at(cli_test::at(reply.body, "id"));
}

std::int64_t Client::figure(const std::string& name) {
  const auto metrics = client_.request("GET", "/metrics");
  const auto at = metrics ? metrics->body.find("\n" + name + " ") : std::string::npos;
  if (at == std::string::npos) {
    ADD_FAILURE() << "there is no figure " << name;
    return 0;
  }
  return std::stoll(metrics->body.substr(at + name.size() + 2));
}

Reply Client::ask(std::string_view method, std::string_view path, const net::Fields& headers,
                  std::string_view body) {
  const auto response = client_.request(method, "/api/v1" + std::string(path), headers, body);
  if (!response) {
    ADD_FAILURE() << method << " " << path << ": " << response.error().message;
    return {};
  }
  if (response->status == kUnavailable) {
    EXPECT_TRUE(response->header("Retry-After")) << response->body;
  }
  return {.status = response->status,
          .violation = std::string(response->header("X-Invariant-Violation").value_or("")),
          .replayed = response->header("Idempotency-Replayed") == "true",
          .body = json::parse(response->body).value_or(Value())};
}

} // namespace perdure::cluster_test
