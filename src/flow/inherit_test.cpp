#include "flow/inherit.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace perdure::flow {
namespace {

using facts::FlowDoing;
using facts::FlowEntry;

std::vector<FlowEntry> samples() {
  return {{.doing = FlowDoing::begun, .number = -7},
          {.doing = FlowDoing::step_asked,
           .name = "nap",
           .parent = "outer",
           .type = facts::StepType::sleep,
           .at = from_ms(1'234)},
          {.doing = FlowDoing::step_asked,
           .name = "child",
           .type = facts::StepType::call_activity,
           .nested = true,
           .flag = true,
           .number = 77,
           .max_attempts = 4,
           .target = "ship",
           .call_id = "c-1",
           .after = Duration(-5),
           .value = Value()},
          {.doing = FlowDoing::step_ended,
           .name = "child",
           .ending = facts::FlowEnding::timed_out,
           .error_name = "TimedOut",
           .error_message = "late"}};
}

TEST(InheritTest, WhatIsWrittenIsReadAsItWas) {
  const auto written = json::write(entries_value(samples()));
  const auto read = read_entries(json::parse(written).value());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(json::write(entries_value(*read)), written);
  ASSERT_EQ(read->size(), 4U);
  EXPECT_EQ((*read)[0].number, -7);
  EXPECT_EQ((*read)[0].value, std::nullopt);
  EXPECT_EQ((*read)[1].at, from_ms(1'234));
  EXPECT_EQ((*read)[1].type, facts::StepType::sleep);
  EXPECT_EQ((*read)[2].after, Duration(-5));
  EXPECT_EQ((*read)[2].value, std::optional(Value())) << "null is no absence";
  EXPECT_EQ((*read)[3].ending, facts::FlowEnding::timed_out);
  EXPECT_EQ((*read)[3].error_message, "late");
}

TEST(InheritTest, MembersThatSayNothingAreLeftOut) {
  EXPECT_EQ(json::write(entries_value({{.doing = FlowDoing::step_heard, .name = "paid"}})),
            R"([{"doing":"step_heard","name":"paid"}])");
}

TEST(InheritTest, WhatWasChangedIsRefused) {
  for (const auto* text :
       {"null", "{}", "[1]", "[{}]", R"([{"doing":"flown"}])", R"([{"doing":3}])",
        R"([{"doing":"begun","number":"7"}])", R"([{"doing":"begun","nested":1}])"}) {
    EXPECT_FALSE(read_entries(json::parse(text).value())) << text;
  }
}

} // namespace
} // namespace perdure::flow
