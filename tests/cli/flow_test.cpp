// `perdure flow verify`: the real binary runs a user's program that reports instead of working.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace perdure::cli_test {
namespace {

using testing::HasSubstr;

class FlowVerify : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(run_program(FLOW_PROGRAM, {file_, "reserve"}).code, 0); }
  Ended verify(std::vector<std::string> more, std::vector<std::string> before = {}) {
    std::vector<std::string> line{"flow", "verify"};
    line.insert(line.end(), before.begin(), before.end());
    line.insert(line.end(), {FLOW_PROGRAM, file_});
    line.insert(line.end(), more.begin(), more.end());
    return perdure(std::move(line));
  }

  TemporaryFolder folder_;
  std::string file_ = folder_.path("state.db");
};

TEST_F(FlowVerify, AProgramThatFitsIsFine) {
  const auto ended = verify({"reserve"});
  EXPECT_EQ(ended.code, 0) << ended.error;
  EXPECT_EQ(ended.out, "1 of 1 runs fit this program.\n"); // and it has started no other
}

TEST_F(FlowVerify, AChangedStepAndAMissingVersionAreTold) {
  const auto changed = verify({"hold"});
  EXPECT_EQ(changed.code, 1);
  EXPECT_THAT(changed.out, HasSubstr("the code asks for run \"hold\" where the run has recorded "
                                     "run \"reserve\""));
  EXPECT_THAT(changed.out, HasSubstr("0 of 1 runs fit this program.\n"));
  const auto missing = verify({"reserve", "v2"}, {"--json"});
  EXPECT_EQ(missing.code, 1);
  const auto report = missing.json();
  EXPECT_EQ(*report.find("runs"), Value(1));
  const auto& misfit = report.find("misfits")->as<Array>()->front();
  EXPECT_EQ(*misfit.find("missing_version"), Value(true));
  EXPECT_EQ(*misfit.find("flow"), Value("order"));
}

TEST_F(FlowVerify, AProgramWithoutAnEngineOrThatIsNotThereVerifiesNothing) {
  const auto other = perdure({"flow", "verify", "/bin/true"});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.error, HasSubstr("nothing was verified"));
  const auto none = perdure({"flow", "verify", folder_.path("none")});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.error, HasSubstr("cannot be run"));
}

class FlowList : public testing::Test {
protected:
  void run(const std::string& kind) {
    ASSERT_EQ(run_program(FLOW_PROGRAM, {folder_.path("perdure.db"), "reserve", kind}).code, 0);
  }
  Ended list(std::vector<std::string> more = {}) {
    std::vector<std::string> line{"flow", "list", "--data", folder_.path("")};
    line.insert(line.end(), more.begin(), more.end());
    return perdure(std::move(line));
  }

  TemporaryFolder folder_;
};

TEST_F(FlowList, EachVersionHasALineWithItsRunsAndItsLimits) {
  const std::string titles =
      "FLOW +VERSION +PENDING +RUNNING +PAUSED +COMPLETED +FAILED +CANCELLED +LIMITS\n";
  const std::string schedules =
      "\nSCHEDULE +FLOW +CYCLE +OVERLAP +MISFIRE +NEXT\n"
      "nightly +order +.* skip +fire_once +.*\n";
  run("limited");
  run("limited");
  const auto limited = list();
  EXPECT_EQ(limited.code, 0) << limited.error;
  EXPECT_THAT(limited.out,
              testing::MatchesRegex(
                  titles + "order +1 +0 +2 +0 +0 +0 +0  3 run, 10 begin in 60 s\n" + schedules));
  run("v2"); // which has no limits, for the runs of all versions
  EXPECT_THAT(list().out, testing::MatchesRegex(titles + "order +1 +0 +2 +0 +0 +0 +0\n" +
                                                "order +2 +0 +1 +0 +0 +0 +0\n" + schedules));
}

TEST_F(FlowList, ProgramsHaveItAsJson) {
  run("limited");
  const auto report = list({"--json"}).json();
  ASSERT_EQ(report.find("items")->as<Array>()->size(), 1U);
  EXPECT_EQ(at(report, "items", 0, "flow"), Value("order"));
  EXPECT_EQ(at(report, "items", 0, "version"), Value(1));
  EXPECT_EQ(at(report, "items", 0, "runs", "running"), Value(1));
  EXPECT_EQ(at(report, "items", 0, "runs", "failed"), Value(0));
  EXPECT_EQ(at(report, "items", 0, "limits"),
            Value(Object{{"running", 3}, {"starts", 10}, {"starts_period_ms", 60'000}}));
  ASSERT_EQ(report.find("schedules")->as<Array>()->size(), 1U);
  EXPECT_EQ(at(report, "schedules", 0, "name"), Value("nightly"));
  EXPECT_EQ(at(report, "schedules", 0, "overlap"), Value("skip"));
  EXPECT_EQ(at(report, "schedules", 0, "last_run_id"), Value());
}

TEST_F(FlowList, WithoutFlowsItSaysSoAndOfAServerItKnowsNothing) {
  ASSERT_EQ(perdure({"migrate", "--data", folder_.path("")}).code, 0);
  EXPECT_EQ(list().out, "No program has defined a flow here.\n");
  EXPECT_EQ(*list({"--json"}).json().find("items"), Value(Array{}));
  const auto remote = perdure({"flow", "list", "--server", "http://127.0.0.1:1"});
  EXPECT_EQ(remote.code, 2);
  EXPECT_THAT(remote.error, HasSubstr("name it with --data or --database"));
  EXPECT_EQ(perdure({"flow", "list", "--data", folder_.path("none")}).code, 4);
}

} // namespace
} // namespace perdure::cli_test
