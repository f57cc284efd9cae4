// The classic failures of engines: events that race in one turn, cycles over a change of the
// clocks, work that grows faster than its items, variables as large as they may be.
#include "base/json.h"
#include "engine/fixture.h"

namespace perdure::engine {
namespace {

using facts::InstanceStatus;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string timer(std::string_view element, std::string_view time) {
  return "<timerEventDefinition><" + std::string(element) + " xsi:type=\"tFormalExpression\">" +
         std::string(time) + "</" + std::string(element) + "></timerEventDefinition>";
}

class Classic : public EngineTest {
protected:
  /// Nodes where tokens have ended, in the order of the tokens.
  std::vector<std::string> ends(Key id) {
    std::vector<std::string> nodes;
    const auto rows = record(id).rows;
    for (const auto& slot : rows.tokens.slots())
      nodes.push_back(slot.row.node_id + " " + std::string(name_of(slot.row.state)));
    return nodes;
  }
  /// Holds the writer at its next commit, so that what is sent meanwhile comes in one batch.
  void hold() {
    const auto before = faults().commit_gate.arrived();
    faults().commit_gate.close();
    held_ = send_start("work");
    faults().commit_gate.await_arrivals(before + 1);
  }
  void let_go() {
    faults().commit_gate.open();
    EXPECT_TRUE(take(held_));
  }
  std::vector<std::string> due_times(Key id) {
    std::vector<std::string> times;
    const auto found = reader().timers(id);
    EXPECT_TRUE(found);
    for (const auto& row : *found)
      times.push_back(to_text(row.due_at) + " " + std::string(name_of(row.status)));
    return times;
  }

private:
  std::future<Answer<Started>> held_;
};

// ---- races in one turn ------------------------------------------------------------------------

std::string guarded_model() {
  return model("guarded", "<startEvent id=\"Start\"/>" + flow("Start", "Ask") +
                              service("Ask", "ask") + flow("Ask", "Done") +
                              "<endEvent id=\"Done\"/><boundaryEvent id=\"Late\" "
                              "attachedToRef=\"Ask\">" +
                              timer("timeDuration", "PT10S") + "</boundaryEvent>" +
                              flow("Late", "GivenUp") + "<endEvent id=\"GivenUp\"/>");
}

TEST_F(Classic, OfATaskAndItsBoundaryEventExactlyOneWins) {
  run();
  deploy(guarded_model());
  deploy(work_model());
  const auto rows_of = [&](Key id) {
    const auto rows = record(id).rows;
    EXPECT_EQ(rows.timers.size(), 1U);
    EXPECT_EQ(rows.external_tasks.size(), 1U);
    return std::string(name_of(rows.external_tasks.slots().front().row.state)) + " " +
           std::string(name_of(rows.timers.slots().front().row.status));
  };
  const auto done = start("guarded");
  EXPECT_EQ(outcome_of(complete(fetch_one("ask").task_id)), "");
  advance(Duration(10'000));
  settle();
  EXPECT_EQ(rows_of(done), "completed cancelled");
  EXPECT_THAT(ends(done), ElementsAre("Done completed"));

  const auto late = start("guarded");
  const auto late_job = fetch_one("ask");
  advance(Duration(10'000));
  watcher().await(late, "instance_completed");
  EXPECT_EQ(outcome_of(complete(late_job.task_id)), "refused TokenFinalizedTwice");
  EXPECT_EQ(rows_of(late), "cancelled fired");

  // Both in one batch: the answer and the rows tell the same winner.
  for (int i = 0; i < 4; ++i) {
    const auto id = start("guarded");
    const auto job = fetch_one("ask");
    hold();
    clock().move(Duration(10'000));
    auto [reply, answer] = promise_reply<Done>();
    engine().complete_task({.task_id = job.task_id, .worker_id = "w1"}, std::move(reply));
    engine().wake();
    let_go();
    const auto outcome = outcome_of(take(answer));
    watcher().await(id, "instance_completed");
    EXPECT_EQ(rows_of(id), outcome.empty() ? "completed cancelled" : "cancelled fired");
    EXPECT_EQ(watcher().count(id, "instance_completed"), 1);
  }
}

TEST_F(Classic, AMessageInTheBatchOfItsSubscriptionIsTakenOnce) {
  run();
  deploy(work_model());
  auto text = model("order", "<startEvent id=\"Start\"/>" + flow("Start", "Wait") +
                                 "<intermediateCatchEvent id=\"Wait\"><messageEventDefinition "
                                 "messageRef=\"paid\"/></intermediateCatchEvent>");
  text.insert(text.find("<process"),
              "<message id=\"paid\" name=\"paid\"><extensionElements>"
              "<zeebe:subscription correlationKey=\"=order\"/></extensionElements></message>");
  deploy(text);
  for (const bool message_first : {true, false}) {
    const std::string key = message_first ? "1" : "2";
    hold();
    auto [start_reply, started] = promise_reply<Started>();
    auto [message_reply, correlated] = promise_reply<Correlated>();
    auto send = [&, reply = std::move(message_reply)]() mutable {
      engine().send_message({.name = "paid", .correlation_key = key}, std::move(reply));
    };
    if (message_first) send();
    engine().start_instance({.process_id = "order", .variables = Object{{"order", key}}},
                            std::move(start_reply));
    if (!message_first) send();
    let_go();
    ASSERT_TRUE(take(correlated));
    const auto id = take(started)->instance_id;
    watcher().await(id, "instance_completed");
    const auto rows = record(id).rows;
    EXPECT_EQ(rows.subscriptions.slots().front().row.trigger_count, 1);
    // It is used up: the next one waits.
    const auto next = start("order", Object{{"order", key}});
    settle();
    EXPECT_EQ(status(next), InstanceStatus::running);
  }
}

// ---- cycles -----------------------------------------------------------------------------------

std::string cycle_model(std::string_view cycle) {
  return model("cycle", "<startEvent id=\"Start\"/>" + flow("Start", "Ask") +
                            "<userTask id=\"Ask\"/><boundaryEvent id=\"Tick\" "
                            "attachedToRef=\"Ask\" cancelActivity=\"false\">" +
                            timer("timeCycle", cycle) + "</boundaryEvent>" + flow("Tick", "Seen") +
                            "<endEvent id=\"Seen\"/>");
}

TEST_F(Classic, ACycleKeepsItsPeriodWhenTheClocksChange) {
  run();
  // Clocks go forward in Berlin on 28 March 2027 at 01:00Z, and back on 31 October.
  deploy(cycle_model("R3/2027-03-27T08:00:00+01:00/P1D"));
  const auto spring = start("cycle");
  clock().move(*parse_instant("2027-03-27T06:59:59Z") - clock().now());
  settle();
  EXPECT_THAT(due_times(spring), ElementsAre("2027-03-27T07:00:00.000Z scheduled"));
  // The same row for all of its occurrences.
  const auto day = Duration(24 * 3'600'000);
  const std::pair<Duration, std::string> days[] = {
      {Duration(1'000), "2027-03-28T07:00:00.000Z scheduled"},
      {day, "2027-03-29T07:00:00.000Z scheduled"},
      {day, "2027-03-29T07:00:00.000Z fired"},
  };
  int fired = 0;
  for (const auto& [wait, then] : days) {
    advance(wait);
    watcher().await(spring, "timer_fired", ++fired);
    settle();
    EXPECT_EQ(watcher().count(spring, "timer_fired"), fired);
    EXPECT_THAT(due_times(spring), ElementsAre(then));
  }
  advance(Duration(10 * 24 * 3'600'000));
  settle();
  EXPECT_EQ(watcher().count(spring, "timer_fired"), 3);
}

TEST_F(Classic, ACycleThatBeganInThePastComesOnceForAllThatWasMissed) {
  run();
  const auto now = clock().now();
  deploy(cycle_model("R5/" + to_text(now - Duration(3 * 3'600'000 + 1)) + "/PT1H"));
  const auto id = start("cycle");
  watcher().await(id, "timer_fired");
  settle();
  EXPECT_EQ(watcher().count(id, "timer_fired"), 1);
  EXPECT_THAT(due_times(id), ElementsAre(to_text(now + Duration(3'600'000 - 1)) + " scheduled"));
  advance(Duration(3'600'000));
  watcher().await(id, "timer_fired", 2);
  advance(Duration(100 * 3'600'000));
  settle();
  EXPECT_EQ(watcher().count(id, "timer_fired"), 2); // the fifth was the last
}

// ---- growth -----------------------------------------------------------------------------------

/// What a multi-instance of so many items cost.
struct Cost {
  std::int64_t statements = 0;
  std::int64_t rows = 0;
  std::int64_t facts = 0;
};
Cost operator-(const Cost& more, const Cost& less) {
  return {more.statements - less.statements, more.rows - less.rows, more.facts - less.facts};
}

class Growth : public Classic, public ::testing::WithParamInterface<const char*> {
protected:
  Cost now() { return {database().statements, database().rows, engine().counters().facts}; }
};

/// Each further item costs what those before cost: of as many more, exactly the same.
TEST_P(Growth, TheCostOfAnItemDoesNotGrowWithTheItems) {
  run();
  const std::string body = GetParam();
  deploy(model("items", body +
                            "<multiInstanceLoopCharacteristics><loopCardinality>=count"
                            "</loopCardinality></multiInstanceLoopCharacteristics></" +
                            body.substr(1, body.find(' ') - 1) + ">"));
  std::vector<Cost> costs;
  for (const int count : {1'000, 2'000, 10'000}) {
    settle();
    const auto before = now();
    const auto id = start("items", Object{{"count", count}});
    for (std::int64_t facts = -1; facts != engine().counters().facts;) {
      facts = engine().counters().facts;
      settle();
    }
    costs.push_back(now() - before);
    const auto version = record(id).rows.instance.version;
    EXPECT_EQ(costs.back().facts, version);
    if (status(id) == InstanceStatus::running) EXPECT_EQ(outcome_of(cancel(id)), "");
  }
  const auto thousand = costs[1] - costs[0];
  const auto nine_thousand = costs[2] - costs[0];
  EXPECT_EQ(nine_thousand.facts, 9 * thousand.facts);
  EXPECT_EQ(nine_thousand.rows, 9 * thousand.rows);
  // Of statements a few are those of sweeps, which come when they come.
  EXPECT_NEAR(static_cast<double>(nine_thousand.statements) / 9'000,
              static_cast<double>(thousand.statements) / 1'000, 0.2);
}

INSTANTIATE_TEST_SUITE_P(
    Items, Growth,
    ::testing::Values("<task id=\"Each\">",
                      "<serviceTask id=\"Each\"><extensionElements><zeebe:taskDefinition "
                      "type=\"each\" /></extensionElements>"));

// ---- large variables --------------------------------------------------------------------------

TEST_F(Classic, VariablesOfAMegabyteComeThroughEverything) {
  run({.cached_instances = 0});
  deploy(work_model());
  const std::string sent(1024 * 1024, 'x');
  const std::string given(1024 * 1024, 'y');
  const auto id = start("work", Object{{"sent", sent}});
  const auto job = fetch_one("work");
  EXPECT_EQ(*job.variables.find("sent"), Value(sent));
  EXPECT_EQ(outcome_of(complete(job.task_id, "w1", Object{{"given", given}})), "");
  EXPECT_EQ(status(id), InstanceStatus::completed);
  const auto all = record(id);
  EXPECT_EQ(all.rows.scopes.slots().front().row.variables,
            Value(Object{{"sent", sent}, {"given", given}}));
  EXPECT_EQ(*all.rows.instance.input.find("sent"), Value(sent));
  std::int64_t large = 0;
  for (const auto& event : all.history)
    large += json::write(event.payload).size() > sent.size() ? 1 : 0;
  EXPECT_GE(large, 2); // the start and what came of the work
}

TEST_F(Classic, VariablesBeyondTheLimitAreRefusedAndChangeNothing) {
  run();
  deploy(work_model());
  const Value beyond = Object{{"a", std::string(16 * 1024 * 1024, 'x')}};
  const auto started = try_start({.process_id = "work", .variables = beyond});
  ASSERT_FALSE(started);
  EXPECT_EQ(outcome_of(started), "refused BadVariables");
  EXPECT_THAT(started.error().message, HasSubstr("send at most 16 MiB"));
  EXPECT_TRUE(instances().empty());
  const auto id = start("work");
  const auto job = fetch_one("work");
  const auto before = record(id).history.size();
  const auto completed = complete(job.task_id, "w1", beyond);
  EXPECT_EQ(outcome_of(completed), "refused BadVariables");
  EXPECT_EQ(record(id).history.size(), before);
  EXPECT_EQ(outcome_of(complete(job.task_id)), "");
}

} // namespace
} // namespace perdure::engine
