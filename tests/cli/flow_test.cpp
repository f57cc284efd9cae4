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

} // namespace
} // namespace perdure::cli_test
