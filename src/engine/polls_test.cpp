#include "engine/polls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace perdure::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PollsTest : public ::testing::Test {
protected:
  Poll poll(std::uint64_t id, std::vector<std::string> types, std::int64_t max_tasks = 1,
            std::int64_t deadline_ms = 1'000) {
    Poll poll;
    poll.id = id;
    poll.command = {.worker_id = "w", .task_types = std::move(types), .max_tasks = max_tasks};
    poll.deadline = from_ms(deadline_ms);
    poll.wanted = std::make_shared<std::atomic<bool>>(true);
    poll.reply = [this, id](const Answer<std::vector<Job>>& jobs) {
      answered_.emplace_back(id, jobs->size());
    };
    return poll;
  }

  Polls polls_;
  std::vector<std::pair<std::uint64_t, std::size_t>> answered_; ///< poll, number of jobs
};

TEST_F(PollsTest, TheOldestThatWantsTheTypeTakesIt) {
  polls_.add(poll(1, {"a"}));
  polls_.add(poll(2, {"a", "b"}));
  polls_.add(poll(3, {"b"}));
  EXPECT_EQ(polls_.taker("a")->id, 1U);
  EXPECT_EQ(polls_.taker("b")->id, 2U);
  EXPECT_EQ(polls_.taker("c"), nullptr);
  ++polls_.find(1)->reserved;
  EXPECT_EQ(polls_.taker("a")->id, 2U);
  EXPECT_THAT(polls_.types(), ElementsAre("a", "b"));
}

TEST_F(PollsTest, DemandIsWhatIsMissing) {
  polls_.add(poll(1, {"a"}, 3));
  polls_.add(poll(2, {"a", "b"}, 2));
  polls_.find(1)->reserved = 1;
  polls_.find(1)->jobs.emplace_back();
  EXPECT_EQ(polls_.demand("a"), 3U);
  EXPECT_EQ(polls_.demand("b"), 2U);
  EXPECT_EQ(polls_.demand("c"), 0U);
}

TEST_F(PollsTest, AnswersWhoHasSomethingAndWhoseTimeIsOver) {
  polls_.add(poll(1, {"a"}, 1, 1'000));
  polls_.add(poll(2, {"a"}, 1, 2'000));
  polls_.add(poll(3, {"a"}, 5, 3'000));
  EXPECT_EQ(polls_.next_deadline(), from_ms(1'000));
  polls_.find(3)->jobs.emplace_back();
  polls_.answer(from_ms(999));
  EXPECT_THAT(answered_, ElementsAre(std::pair(3, 1)));
  polls_.answer(from_ms(1'000));
  EXPECT_THAT(answered_, ElementsAre(std::pair(3, 1), std::pair(1, 0)));
  EXPECT_EQ(polls_.next_deadline(), from_ms(2'000));
}

TEST_F(PollsTest, WaitsForLocksOnTheirWayToTheDatabase) {
  polls_.add(poll(1, {"a"}, 2));
  polls_.find(1)->jobs.emplace_back();
  polls_.find(1)->reserved = 1;
  polls_.answer(from_ms(5'000));
  EXPECT_THAT(answered_, IsEmpty());
  polls_.find(1)->reserved = 0;
  polls_.answer(from_ms(5'000));
  EXPECT_THAT(answered_, ElementsAre(std::pair(1, 1)));
}

TEST_F(PollsTest, WhoIsGoneTakesNothingAndIsForgotten) {
  auto gone = poll(1, {"a"});
  const auto wanted = gone.wanted;
  polls_.add(std::move(gone));
  wanted->store(false);
  EXPECT_EQ(polls_.taker("a"), nullptr);
  EXPECT_EQ(polls_.demand("a"), 0U);
  EXPECT_THAT(polls_.types(), IsEmpty());
  polls_.answer(from_ms(0));
  EXPECT_TRUE(polls_.empty());
  EXPECT_THAT(answered_, ElementsAre(std::pair(1, 0)));
}

TEST_F(PollsTest, WhoHasNothingIsToldOfAnOutageWhenItsTimeIsOver) {
  std::vector<std::string> told;
  for (const int id : {1, 2, 3}) {
    auto waiting = poll(static_cast<std::uint64_t>(id), {"a"}, 1, id == 3 ? 9'000 : 1'000);
    waiting.reply = [&told](const Answer<std::vector<Job>>& answer) {
      told.push_back(answer ? std::to_string(answer->size()) : answer.error().message);
    };
    polls_.add(std::move(waiting));
  }
  polls_.find(2)->jobs.emplace_back();
  polls_.answer(from_ms(1'000),
                Failure{.kind = Failure::Kind::unavailable, .message = "The disk is away."});
  EXPECT_THAT(told, ElementsAre("The disk is away.", "1"));
  EXPECT_NE(polls_.find(3), nullptr);
  polls_.answer_all();
}

TEST_F(PollsTest, AnAnswerMayBeFollowedByTheNextPollAtOnce) {
  auto again = poll(1, {"a"}, 1, 0);
  again.reply = [this](const Answer<std::vector<Job>>&) { polls_.add(poll(2, {"a"})); };
  polls_.add(std::move(again));
  polls_.answer(from_ms(1));
  EXPECT_NE(polls_.find(2), nullptr);
  polls_.answer_all();
  EXPECT_TRUE(polls_.empty());
  EXPECT_THAT(answered_, ElementsAre(std::pair(2, 0)));
}

} // namespace
} // namespace perdure::engine
