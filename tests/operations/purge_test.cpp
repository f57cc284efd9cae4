// purge at the command line, and retention of a server.
#include <csignal>

#include "operations/place.h"

namespace perdure::operations_test {
namespace {

using testing::HasSubstr;

/// One instance that has ended, and one that runs.
class PurgeTest : public testing::Test {
protected:
  void prepare(const Place& place) {
    place.deploy(folder_);
    ended_ = place.start();
    runs_ = place.start();
    place.complete(ended_);
    EXPECT_EQ(place.status(ended_), "completed");
  }

  void expect_purge(const Place& place) {
    prepare(place);
    const auto dry = place.ask({"purge", "--dry-run", "--older-than", "P0D"});
    EXPECT_EQ(at(dry, "dry_run"), Value(true));
    ASSERT_EQ(size_of(at(dry, "items")), 1U);
    EXPECT_EQ(at(dry, "items", 0, "process_id"), Value("order"));
    EXPECT_EQ(at(dry, "items", 0, "instances"), Value(1));
    EXPECT_EQ(at(dry, "items", 0, "rows", "process_instance"), Value(1));
    EXPECT_EQ(at(dry, "items", 0, "rows", "external_task"), Value(1));
    EXPECT_EQ(place.instances(), 2U);
    // As configured: thirty days. And no other process's.
    EXPECT_THAT(place.run({"purge"}).out, HasSubstr("Removed 0 instances"));
    EXPECT_THAT(place.run({"purge", "--older-than", "P0D", "--process", "nap"}).out,
                HasSubstr("Removed 0 instances"));
    EXPECT_THAT(place.run({"purge", "--older-than", "off"}).out, HasSubstr("Removed 0 instances"));
    const auto purged = place.run({"purge", "--older-than", "P0D", "--process", "order"});
    EXPECT_EQ(purged.code, 0) << purged.error;
    EXPECT_THAT(purged.out, HasSubstr("order"));
    EXPECT_THAT(purged.out, HasSubstr("Removed 1 instances with"));
    EXPECT_EQ(place.run({"show", ended_}).code, 3);
    EXPECT_EQ(place.status(runs_), "running");
    place.expect_sound();
    place.complete(runs_);
  }

  TemporaryFolder folder_;
  std::string ended_;
  std::string runs_;
};

TEST_F(PurgeTest, OnAFolder) { expect_purge(Place("sqlite:" + folder_.path("data"))); }

TEST_F(PurgeTest, OnPostgres) {
  if (cluster() == nullptr) GTEST_SKIP() << "There is no PostgreSQL to be started.";
  const auto config = folder_.write("perdure.toml", "schema = \"removal\"\n");
  expect_purge(Place(cluster()->url(), {"--config", config}));
}

TEST_F(PurgeTest, TimesThatAreNoneAreWrongUsage) {
  const Place place("sqlite:" + folder_.path("data"));
  place.deploy(folder_);
  for (const std::vector<std::string>& line : {std::vector<std::string>{"--older-than", "30"},
                                               {"--before", "tomorrow"},
                                               {"--before", "2999-01-01"},
                                               {"--before", "2020-01-01", "--older-than", "P1D"}}) {
    std::vector<std::string> arguments{"purge"};
    arguments.insert(arguments.end(), line.begin(), line.end());
    EXPECT_EQ(place.run(arguments).code, 2) << line.back();
  }
  EXPECT_EQ(Place("sqlite:" + folder_.path("nothing")).run({"purge", "--dry-run"}).code, 4);
}

TEST_F(PurgeTest, AServerRemovesByItselfAndItsFolderIsNotPurgedBesideIt) {
  const auto config = folder_.write("perdure.toml", "[retention.process]\norder = \"PT1S\"\n");
  const Place place("sqlite:" + folder_.path("data"), {"--config", config});
  place.deploy(folder_);
  Running server(place.line({"serve", "--port", "0", "--json"}));
  ASSERT_NE(server.line_with("url"), "");
  const auto nap = place.start("nap");
  const auto id = place.start();
  place.complete(id);
  EXPECT_EQ(place.run({"purge"}).code, 1);
  EXPECT_EQ(place.run({"purge", "--dry-run"}).code, 0);
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  // The first walk begins a second after the start.
  Running again(place.line({"serve", "--port", "0", "--json"}));
  ASSERT_NE(again.line_with("url"), "");
  for (int i = 0; i < 2'000 && place.run({"show", id}).code == 0; ++i) {
  }
  EXPECT_EQ(place.run({"show", id}).code, 3);
  EXPECT_EQ(place.run({"show", nap}).code, 0);
  place.expect_sound();
}

} // namespace
} // namespace perdure::operations_test
