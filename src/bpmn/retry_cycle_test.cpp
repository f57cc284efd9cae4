// Camunda 7's retry cycles.
#include "bpmn/retry_cycle.h"

#include <gtest/gtest.h>

#include <chrono>

namespace perdure::bpmn {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(RetryCycle, Repeated) {
  const auto cycle = parse_retry_cycle(" R3/PT10S ");
  ASSERT_TRUE(cycle.has_value());
  EXPECT_EQ(cycle->attempts, 3);
  EXPECT_EQ(cycle->intervals, std::vector<Duration>{seconds(10)});
}

TEST(RetryCycle, List) {
  const auto cycle = parse_retry_cycle("PT1M, PT5M,PT1H");
  ASSERT_TRUE(cycle.has_value());
  EXPECT_EQ(cycle->attempts, 4);
  EXPECT_EQ(cycle->intervals, (std::vector<Duration>{minutes(1), minutes(5), hours(1)}));
  EXPECT_EQ(parse_retry_cycle("PT0S")->attempts, 2);
}

TEST(RetryCycle, Refused) {
  for (const auto* text :
       {"", "R", "R3", "R3/", "R0/PT1S", "R-1/PT1S", "R99999999999999999999/PT1S", "R/PT1S",
        "R3x/PT1S", "10s", "PT1M,", ",", "${cycle}", "R3/PT1S,PT2S"}) {
    const auto cycle = parse_retry_cycle(text);
    ASSERT_FALSE(cycle.has_value()) << text;
    EXPECT_TRUE(cycle.error().message.ends_with('.'));
  }
}

} // namespace
} // namespace perdure::bpmn
