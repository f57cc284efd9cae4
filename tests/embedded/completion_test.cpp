// Ends of flows, told to a program: what its handler sees.
#include <gtest/gtest.h>

#include <future>
#include <string>

#include "embedded/fixture.h"
#include "perdure/flow.h"

namespace perdure {
namespace {

using EmbeddedCompletion = test::EmbeddedTest;
PERDURE_ON_BOTH(EmbeddedCompletion);

Task<int> half(Flow& flow, int number) {
  const int rest = co_await flow.run("rest", [number] { return number % 2; });
  if (rest != 0) throw NonRetryable("it is odd", "Odd");
  co_return number / 2;
}

TEST_P(EmbeddedCompletion, TheHandlerSeesWhatTheRunGaveOrWhyItFailed) {
  std::promise<Completion> good;
  std::promise<Completion> bad;
  Engine engine{storage()};
  engine.define<half>("half");
  engine.on_end("half", [&](const Completion& end) {
    (end.status == InstanceStatus::completed ? good : bad).set_value(end);
  });
  const auto four = engine.start("half", 4);
  const auto five = engine.start("half", 5);
  ASSERT_TRUE(four && five);
  const auto seen = good.get_future().get();
  EXPECT_EQ(seen.run_id, *four);
  EXPECT_EQ(seen.id, std::to_string(*four));
  EXPECT_EQ(seen.flow, "half");
  EXPECT_EQ(seen.output, Value(2));
  EXPECT_FALSE(seen.reason);
  EXPECT_EQ(seen.attempt, 1);
  const auto failed = bad.get_future().get();
  EXPECT_EQ(failed.run_id, *five);
  EXPECT_EQ(failed.status, InstanceStatus::failed);
  EXPECT_EQ(failed.reason, "Odd: it is odd");
  EXPECT_FALSE(failed.output);
}

} // namespace
} // namespace perdure
