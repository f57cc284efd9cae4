#include "cli/time_text.h"

#include <gtest/gtest.h>

namespace perdure::cli {
namespace {

TEST(DurationText, UsesTheTwoLargestUnits) {
  const std::pair<std::int64_t, const char*> cases[] = {
      {-5, "0 ms"},
      {0, "0 ms"},
      {999, "999 ms"},
      {1'000, "1.0 s"},
      {59'999, "59.9 s"},
      {60'000, "1 min"},
      {125'000, "2 min 5 s"},
      {3'600'000, "1 h"},
      {12'000'000, "3 h 20 min"},
      {86'400'000, "1 d"},
      {360'000'000, "4 d 4 h"},
  };
  for (const auto& [ms, text] : cases)
    EXPECT_EQ(duration_text(Duration(ms)), text);
}

TEST(TimeText, ShortensAndPassesOnWhatIsNoTime) {
  EXPECT_EQ(time_text("2026-11-30T06:36:25.123Z"), "2026-11-30 06:36:25");
  EXPECT_EQ(time_text("soon"), "soon");
}

} // namespace
} // namespace perdure::cli
