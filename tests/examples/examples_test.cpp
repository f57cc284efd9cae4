// What the flows of examples/ do, seen in their steps and in the world.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent.h"
#include "approval.h"
#include "examples/world.h"
#include "fan_out.h"
#include "perdure/testing.h"
#include "saga.h"

namespace perdure::examples {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class ExamplesTest : public testing::Test {
protected:
  ExamplesTest() {
    begin_world();
    engine.define<saga::book_trip>("trip");
    engine.define<approval::approve>("approval");
    engine.define<fan_out::read_site>("site");
    engine.define<agent::talk>("talk");
  }
  std::vector<std::string> steps(std::int64_t id) {
    std::vector<std::string> lines;
    for (const auto& step : engine.steps(id))
      lines.push_back(to_text(step));
    return lines;
  }
  TestEngine engine;
};

TEST_F(ExamplesTest, ASagaBooksEverything) {
  const auto id = *engine.start("trip", saga::Trip{"t-1", "Lisbon"});
  const auto booked = engine.result<saga::Itinerary>(id);
  ASSERT_TRUE(booked) << booked.error().message;
  EXPECT_EQ(booked->car, "car t-1");
  EXPECT_THAT(steps(id), ElementsAre("book-flight completed 1", "book-hotel completed 1",
                                     "rent-car completed 1"));
  EXPECT_THAT(done(), ElementsAre("book-flight", "book-hotel", "rent-car"));
}

TEST_F(ExamplesTest, ASagaThatFailsUndoesItsBookingsTheLastFirst) {
  break_step("rent-car", 1, "SoldOut");
  const auto id = *engine.start("trip", saga::Trip{"t-1", "Lisbon"});
  const auto trip = *engine.wait(id);
  EXPECT_EQ(trip.status, InstanceStatus::failed);
  EXPECT_EQ(trip.end_reason, "SoldOut: the world does not allow rent-car");
  EXPECT_THAT(steps(id), ElementsAre("book-flight completed 1", "book-hotel completed 1",
                                     "rent-car failed 1 SoldOut", "cancel-hotel completed 1",
                                     "cancel-flight completed 1"));
  EXPECT_THAT(done(), ElementsAre("book-flight", "book-hotel", "cancel-hotel", "cancel-flight"));
}

TEST_F(ExamplesTest, ASagaThatIsCancelledUndoesItsBookingsToo) {
  break_step("rent-car", 9);
  const auto id = *engine.start("trip", saga::Trip{"t-1", "Lisbon"});
  EXPECT_THAT(engine.attempts(id, "rent-car"), SizeIs(1));
  EXPECT_TRUE(engine.cancel(id, "the traveller is ill"));
  const auto trip = *engine.wait(id);
  EXPECT_EQ(trip.status, InstanceStatus::cancelled);
  EXPECT_EQ(trip.end_reason, "the traveller is ill");
  EXPECT_THAT(done(), ElementsAre("book-flight", "book-hotel", "cancel-hotel", "cancel-flight"));
}

TEST_F(ExamplesTest, AnApprovalRemindsAndThenAsksTheNext) {
  const auto id = *engine.start("approval", approval::Expense{"e-1", 120, {"manager", "director"}});
  engine.advance(24h * 3 + 1h);
  EXPECT_THAT(done(), ElementsAre("ask manager", "remind manager, day 1", "remind manager, day 2",
                                  "ask director"));
  EXPECT_TRUE(engine.send(id, "decision", approval::Decision{"director", true}));
  EXPECT_EQ(engine.result<std::string>(id).value(), "approved by director");
  EXPECT_EQ(done().back(), "pay");
}

TEST_F(ExamplesTest, AnApprovalIsRejectedOrStaysUndecided) {
  const approval::Expense expense{"e-1", 120, {"manager"}};
  const auto first = *engine.start("approval", expense);
  EXPECT_TRUE(engine.send(first, "decision", approval::Decision{"manager", false}));
  EXPECT_EQ(engine.result<std::string>(first).value(), "rejected by manager");
  const auto second = *engine.start("approval", expense);
  engine.advance(72h);
  EXPECT_EQ(engine.result<std::string>(second).value(), "nobody decided");
  EXPECT_THAT(done(), testing::Not(testing::Contains("pay")));
}

TEST_F(ExamplesTest, AFanOutReadsSoManyPagesAtATime) {
  break_step("fetch site/3", 9);
  break_step("count site/5", 1);
  const auto id = *engine.start("site", fan_out::Site{"site", 2});
  engine.advance(1min);
  const auto report = engine.result<fan_out::Report>(id);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->pages, 7);
  EXPECT_EQ(report->failed, 1);
  EXPECT_EQ(report->words, 18);
  EXPECT_LE(most_at_once(), 2);
  std::size_t open = 0;
  for (const auto& step : engine.steps(id)) {
    if (step.name.starts_with("fetch") || step.name.starts_with("count")) {
      EXPECT_EQ(step.parent, "read " + step.name.substr(6));
    }
    if (step.status != "completed") ++open;
  }
  EXPECT_EQ(open, 2U) << "the page that failed and the run it is in";
}

TEST_F(ExamplesTest, AnAgentAnswersAndGoesOnAsANewRun) {
  const auto id = *engine.start("talk", agent::Talk{.id = "t-1", .turns_of_a_run = 2});
  EXPECT_TRUE(engine.send(id, "user.message", "what time is it?"));
  engine.settle();
  EXPECT_THAT(done(), ElementsAre("think 1.1", "tool 1.1: clock", "think 1.2", "answer 1"));
  EXPECT_TRUE(engine.send(id, "user.message", "and now?"));
  const auto runs = engine.runs("talk");
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(engine.instance(id)->status, InstanceStatus::completed);
  EXPECT_THAT(steps(runs[1]), ElementsAre("hear 3 waiting 1"));
  EXPECT_TRUE(engine.send(runs[1], "user.message", "bye"));
  engine.advance(90 * 24h);
  EXPECT_EQ(done().back(), "answer 3");
  EXPECT_EQ(engine.result<std::string>(runs[1]).value(), "the user is gone");
}

} // namespace
} // namespace perdure::examples
