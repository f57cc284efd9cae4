// Events as a program sends them, and the rows that they leave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>

#include "perdure/testing.h"

namespace perdure {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

Task<int> wait_once(Flow& flow) {
  const int paid = co_await flow.wait<int>("w", "paid");
  co_await flow.sleep("nap", 1h);
  co_return paid;
}

Task<void> wait_briefly(Flow& flow) {
  auto paid = co_await flow.wait<int>("w", "paid", {.timeout = 1h}).outcome();
  if (paid.timed_out()) co_await flow.wait("end", "end");
}

Task<int> sum_up(Flow& flow) {
  int sum = 0;
  for (int i = 1; i <= 3; ++i) {
    sum += co_await flow.wait<int>("w" + std::to_string(i), "paid");
    co_await flow.sleep("nap" + std::to_string(i), 1s);
  }
  co_return sum;
}

Task<int> turn(Flow& flow, int round) {
  co_await flow.wait("turn", "turn");
  if (round < 3) co_await flow.continue_as_new(round + 1);
  co_return co_await flow.wait<int>("w", "paid");
}

class EmbeddedEventsTest : public testing::Test {
protected:
  EmbeddedEventsTest() {
    auto pattern = (std::filesystem::temp_directory_path() / "perdure_events_XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    engine_.emplace(TestOptions{.storage = sqlite(folder_ / "a.db")});
    engine_->define<wait_once>("once");
    engine_->define<wait_briefly>("briefly");
    engine_->define<sum_up>("sum");
    engine_->define<turn>("turn");
  }
  ~EmbeddedEventsTest() override {
    engine_.reset();
    std::filesystem::remove_all(folder_);
  }
  TestEngine& engine() { return *engine_; }

  /// "name payload claimed|waits" of each event, in the order in which they came.
  std::vector<std::string> rows() {
    engine_->settle();
    std::vector<std::string> lines;
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open((folder_ / "a.db").c_str(), &database), SQLITE_OK);
    const auto add = [](void* list, int, char** column, char**) {
      static_cast<std::vector<std::string>*>(list)->emplace_back(column[0]);
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database,
                           "SELECT name || ' ' || payload || iif(claimed_at IS NULL, ' waits', "
                           "' claimed') FROM inbound_event ORDER BY id",
                           add, &lines, nullptr),
              SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
    return lines;
  }

private:
  std::filesystem::path folder_;
  std::optional<TestEngine> engine_;
};

TEST_F(EmbeddedEventsTest, OneThatIsEarlyIsARowThatItsStepClaims) {
  const auto id = *engine().start("sum");
  engine().settle();
  EXPECT_TRUE(engine().send(id, "paid", 1));
  EXPECT_TRUE(engine().send(id, "paid", 2));
  EXPECT_THAT(rows(), ElementsAre(R"(paid {"payload":2} waits)"));
  engine().advance(1s);
  EXPECT_THAT(rows(), ElementsAre(R"(paid {"payload":2} claimed)"));
}

TEST_F(EmbeddedEventsTest, EventsThatARunNeverWaitedForEndWithIt) {
  const auto id = *engine().start("once");
  const auto other = *engine().start("once");
  engine().settle();
  EXPECT_TRUE(engine().send(id, "nobody.waits", 1));
  EXPECT_TRUE(engine().send(other, "nobody.waits", 2));
  EXPECT_TRUE(engine().send(id, "paid", 5));
  EXPECT_TRUE(engine().send(id, "paid", 6));
  EXPECT_EQ(rows().size(), 3U);
  engine().advance(1h);
  EXPECT_EQ(engine().result<int>(id).value(), 5);
  EXPECT_THAT(rows(), ElementsAre(R"(nobody.waits {"payload":2} waits)"));
  EXPECT_TRUE(engine().cancel(other));
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(EmbeddedEventsTest, OneToARunThatHasEndedIsDroppedWithoutErrorAndWithoutRow) {
  const auto id = *engine().start("once");
  engine().settle();
  EXPECT_TRUE(engine().send(id, "paid", 5));
  engine().advance(1h);
  EXPECT_EQ(engine().instance(id)->status, InstanceStatus::completed);
  EXPECT_TRUE(engine().send(id, "paid", 6));
  EXPECT_TRUE(engine().send(id, "paid", 6, "m-1"));
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(EmbeddedEventsTest, TheIdOfARunStaysGoodWhenItGoesOnAsANewOne) {
  const auto id = *engine().start("turn", 1, {.id = "agent"});
  EXPECT_TRUE(engine().send(id, "paid", 7, "m-1"));
  for (int i = 0; i < 3; ++i) {
    engine().settle();
    const auto now = engine().start("turn", 1, {.id = "agent"});
    ASSERT_TRUE(now) << now.error().message;
    EXPECT_EQ(*now, engine().runs("turn").back());
    EXPECT_EQ(*now == id, i == 0);
    EXPECT_EQ(engine().result<int>(id).error().code, ErrorCode::unavailable);
    EXPECT_THAT(rows(), testing::Contains(R"(paid {"payload":7} waits)"));
    EXPECT_TRUE(engine().send(id, "paid", 7, "m-1")); // it is known
    EXPECT_TRUE(engine().send(id, "turn"));
  }
  engine().settle();
  EXPECT_EQ(engine().result<int>(id).value(), 7);
  EXPECT_EQ(engine().runs("turn").size(), 3U);
  EXPECT_TRUE(engine().send(id, "paid", 8));
  EXPECT_THAT(rows(), ElementsAre(R"(paid {"payload":7} claimed)"));
}

TEST_F(EmbeddedEventsTest, OneToNobodyIsAnError) {
  const auto sent = engine().send(4711, "paid", 1);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::not_found);
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(EmbeddedEventsTest, OneAfterTheTimeoutIsQueuedForTheNextWaitAndEndsWithTheRun) {
  const auto id = *engine().start("briefly");
  engine().advance(1h);
  EXPECT_TRUE(engine().send(id, "paid", 5));
  EXPECT_EQ(to_text(engine().steps(id).front()), "w failed 1 TimedOut");
  EXPECT_TRUE(engine().send(id, "end"));
  EXPECT_EQ(engine().instance(id)->status, InstanceStatus::completed);
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(EmbeddedEventsTest, AMessageIdCountsOnceInARun) {
  const auto id = *engine().start("sum");
  engine().settle();
  EXPECT_TRUE(engine().send(id, "paid", 1, "m-1"));
  EXPECT_TRUE(engine().send(id, "paid", 1, "m-1"));
  engine().restart();
  EXPECT_TRUE(engine().send(id, "paid", 1, "m-1"));
  EXPECT_TRUE(engine().send(id, "paid", 10, "m-2"));
  EXPECT_TRUE(engine().send(id, "paid", 10, "m-2"));
  engine().advance(1min);
  EXPECT_EQ(engine().instance(id)->status, InstanceStatus::running) << "there were two events";
  EXPECT_TRUE(engine().send(id, "paid", 100, "m-3"));
  engine().advance(1min);
  EXPECT_EQ(engine().result<int>(id).value(), 111);
}

TEST_F(EmbeddedEventsTest, EachRunHasMessageIdsOfItsOwn) {
  const auto first = *engine().start("once");
  const auto second = *engine().start("once");
  EXPECT_TRUE(engine().send(first, "paid", 1, "m-1"));
  EXPECT_TRUE(engine().send(second, "paid", 2, "m-1"));
  engine().advance(1h);
  EXPECT_EQ(engine().result<int>(first).value(), 1);
  EXPECT_EQ(engine().result<int>(second).value(), 2);
}

constexpr const char* kBeginsByMessage = R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
  <message id="m" name="paid"/>
  <process id="other" isExecutable="true">
    <startEvent id="begin"><messageEventDefinition messageRef="m"/></startEvent>
    <sequenceFlow id="f" sourceRef="begin" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>)";

TEST_F(EmbeddedEventsTest, AnEventOfAFlowStartsNoProcess) {
  const auto deployed = engine().deploy(kBeginsByMessage, "m.bpmn");
  ASSERT_TRUE(deployed) << deployed.error().message;
  const auto id = *engine().start("sum");
  engine().settle();
  EXPECT_TRUE(engine().send(id, "paid", 1));
  EXPECT_TRUE(engine().send(id, "paid", 2));
  EXPECT_TRUE(engine().send(id, "paid", 3));
  engine().advance(1min);
  EXPECT_THAT(engine().runs("other"), IsEmpty());
  EXPECT_EQ(engine().result<int>(id).value(), 6);
}

} // namespace
} // namespace perdure
