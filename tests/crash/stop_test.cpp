// The two ways to end a server: asked to, it answers what is under way; killed at any moment, also
// while it makes its database, it starts again.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <iostream>
#include <latch>
#include <thread>

#include "base/json.h"
#include "cli/program.h"
#include "crash/guard.h"
#include "crash/seed.h"
#include "crash/server.h"
#include "net/client.h"
#include "random/chance.h"

namespace perdure::crash_test {
namespace {

using cli_test::at;
using cli_test::text_at;

constexpr std::chrono::seconds kLimit{200};
const net::Fields kJson{{"Content-Type", "application/json"}};

class StopTest : public testing::Test {
protected:
  cli_test::Ended on_data(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--data", server_.folder()});
    return cli_test::perdure(std::move(arguments));
  }

  cli_test::TemporaryFolder folder_;
  Server server_{folder_.path("data"), folder_.path("log")};
  const Guard guard_{kLimit, [] { return std::string("a server does not end or does not start"); },
                     [this] { server_.kill_for_good(); }};
};

/// How many fetches wait for tasks, as the server counts them.
std::string figure(net::Client& client, const std::string& name) {
  const auto metrics = client.request("GET", "/metrics");
  EXPECT_TRUE(metrics);
  if (!metrics) return {};
  const auto start = metrics->body.find("\n" + name + " ");
  if (start == std::string::npos) return {};
  const auto value = start + name.size() + 2;
  return metrics->body.substr(value, metrics->body.find('\n', value) - value);
}

TEST_F(StopTest, AskedToEndItAnswersTheFetchesThatWait) {
  constexpr int kFetches = 3;
  const auto url = server_.start();
  ASSERT_NE(url, "");
  std::vector<std::thread> workers;
  std::vector<Result<net::ClientResponse>> answers(kFetches);
  for (int i = 0; i < kFetches; ++i) {
    workers.emplace_back([&, i] {
      answers[static_cast<std::size_t>(i)] = net::Client(url).request(
          "POST", "/api/v1/external-tasks/fetch-and-lock", kJson,
          R"({"worker_id":"w","task_types":["none"],"max_tasks":1,"wait_ms":60000})");
    });
  }
  net::Client watcher(url);
  while (figure(watcher, "perdure_fetches_waiting") != std::to_string(kFetches)) {
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_EQ(server_.stop(), 0);
  for (auto& worker : workers)
    worker.join();
  for (const auto& answer : answers) {
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, R"({"tasks":[]})");
  }
  EXPECT_EQ(server_.errors(), "");
}

TEST_F(StopTest, AskedToEndItKeepsAllThatItAcknowledged) {
  constexpr int kClients = 4;
  const auto url = server_.start();
  ASSERT_NE(url, "");
  ASSERT_EQ(on_data({"deploy", folder_.write("ask.bpmn", cli_test::ask_model())}).code, 0);
  std::vector<std::vector<std::string>> acknowledged(kClients);
  std::latch busy(kClients);
  std::vector<std::thread> clients;
  for (auto& mine : acknowledged) {
    clients.emplace_back([&] {
      net::Client client(url);
      for (;;) {
        const auto answer = client.request("POST", "/api/v1/process-instances", kJson,
                                           R"({"process_def_id":"ask"})");
        if (!answer) break;
        EXPECT_TRUE(answer->status == 201 || answer->status == 503) << answer->status;
        if (answer->status != 201) break;
        mine.push_back(text_at(at(json::parse(answer->body).value(), "id")));
        if (mine.size() == 5) busy.count_down();
      }
      if (mine.size() < 5) busy.count_down();
    });
  }
  busy.wait();
  EXPECT_EQ(server_.stop(), 0);
  for (auto& client : clients)
    client.join();

  ASSERT_NE(server_.start(), "");
  for (const auto& mine : acknowledged) {
    EXPECT_GE(mine.size(), 5U);
    for (const auto& id : mine)
      EXPECT_EQ(on_data({"show", id}).code, 0) << id;
  }
  EXPECT_EQ(server_.stop(), 0);
  EXPECT_EQ(on_data({"check"}).code, 0);
  EXPECT_EQ(server_.errors(), "");
}

TEST(FirstStart, KilledWhileItMakesItsDatabaseItStartsAgain) {
  constexpr int kFolders = 6;
  constexpr int kKills = 4;
  random::Chance chance(seed_of_this_run());
  int hits = 0;
  int first_start_ms = 0;
  {
    const cli_test::TemporaryFolder folder;
    Server server(folder.path("data"), folder.path("log"));
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_NE(server.start(), "");
    first_start_ms = static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                          std::chrono::steady_clock::now() - begin)
                                          .count());
    EXPECT_EQ(server.stop(), 0);
  }
  for (int i = 0; i < kFolders; ++i) {
    const cli_test::TemporaryFolder folder;
    Server server(folder.path("data"), folder.path("log"));
    for (int k = 0; k < kKills; ++k)
      hits += server.start_and_kill(chance.below(first_start_ms + 1)) ? 1 : 0;
    ASSERT_NE(server.start(), "");
    EXPECT_EQ(server.stop(), 0);
    EXPECT_EQ(cli_test::perdure({"migrate", "--status", "--data", server.folder()}).code, 0);
    EXPECT_EQ(cli_test::perdure({"check", "--data", server.folder()}).code, 0);
    EXPECT_EQ(server.errors(), "");
  }
  std::cout << hits << " of " << kFolders * kKills << " kills before the server was ready"
            << std::endl;
  EXPECT_GT(hits, 0);
}

} // namespace
} // namespace perdure::crash_test
