// The server is killed again and again while clients start orders and workers do their tasks.
// Nothing that was acknowledged may be lost, nothing may happen twice.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "cli/program.h"
#include "crash/address.h"
#include "crash/guard.h"
#include "crash/ledger.h"
#include "crash/load.h"
#include "crash/seed.h"
#include "crash/server.h"
#include "crash/verdict.h"
#include "store/postgres_cluster.h"

namespace perdure::crash_test {
namespace {

constexpr int kSqliteOrders = 500;
constexpr int kPostgresOrders = 250;
constexpr int kLeastKills = 25;
constexpr int kMostKills = 40; ///< then the rest may finish in peace
constexpr std::chrono::seconds kLimit{400};

/// A moment to kill at: after so long, or after so many answers if they come sooner, for then a
/// fast machine is hit in the middle of its work as well.
constexpr int kLeastMs = 50;
constexpr int kMostMs = 600;
constexpr int kMostAnswers = 250;
/// Some restarts are killed as well, while they recover.
constexpr int kKilledStartPercent = 25;
constexpr int kMostStartMs = 60;

std::string model() {
  std::ifstream file(std::string(PERDURE_SOURCE_DIR) + "/examples/order-fulfilment.bpmn");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void deploy(const std::string& url) {
  const auto answer = net::Client(url).request("POST", "/api/v1/process-definitions/deploy",
                                               {{"Content-Type", "application/xml"}}, model());
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_EQ(answer->status, 201) << answer->body;
}

enum class Database { sqlite, postgres };

class LoadTest : public testing::TestWithParam<Database> {
protected:
  void SetUp() override {
    if (GetParam() == Database::sqlite) {
      server_ = std::make_unique<Server>(folder_.path("data"), folder_.path("log"));
      return;
    }
    auto started = test::PostgresCluster::start();
    if (!started) GTEST_SKIP() << "Skipped: " << started.error();
    postgres_ = std::move(*started);
    server_ = Server::on_postgres(postgres_->url(), folder_.path("log"));
  }

  void next_life() {
    const auto url = server_->start();
    ASSERT_NE(url, "");
    address_.move_to(url);
  }

  void wait_for_moment() {
    const std::chrono::milliseconds limit{kLeastMs + chance_.below(kMostMs - kLeastMs + 1)};
    traffic_.wait_for_answers(traffic_.answers() + 1 + chance_.below(kMostAnswers), limit);
  }

  void kill_until_finished(const Load& load) {
    for (;;) {
      wait_for_moment();
      if (kills_ >= kLeastKills && (load.is_finished() || kills_ == kMostKills)) return;
      server_->kill();
      ++kills_;
      while (chance_.hits(kKilledStartPercent)) {
        killed_starts_ += server_->start_and_kill(chance_.below(kMostStartMs)) ? 1 : 0;
      }
      ASSERT_NO_FATAL_FAILURE(next_life());
      ASSERT_FALSE(HasFailure());
    }
  }

  const int orders_ = GetParam() == Database::sqlite ? kSqliteOrders : kPostgresOrders;
  const std::uint64_t seed_ = seed_of_this_run();
  random::Chance chance_{seed_};
  cli_test::TemporaryFolder folder_;
  std::unique_ptr<test::PostgresCluster> postgres_;
  std::unique_ptr<Server> server_;
  Address address_;
  Traffic traffic_;
  Ledger ledger_;
  std::atomic<int> kills_{0};
  int killed_starts_ = 0;
};

TEST_P(LoadTest, NothingAcknowledgedIsLostAndNothingHappensTwice) {
  Load load(address_, traffic_, ledger_,
            {.seed = seed_, .orders = orders_, .lives = kLeastKills + 1});
  const Guard guard(
      kLimit, [&] { return std::to_string(kills_) + " kills, " + load.describe(); },
      [&] { server_->kill_for_good(); });
  const auto url = server_->start();
  ASSERT_NO_FATAL_FAILURE(deploy(url));
  address_.move_to(url);
  load.begin();
  kill_until_finished(load);
  ASSERT_FALSE(HasFailure()) << load.describe();
  load.wait_until_finished();
  std::cout << kills_ << " kills and " << killed_starts_ << " of restarts: " << load.describe()
            << std::endl;
  EXPECT_GE(kills_, kLeastKills);
  EXPECT_GT(traffic_.losses(), 0); // else the kills met nobody

  Caller caller(address_, traffic_);
  check_orders(caller, ledger_, orders_);
  check_steps(caller, ledger_, orders_);
  check_nothing_open(caller);
  check_repeated_starts(caller, ledger_, orders_);
  check_orders(caller, ledger_, orders_);
  EXPECT_EQ(server_->stop(), 0);
  EXPECT_EQ(server_->errors(), "");
  auto check = server_->database_options();
  check.insert(check.begin(), "check");
  const auto checked = cli_test::perdure(check);
  EXPECT_EQ(checked.code, 0) << checked.out << checked.error;
}

INSTANTIATE_TEST_SUITE_P(Databases, LoadTest, testing::Values(Database::sqlite, Database::postgres),
                         [](const auto& test) {
                           return test.param == Database::sqlite ? "sqlite" : "postgres";
                         });

} // namespace
} // namespace perdure::crash_test
