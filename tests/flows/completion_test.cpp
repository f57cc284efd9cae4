// The ends of flows, told to handlers: what the rows say before, between and after.
#include <memory>
#include <mutex>

#include "flows/flow_fixture.h"

namespace perdure::engine {
namespace {

using namespace std::chrono_literals;
using facts::CompletionState;
using facts::InstanceStatus;
using testing::ElementsAre;
using testing::SizeIs;

/// Remembers what it was told; throws as long as it is to fail. The engine, which ends after the
/// body of the test, may tell it more.
struct Told {
  struct State {
    std::mutex mutex;
    std::vector<Completion> all;
    int failing = 0;
    Gate gate;
  };
  std::shared_ptr<State> state = std::make_shared<State>();
  int& failing = state->failing;
  Gate& gate = state->gate;

  CompletionHandler handler() {
    return [state = state](const Completion& completion) {
      {
        const std::lock_guard lock(state->mutex);
        state->all.push_back(completion);
        if (state->failing > 0) {
          --state->failing;
          throw std::runtime_error("the ledger is closed");
        }
      }
      state->gate.pass();
    };
  }
  [[nodiscard]] std::vector<Completion> seen() {
    const std::lock_guard lock(state->mutex);
    return state->all;
  }
};

class CompletionTest : public FlowTest {
protected:
  template <class Fn>
  void serve(Fn fn, Told* told, bool withdraw = false) {
    create();
    engine().define(code_of("flow", 1, std::move(fn)));
    engine().read_history_with([this](Key id, std::int64_t after, std::int64_t limit) {
      return reader().history(id, after, limit);
    });
    if (told != nullptr) engine().on_end("flow", told->handler());
    if (withdraw) engine().on_end("flow", nullptr);
    begin();
  }
  [[nodiscard]] std::optional<facts::FlowCompletion> completion(Key id) {
    const auto rows = record(id);
    if (rows.rows.completions.empty()) return std::nullopt;
    return rows.rows.completions.slots().front().row;
  }
  void await_delivered(Key id) {
    wait_until([&] { return completion(id)->state == CompletionState::delivered; });
  }
  void await_error(Key id, std::int64_t attempts) {
    wait_until([&] {
      const auto row = *completion(id);
      return row.attempts == attempts && row.last_error;
    });
  }
};

const auto kQuick = [](Flow& flow) -> Task<int> {
  co_return co_await flow.run("a", [] { return 1; });
};
const auto kWaits = [](Flow& flow) -> Task<void> { co_await flow.wait("w", "e"); };

TEST_F(CompletionTest, WithoutAHandlerThereIsNoRow) {
  serve(kQuick, nullptr);
  const auto id = run_flow();
  EXPECT_FALSE(completion(id));
}

TEST_F(CompletionTest, AnEndIsRecordedWithTheStatusAndToldOnce) {
  Told told;
  serve(kQuick, &told);
  const auto id = run_flow();
  await_delivered(id);
  ASSERT_THAT(told.seen(), SizeIs(1));
  const auto seen = told.seen().front();
  EXPECT_EQ(seen.instance_id, id);
  EXPECT_EQ(seen.flow, "flow");
  EXPECT_EQ(seen.status, InstanceStatus::completed);
  EXPECT_EQ(seen.finished_at, record(id).rows.instance.ended_at);
  EXPECT_EQ(seen.attempt, 1);
  const auto row = *completion(id);
  EXPECT_EQ(row.attempts, 1);
  EXPECT_FALSE(row.last_error);
  EXPECT_FALSE(row.next_attempt_at);
  EXPECT_EQ(row.delivered_at, clock().now());
  const auto history = record(id).history;
  EXPECT_EQ(history.back().event_type, "flow_completion_queued");
  EXPECT_EQ(history[history.size() - 2].event_type, "flow_ended");
  serve(kQuick, &told); // another start tells nothing again
  advance(Duration(48 * 3'600'000));
  settle();
  EXPECT_THAT(told.seen(), SizeIs(1));
}

TEST_F(CompletionTest, FailedAndCancelledRunsAreToldToo) {
  Told told;
  serve(
      [](Flow& flow, Value input) -> Task<std::optional<Value>> {
        if (input.find("fail") != nullptr) throw NonRetryable("no", "Broken");
        co_await flow.wait("w", "e");
        co_return std::nullopt;
      },
      &told);
  const auto failed = run_flow(Object{{"fail", true}});
  const auto cancelled = begin_flow();
  watcher().await(cancelled, "flow_step_opened");
  EXPECT_EQ(outcome_of(cancel(cancelled)), "");
  await_delivered(failed);
  await_delivered(cancelled);
  EXPECT_EQ(completion(failed)->status, InstanceStatus::failed);
  EXPECT_EQ(completion(cancelled)->status, InstanceStatus::cancelled);
}

TEST_F(CompletionTest, AFailingHandlerIsCalledAgainAndTheRunStaysAsItIs) {
  Told told;
  told.failing = 3;
  serve(kQuick, &told);
  const auto id = run_flow();
  const auto version = record(id).rows.instance.version;
  std::int64_t attempt = 0;
  for (const auto pause : {1'000, 2'000, 4'000}) {
    await_error(id, ++attempt);
    auto row = *completion(id);
    EXPECT_EQ(row.state, CompletionState::pending);
    EXPECT_EQ(row.last_error, "the ledger is closed");
    EXPECT_EQ(*row.next_attempt_at - clock().now(), Duration(pause));
    const auto before = told.seen().size();
    advance(Duration(pause - 1));
    settle();
    EXPECT_EQ(told.seen().size(), before);
    advance(Duration(1));
    wait_until([&] { return told.seen().size() > before; });
    if (pause < 4'000) {
      wait_until(
          [&] { return completion(id)->next_attempt_at == clock().now() + Duration(2 * pause); });
    }
  }
  await_delivered(id);
  EXPECT_EQ(completion(id)->attempts, 4);
  EXPECT_FALSE(completion(id)->last_error);
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  EXPECT_EQ(record(id).rows.instance.version, version);
  EXPECT_EQ(told.seen().back().instance_id, id);
  EXPECT_EQ(told.seen().back().attempt, 4);
}

TEST_F(CompletionTest, ThePauseGrowsToAnHourAndNoFurther) {
  Told told;
  told.failing = 20;
  serve(kQuick, &told);
  const auto id = run_flow();
  for (int attempt = 1; attempt <= 15; ++attempt) {
    await_error(id, attempt);
    const auto pause = std::min<std::int64_t>(1'000LL << (attempt - 1), 3'600'000);
    wait_until([&] { return completion(id)->next_attempt_at == clock().now() + Duration(pause); });
    advance(Duration(pause));
  }
}

TEST_F(CompletionTest, AProcessThatIsKilledInTheHandlerIsToldAgainWhenTheLeaseIsOver) {
  Told told;
  told.gate.close();
  serve(kQuick, &told);
  const auto id = run_flow();
  told.gate.await_arrivals(1);
  faults().dead = true;
  told.gate.open();
  crash();
  EXPECT_EQ(completion(id)->attempts, 1);
  EXPECT_EQ(completion(id)->state, CompletionState::pending);
  serve(kQuick, &told);
  settle();
  EXPECT_THAT(told.seen(), SizeIs(1)); // perhaps it is still told
  advance(Duration(30'000));
  await_delivered(id);
  ASSERT_THAT(told.seen(), SizeIs(2));
  EXPECT_EQ(told.seen()[1].instance_id, id);
  EXPECT_EQ(told.seen()[1].attempt, 2);
}

TEST_F(CompletionTest, TheLeaseOfASlowHandlerIsRenewed) {
  Told told;
  told.gate.close();
  serve(kQuick, &told);
  const auto id = run_flow();
  told.gate.await_arrivals(1);
  for (int i = 0; i < 10; ++i) {
    const auto before = *completion(id)->next_attempt_at;
    advance(Duration(15'000));
    wait_until([&] { return *completion(id)->next_attempt_at > before; });
  }
  told.gate.open();
  await_delivered(id);
  EXPECT_EQ(completion(id)->attempts, 1);
  EXPECT_THAT(told.seen(), SizeIs(1));
}

TEST_F(CompletionTest, WhatWasNotToldAtTheEndOfTheProgramIsToldByTheNext) {
  Told told;
  told.failing = 1;
  serve(kQuick, &told);
  const auto id = run_flow();
  await_error(id, 1);
  end();
  serve(kQuick, nullptr); // this one has no handler, but knows of the other
  const auto second = run_flow();
  EXPECT_EQ(completion(second)->attempts, 0);
  end();
  serve(kQuick, &told);
  advance(Duration(1'000));
  await_delivered(id);
  await_delivered(second);
}

TEST_F(CompletionTest, AProgramWithoutTheCodeThatCancelsKnowsThatItIsToBeTold) {
  Told told;
  serve(kWaits, &told);
  const auto id = begin_flow();
  watcher().await(id, "flow_step_opened");
  end();
  run();
  EXPECT_EQ(outcome_of(cancel(id)), "");
  EXPECT_EQ(completion(id)->state, CompletionState::pending);
  serve(kWaits, &told);
  await_delivered(id);
  EXPECT_EQ(told.seen().back().status, InstanceStatus::cancelled);
}

TEST_F(CompletionTest, OfAFlowWhoseHandlerIsWithdrawnNothingIsRecorded) {
  Told told;
  serve(kQuick, &told);
  await_delivered(run_flow());
  serve(kQuick, nullptr, true);
  EXPECT_FALSE(completion(run_flow()));
}

TEST_F(CompletionTest, WhatTheDatabaseCouldNotMarkIsMarkedLater) {
  Told told;
  serve(kQuick, &told);
  faults().failing_completions = 1;
  const auto id = run_flow();
  wait_until([&] { return faults().failing_completions == 0; });
  advance(Duration(1'000));
  await_delivered(id);
  EXPECT_THAT(told.seen(), SizeIs(1));
}

TEST_F(CompletionTest, ManyEndsAreToldOnceEach) {
  Told told;
  serve(kQuick, &told);
  std::vector<Key> ids;
  for (int i = 0; i < 200; ++i)
    ids.push_back(begin_flow());
  for (const auto id : ids) {
    await_end(id);
    await_delivered(id);
  }
  EXPECT_THAT(told.seen(), SizeIs(200));
}

TEST_F(CompletionTest, ItGoesWithItsRun) {
  Told told;
  Options options;
  options.retention.standard = Duration(3'600'000);
  create(options);
  engine().define(code_of("flow", 1, kQuick));
  engine().read_history_with([this](Key id, std::int64_t after, std::int64_t limit) {
    return reader().history(id, after, limit);
  });
  engine().on_end("flow", told.handler());
  begin();
  const auto id = run_flow();
  await_delivered(id);
  wait_until([&] {
    advance(Duration(3'600'000));
    return !reader().record(id).value();
  });
}

} // namespace
} // namespace perdure::engine
