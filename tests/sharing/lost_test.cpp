// Programs that are killed or frozen in the midst of callbacks: the others go on with their flows.
// What was acknowledged is not done again, what was cut off is recorded as that and tried again,
// and what a program says that was taken for dead is not heard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <random>

#include "sharing/program.h"

namespace perdure::sharing {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::SizeIs;

constexpr int kOrders = 8; // as many as there are callbacks under way at once

class LostPrograms : public testing::Test {
protected:
  LostPrograms() {
    auto pattern = (std::filesystem::temp_directory_path() / "perdure_sharing_XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    journal.emplace((folder_ / "journal").string());
  }
  ~LostPrograms() override { std::filesystem::remove_all(folder_); }

  /// Orders that the program takes; it is held up in that step of each.
  std::vector<std::string> take_orders(Program& program, const std::string& step) {
    std::vector<std::string> orders;
    for (int i = 1; i <= kOrders; ++i) {
      orders.push_back("o-" + std::to_string(i));
      program.take_order(orders.back());
    }
    EXPECT_THAT(program.held(kOrders), SizeIs(kOrders));
    const auto at_step =
        "SELECT count(*) FROM step_attempt JOIN step_record ON step_record.id = "
        "step_attempt.step_id WHERE slug = '" +
        step + "' AND step_attempt.state = 'started'";
    EXPECT_TRUE(database.wait_until(
        [&] { return database.rows(at_step) == std::vector{std::to_string(kOrders)}; }));
    return orders;
  }
  void await_ends(std::size_t count) {
    EXPECT_TRUE(database.wait_until(
        [&] { return database.count("completed") == std::ssize(database.runs()); }));
    EXPECT_THAT(database.runs(), SizeIs(count));
  }
  [[nodiscard]] std::vector<std::string> hosts() const {
    return database.rows("SELECT worker_id FROM flow_host ORDER BY worker_id");
  }

  Database database;
  std::optional<Journal> journal;

private:
  std::filesystem::path folder_;
};

TEST_F(LostPrograms, WhatAKilledOneWasDoingIsDoneByTheOther) {
  Program other(database, *journal, {.node_name = "other"});
  Program killed(database, *journal, {.node_name = "killed", .held_step = "charge"});
  const auto orders = take_orders(killed, "charge");
  killed.kill();
  await_ends(kOrders);
  for (const auto run : database.runs()) {
    database.expect_done_once(run);
    EXPECT_THAT(database.attempts(run),
                ElementsAre("reserve succeeded killed", "charge interrupted killed",
                            "charge succeeded other", "ship succeeded other"));
  }
  for (const auto& order : orders) {
    for (const auto* step : {"reserve", "charge", "ship"})
      EXPECT_EQ(journal->count(step, order), 1) << step << " " << order;
  }
  // Nobody waits for the dead one any more.
  EXPECT_TRUE(database.wait_until([&] { return hosts().size() == 1; }));
  EXPECT_THAT(hosts(), ElementsAre(testing::StartsWith("other:")));
  other.end();
  EXPECT_THAT(hosts(), SizeIs(0));
}

TEST_F(LostPrograms, WhatAFrozenOneReportsTooLateIsNotHeard) {
  Program other(database, *journal, {.node_name = "other"});
  Program frozen(database, *journal, {.node_name = "frozen", .held_step = "charge"});
  const auto orders = take_orders(frozen, "charge");
  const auto life = database.rows("SELECT worker_id FROM flow_host WHERE node_name = 'frozen'");
  frozen.freeze();
  await_ends(kOrders);
  std::map<Key, std::string> images;
  for (const auto run : database.runs()) {
    database.expect_done_once(run);
    EXPECT_THAT(database.attempts(run),
                ElementsAre("reserve succeeded frozen", "charge interrupted frozen",
                            "charge succeeded other", "ship succeeded other"));
    images[run] = database.image(run);
  }

  // Its callbacks go on and act: that they cannot know. Nothing of it gets into the database.
  frozen.thaw();
  frozen.let_go(kOrders);
  for (const auto& order : orders) {
    EXPECT_TRUE(database.wait_until([&] { return journal->count("charge", order) == 2; })) << order;
    EXPECT_EQ(journal->count("reserve", order), 1);
    EXPECT_EQ(journal->count("ship", order), 1);
  }
  // It is another worker now, and of use again.
  frozen.let_go(1);
  frozen.take_order("later");
  await_ends(kOrders + 1);
  database.expect_done_once(database.runs().back());
  const auto next_life =
      database.rows("SELECT worker_id FROM flow_host WHERE node_name = 'frozen'");
  ASSERT_THAT(life, SizeIs(1));
  EXPECT_THAT(next_life, ElementsAre(testing::Ne(life.front())));
  frozen.end(); // what it had to say is said
  for (const auto& [run, image] : images)
    EXPECT_EQ(database.image(run), image);
}

// In its place comes one of the same name, again and again; others come and go.
// By hand, with --gtest_also_run_disabled_tests: once in about fifteen times a run is left with an
// attempt that nobody ends. It belongs to every `make test` again when that fault is found.
TEST_F(LostPrograms, DISABLED_InAnyOrderNothingIsLostAndNothingIsDoneTwice) {
  constexpr int kRounds = 8;
  constexpr int kOrdersOfARound = 6;
  const std::vector<std::string> names{"left", "middle", "right"};
  std::map<std::string, std::unique_ptr<Program>> programs;
  const auto begin = [&](const std::string& name) {
    programs[name].reset(); // killed before the next one begins
    programs[name] = std::make_unique<Program>(database, *journal, Habit{.node_name = name});
  };
  for (const auto& name : names)
    begin(name);
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 chance(seed);
  std::vector<std::string> orders;
  for (int round = 0; round < kRounds; ++round) {
    const auto& victim = names[chance() % names.size()];
    for (int i = 0; i < kOrdersOfARound; ++i) {
      orders.push_back("o-" + std::to_string(orders.size()));
      programs[names[chance() % names.size()]]->take_order(orders.back());
    }
    // Some way into what these orders set off.
    const auto done = 3 * (orders.size() - kOrdersOfARound) + chance() % (3 * kOrdersOfARound);
    EXPECT_TRUE(database.wait_until([&] {
      std::size_t lines = 0;
      for (const auto& [line, times] : journal->lines())
        lines += static_cast<std::size_t>(times);
      return lines >= done;
    }));
    if (chance() % 3 != 0) {
      begin(victim);
      continue;
    }
    programs[victim]->freeze();
    const auto lives = "SELECT count(*) FROM flow_host WHERE expires_at > clock_timestamp()";
    EXPECT_TRUE(
        database.wait_until([&] { return database.rows(lives) == std::vector<std::string>{"2"}; }));
    programs[victim]->thaw();
  }
  await_ends(orders.size());
  const auto done = journal->lines();
  for (const auto run : database.runs()) {
    database.expect_done_once(run);
    // Each line of the journal is an attempt; one that was cut off may have none.
    std::map<std::string, int> most;
    for (const auto& attempt : database.attempts(run))
      ++most[attempt.substr(0, attempt.find(' '))];
    const auto order = database.rows("SELECT business_key FROM process_instance WHERE id = " +
                                     std::to_string(run));
    for (const auto& [step, times] : most) {
      EXPECT_GE(journal->count(step, order.front()), 1) << step;
      EXPECT_LE(journal->count(step, order.front()), times) << step;
    }
  }
}

} // namespace
} // namespace perdure::sharing
