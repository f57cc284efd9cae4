#include "engine/forward_clock.h"

#include <gtest/gtest.h>

namespace perdure::engine {
namespace {

class Settable final : public Clock {
public:
  [[nodiscard]] Instant now() const override { return from_ms(ms); }
  std::int64_t ms = 100'000;
};

TEST(ForwardClock, ShowsTheClockBehindAsLongAsThatGoesForward) {
  Settable behind;
  const ForwardClock clock(behind);
  EXPECT_EQ(clock.now(), from_ms(100'000));
  behind.ms += 5;
  EXPECT_EQ(clock.now(), from_ms(100'005));
  behind.ms += 1'000'000;
  EXPECT_EQ(clock.now(), from_ms(1'100'005));
}

TEST(ForwardClock, GoesOnAtHalfThePaceAfterAStepBack) {
  Settable behind;
  const ForwardClock clock(behind);
  behind.ms -= 1'000;
  EXPECT_EQ(clock.now(), from_ms(100'000));
  behind.ms += 600;
  EXPECT_EQ(clock.now(), from_ms(100'300));
  behind.ms += 600;
  EXPECT_EQ(clock.now(), from_ms(100'600));
  behind.ms += 600; // 100'800: it has caught up
  EXPECT_EQ(clock.now(), from_ms(100'800));
}

TEST(ForwardClock, LosesNoMillisecondToFrequentLooks) {
  Settable behind;
  const ForwardClock clock(behind);
  behind.ms -= 1'000;
  EXPECT_EQ(clock.now(), from_ms(100'000));
  for (int i = 0; i < 600; ++i) {
    behind.ms += 1;
    (void)clock.now();
  }
  EXPECT_EQ(clock.now(), from_ms(100'300));
}

TEST(ForwardClock, NeverGoesBackHoweverOftenTheOtherDoes) {
  Settable behind;
  const ForwardClock clock(behind);
  auto last = clock.now();
  for (int i = 0; i < 100; ++i) {
    behind.ms += i % 3 == 0 ? -5'000 : 1'234;
    const auto now = clock.now();
    EXPECT_GE(now, last);
    last = now;
  }
}

} // namespace
} // namespace perdure::engine
