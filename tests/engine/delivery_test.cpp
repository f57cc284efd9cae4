// Messages and signals on their way: before, during and after somebody waits for them, across
// crashes, and in whatever form they come.
#include "engine/fixture.h"

namespace perdure::engine {
namespace {

using facts::InstanceStatus;
using ::testing::ElementsAre;
using Fate = Correlated::Fate;

constexpr std::string_view kHead =
    R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" targetNamespace="test">
<message id="paid" name="paid"><extensionElements>
  <zeebe:subscription correlationKey="=order"/></extensionElements></message>
<message id="plain" name="plain"/>
<signal id="alarm" name="alarm"/>
<message id="said" name="= &quot;new &quot; + &quot;order&quot;"/>
)";

std::string file(std::string_view process_id, std::string_view elements) {
  return std::string(kHead) + "<process id=\"" + std::string(process_id) +
         "\" isExecutable=\"true\">\n" + std::string(elements) + "</process>\n</definitions>\n";
}

std::string catching(std::string_view id, std::string_view definition) {
  return "<intermediateCatchEvent id=\"" + std::string(id) + "\">" + std::string(definition) +
         "</intermediateCatchEvent>\n";
}

constexpr std::string_view kPaid = R"(<messageEventDefinition messageRef="paid"/>)";
constexpr std::string_view kPlain = R"(<messageEventDefinition messageRef="plain"/>)";
constexpr std::string_view kAlarm = R"(<signalEventDefinition signalRef="alarm"/>)";

/// start -> catch -> end
std::string waiting(std::string_view process_id, std::string_view definition) {
  return file(process_id, "<startEvent id=\"Start\"/>" + flow("Start", "Wait") +
                              catching("Wait", definition) + flow("Wait", "End") +
                              "<endEvent id=\"End\"/>");
}

class Delivery : public EngineTest {
protected:
  facts::Token last_token(Key id) {
    const auto rows = record(id).rows;
    return std::prev(rows.tokens.slots().end())->row;
  }
  Answer<Correlated> send(MessageCommand command) {
    return ask<Correlated>(
        [&](auto reply) { engine().send_message(std::move(command), std::move(reply)); });
  }
  Correlated sent(MessageCommand command) {
    auto answer = send(std::move(command));
    if (!answer) ADD_FAILURE() << answer.error().message;
    return answer.value_or(Correlated{});
  }
  Answer<Done> signal(std::string name, Value variables = {}, std::string key = {}) {
    SignalCommand command{.name = std::move(name), .variables = std::move(variables)};
    if (!key.empty()) {
      command.idempotency = Idempotency{.key = std::move(key), .digest = std::string(64, 'a')};
    }
    return ask<Done>(
        [&](auto reply) { engine().send_signal(std::move(command), std::move(reply)); });
  }
  Value variables(Key instance_id) {
    const auto rows = record(instance_id).rows;
    return rows.scopes.slots().front().row.variables;
  }
  /// Waits until so many instances have ended, and gives them.
  std::vector<Key> ended(int count) {
    wait_until([&] { return engine().counters().instances_completed == count; });
    return instances();
  }
};

MessageCommand paid(std::string key, Value variables = {}) {
  return {.name = "paid", .correlation_key = std::move(key), .variables = std::move(variables)};
}

TEST_F(Delivery, AMessageAfterItsSubscriptionIsTaken) {
  run();
  deploy(waiting("order", kPaid));
  const auto other = start("order", Object{{"order", "8"}});
  const auto id = start("order", Object{{"order", "7"}});
  const auto correlated = sent(paid("7", Object{{"amount", 12}}));
  EXPECT_EQ(correlated.fate, Fate::taken);
  EXPECT_EQ(correlated.instance_id, id);
  EXPECT_EQ(status(id), InstanceStatus::completed);
  EXPECT_EQ(variables(id), Value(Object{{"order", "7"}, {"amount", 12}}));
  EXPECT_EQ(status(other), InstanceStatus::running);
}

TEST_F(Delivery, AMessageBeforeItsSubscriptionWaitsForIt) {
  run();
  deploy(waiting("order", kPaid));
  EXPECT_EQ(sent(paid("7", Object{{"n", 1}})).fate, Fate::buffered);
  EXPECT_EQ(sent(paid("7", Object{{"n", 2}})).fate, Fate::buffered);
  const auto first = start("order", Object{{"order", 7}});
  watcher().await(first, "instance_completed");
  EXPECT_EQ(*variables(first).find("n"), Value(1));
  const auto second = start("order", Object{{"order", 7}});
  watcher().await(second, "instance_completed");
  EXPECT_EQ(*variables(second).find("n"), Value(2));
  const auto third = start("order", Object{{"order", 7}});
  settle();
  EXPECT_EQ(status(third), InstanceStatus::running);
}

TEST_F(Delivery, AMessageLivesAsLongAsItWasGiven) {
  run();
  deploy(waiting("order", kPaid));
  auto command = paid("7");
  command.time_to_live = Duration(1'000);
  EXPECT_EQ(sent(command).fate, Fate::buffered);
  advance(Duration(1'000));
  const auto id = start("order", Object{{"order", "7"}});
  settle();
  EXPECT_EQ(status(id), InstanceStatus::running);
  command.correlation_key = "9";
  command.time_to_live = Duration::zero();
  EXPECT_EQ(outcome_of(send(command)), "refused MessageNotAwaited");
  command.time_to_live = Duration::max();
  EXPECT_EQ(sent(command).fate, Fate::buffered);
  command.time_to_live = Duration(-1);
  EXPECT_EQ(outcome_of(send(command)), "invalid_input");
}

TEST_F(Delivery, HostileMessagesAreTurnedAway) {
  run();
  EXPECT_EQ(outcome_of(send({.name = ""})), "invalid_input");
  EXPECT_EQ(outcome_of(send({.name = "paid", .variables = Value(3)})), "invalid_input");
  EXPECT_EQ(outcome_of(send({.name = "paid", .message_id = ""})), "invalid_input");
  EXPECT_EQ(outcome_of(send({.name = "paid", .start_once_per_key = true})), "invalid_input");
  EXPECT_EQ(outcome_of(signal("")), "invalid_input");
  EXPECT_EQ(outcome_of(signal("alarm", Value(Array{}))), "invalid_input");
}

TEST_F(Delivery, TheSameMessageIdTwiceHasOneEffect) {
  run();
  deploy(waiting("order", kPaid));
  auto command = paid("7");
  command.message_id = "m-1";
  EXPECT_EQ(sent(command).fate, Fate::buffered);
  EXPECT_TRUE(sent(command).repeated);
  const auto first = start("order", Object{{"order", "7"}});
  watcher().await(first, "instance_completed");
  const auto second = start("order", Object{{"order", "7"}});
  EXPECT_TRUE(sent(command).repeated);
  settle();
  EXPECT_EQ(status(second), InstanceStatus::running);
  command.message_id = "m-2";
  EXPECT_EQ(sent(command).instance_id, second);
  EXPECT_TRUE(sent(command).repeated);
  advance(Duration(3 * 3'600'000));
  settle();
  EXPECT_EQ(sent(command).repeated, false);
}

TEST_F(Delivery, AnIdempotencyKeyGivesTheFirstAnswer) {
  run();
  deploy(waiting("order", kPaid));
  const auto id = start("order", Object{{"order", "7"}});
  start("order", Object{{"order", "7"}});
  auto command = paid("7");
  command.idempotency = Idempotency{.key = "k", .digest = std::string(64, 'a')};
  EXPECT_EQ(sent(command).instance_id, id);
  const auto again = sent(command);
  EXPECT_EQ(again.instance_id, id);
  EXPECT_TRUE(again.repeated);
  command.correlation_key = "8";
  command.idempotency = Idempotency{.key = "l", .digest = std::string(64, 'b')};
  EXPECT_EQ(sent(command).fate, Fate::buffered);
  EXPECT_EQ(sent(command).fate, Fate::buffered);
}

TEST_F(Delivery, AnAmbiguousMatchIsRefusedOnRequest) {
  run();
  deploy(waiting("order", kPaid));
  const auto first = start("order", Object{{"order", "7"}});
  start("order", Object{{"order", "7"}});
  auto command = paid("7");
  command.refuse_ambiguous = true;
  EXPECT_EQ(outcome_of(send(command)), "refused AmbiguousMessage");
  command.refuse_ambiguous = false;
  EXPECT_EQ(sent(command).instance_id, first);
}

TEST_F(Delivery, AKeyFindsTheBusinessKeyOfWhoWaitsWithoutOne) {
  run();
  deploy(waiting("order", kPlain));
  const auto start_with = [&](std::string key) {
    return try_start({.process_id = "order", .business_key = std::move(key)})->instance_id;
  };
  start_with("a");
  const auto second = start_with("b");
  EXPECT_EQ(sent({.name = "plain", .correlation_key = "b"}).instance_id, second);
  EXPECT_EQ(sent({.name = "plain", .correlation_key = "c"}).fate, Fate::buffered);
  const auto third = start_with("c");
  watcher().await(third, "instance_completed");
}

TEST_F(Delivery, AMessageStartsTheNewestVersion) {
  run();
  const auto starting = [](std::string_view end) {
    return file("order", R"(<startEvent id="Start">)" + std::string(kPlain) + "</startEvent>" +
                             flow("Start", end) + "<endEvent id=\"" + std::string(end) + "\"/>");
  };
  deploy(starting("One"));
  deploy(starting("Two"));
  auto command = MessageCommand{.name = "plain",
                                .correlation_key = "7",
                                .variables = Object{{"x", 1}},
                                .start_once_per_key = true};
  const auto started = sent(command);
  EXPECT_EQ(started.fate, Fate::started);
  const auto rows = record(*started.instance_id).rows;
  EXPECT_EQ(rows.tokens.slots().front().row.node_id, "Two");
  EXPECT_EQ(rows.instance.business_key, "7");
  EXPECT_EQ(rows.instance.input, Value(Object{{"x", 1}}));
  EXPECT_EQ(outcome_of(send(command)), "refused BusinessKeyTaken");
  command.start_once_per_key = false;
  EXPECT_EQ(sent(command).fate, Fate::started);
}

TEST_F(Delivery, AMessageThrownReachesAnotherInstance) {
  run();
  deploy(waiting("order", kPaid));
  deploy(file("pay", "<startEvent id=\"Start\"/>" + flow("Start", "End") + "<endEvent id=\"End\">" +
                         std::string(kPaid) + "</endEvent>"));
  const auto id = start("order", Object{{"order", "7"}});
  start("pay", Object{{"order", "7"}});
  watcher().await(id, "instance_completed");
  start("pay", Object{{"order", "8"}});
  const auto late = start("order", Object{{"order", "8"}});
  watcher().await(late, "instance_completed");
}

TEST_F(Delivery, ANonInterruptingBoundaryTakesEveryMessage) {
  run();
  deploy(file("order", "<startEvent id=\"Start\"/>" + flow("Start", "Work") +
                           "<userTask id=\"Work\"/>" + flow("Work", "End") +
                           "<endEvent id=\"End\"/>"
                           "<boundaryEvent id=\"Note\" attachedToRef=\"Work\" "
                           "cancelActivity=\"false\">" +
                           std::string(kPaid) + "</boundaryEvent>" + flow("Note", "Noted") +
                           "<endEvent id=\"Noted\"/>"));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(sent(paid("7")).fate, Fate::buffered);
  const auto id = start("order", Object{{"order", "7"}});
  settle();
  settle();
  EXPECT_EQ(sent(paid("7")).instance_id, id);
  const auto rows = record(id).rows;
  EXPECT_EQ(rows.subscriptions.slots().front().row.trigger_count, 4);
}

TEST_F(Delivery, ASignalReachesAllWhoWaitAndStartsProcesses) {
  run();
  deploy(waiting("listener", kAlarm));
  deploy(file("starter", R"(<startEvent id="Start">)" + std::string(kAlarm) + "</startEvent>" +
                             flow("Start", "End") + "<endEvent id=\"End\"/>"));
  std::vector<Key> waiters;
  for (int i = 0; i < 600; ++i)
    waiters.push_back(start("listener"));
  ASSERT_TRUE(signal("alarm", Object{{"level", 3}}));
  const auto all = ended(601);
  EXPECT_EQ(all.size(), 601U);
  for (const auto id : all) {
    EXPECT_EQ(status(id), InstanceStatus::completed);
    EXPECT_EQ(*variables(id).find("level"), Value(3));
  }
  const auto late = start("listener");
  settle();
  EXPECT_EQ(status(late), InstanceStatus::running);
}

TEST_F(Delivery, ConditionsBeginTheNewestVersionsThatTheyHoldFor) {
  run();
  const auto when = [](std::string_view id, std::string_view condition) {
    return file(id, R"(<startEvent id="Start"><conditionalEventDefinition><condition>)" +
                        std::string(condition) +
                        "</condition></conditionalEventDefinition></startEvent>" +
                        flow("Start", "End") + "<endEvent id=\"End\"/>");
  };
  deploy(when("hot", "= temperature &gt; 90"));
  deploy(when("hot", "= temperature &gt; 30"));
  deploy(when("cold", "= temperature &lt; 0"));
  deploy(when("odd", "= missing.member"));
  const auto offered = [&](Value variables, std::string key = {}) {
    ConditionsCommand command{.variables = std::move(variables), .business_key = "K"};
    if (!key.empty()) {
      command.idempotency = Idempotency{.key = std::move(key), .digest = std::string(64, 'b')};
    }
    return ask<Begun>(
        [&](auto reply) { engine().offer_conditions(std::move(command), std::move(reply)); });
  };
  EXPECT_TRUE(offered(Object{{"temperature", 20}})->instances.empty());
  EXPECT_EQ(outcome_of(offered(Value(Array{}))), "invalid_input");
  const auto first = offered(Object{{"temperature", 31}}, "k");
  ASSERT_TRUE(first);
  ASSERT_EQ(first->instances.size(), 1U);
  EXPECT_EQ(first->instances.front().process_id, "hot");
  EXPECT_EQ(first->instances.front().node_id, "Start");
  const auto again = offered(Object{{"temperature", 31}}, "k");
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->repeated);
  ASSERT_EQ(again->instances.size(), 1U);
  EXPECT_EQ(again->instances.front().id, first->instances.front().id);
  EXPECT_EQ(ended(1), std::vector{first->instances.front().id});
  EXPECT_EQ(*variables(first->instances.front().id).find("temperature"), Value(31));
  EXPECT_EQ(record(first->instances.front().id).rows.instance.business_key, "K");
}

TEST_F(Delivery, TheNameOfAStartMayBeAnExpression) {
  run();
  deploy(file("begun", R"(<startEvent id="Start"><messageEventDefinition messageRef="said"/>)"
                       "</startEvent>" +
                           flow("Start", "End") + "<endEvent id=\"End\"/>"));
  EXPECT_EQ(sent({.name = "new order"}).fate, Correlated::Fate::started);
  EXPECT_EQ(ended(1).size(), 1U);
}

TEST_F(Delivery, AnEventGatewayBeginsTheProcessAndTheOtherMessageFindsIt) {
  run();
  deploy(file("pair",
              "<eventBasedGateway id=\"G\" instantiate=\"true\" "
              "eventGatewayType=\"Parallel\"/>" +
                  flow("G", "Paid") + catching("Paid", kPaid) + flow("Paid", "A") +
                  "<endEvent id=\"A\"/>" + flow("G", "Alarm") + catching("Alarm", kAlarm) +
                  flow("Alarm", "B") + "<endEvent id=\"B\"/>"));
  ASSERT_TRUE(signal("alarm", Object{{"order", "7"}}));
  wait_until([&] { return instances().size() == 1; });
  const auto id = instances().front();
  const auto taken = sent({.name = "paid", .correlation_key = "7"});
  EXPECT_EQ(taken.fate, Correlated::Fate::taken);
  EXPECT_EQ(taken.instance_id, id);
  watcher().await(id, "instance_completed");
  // The next one begins by the other event.
  const auto begun =
      sent({.name = "paid", .correlation_key = "8", .variables = Object{{"order", "8"}}});
  EXPECT_EQ(begun.fate, Correlated::Fate::started);
  ASSERT_TRUE(signal("alarm"));
  watcher().await(*begun.instance_id, "instance_completed");
}

TEST_F(Delivery, TheSenderOfASignalHasItOnce) {
  run();
  deploy(file("both", "<startEvent id=\"Start\"/>" + flow("Start", "Fork") +
                          "<parallelGateway id=\"Fork\"/>" + flow("Fork", "Wait") +
                          catching("Wait", kAlarm) + flow("Wait", "Again") +
                          catching("Again", kAlarm) + flow("Again", "A") + "<endEvent id=\"A\"/>" +
                          flow("Fork", "B") + "<endEvent id=\"B\">" + std::string(kAlarm) +
                          "</endEvent>"));
  const auto id = start("both");
  settle();
  settle();
  EXPECT_EQ(status(id), InstanceStatus::running);
  EXPECT_EQ(step(id, "Wait").status, facts::StepStatus::completed);
  EXPECT_EQ(step(id, "Again").status, facts::StepStatus::waiting);
}

TEST_F(Delivery, ATimerStartsInstancesOfTheNewestVersion) {
  run();
  const auto timed = [](std::string_view end, std::string_view when) {
    return file("tick", R"(<startEvent id="Start"><timerEventDefinition>)" + std::string(when) +
                            "</timerEventDefinition></startEvent>" + flow("Start", end) +
                            "<endEvent id=\"" + std::string(end) + "\"/>");
  };
  deploy(timed("One", R"(<timeCycle>R3/PT10S</timeCycle>)"));
  advance(Duration(10'000));
  EXPECT_EQ(ended(1).size(), 1U);
  deploy(timed("Two", R"(<timeDuration>PT1M</timeDuration>)"));
  advance(Duration(60'000));
  const auto all = ended(2);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(record(all[1]).rows.tokens.slots().front().row.node_id, "Two");
  advance(Duration(600'000));
  settle();
  EXPECT_EQ(instances().size(), 2U);
}

TEST_F(Delivery, AHandlerReportsAnErrorOfTheModel) {
  create();
  engine().handle("work", [](const Job&) -> JobResult {
    return std::unexpected(JobFailure{
        .message = "No money.", .bpmn_error = "broke", .variables = Value(Object{{"missing", 5}})});
  });
  begin();
  deploy(std::string(kHead) +
         "<error id=\"e\" errorCode=\"broke\"/><process id=\"order\" isExecutable=\"true\">"
         "<startEvent id=\"Start\"/>" +
         flow("Start", "Work") + service("Work", "work") + flow("Work", "End") +
         "<endEvent id=\"End\"/><boundaryEvent id=\"Caught\" attachedToRef=\"Work\">"
         "<errorEventDefinition errorRef=\"e\"/></boundaryEvent>" +
         flow("Caught", "Else") + "<endEvent id=\"Else\"/></process></definitions>");
  const auto id = start("order");
  watcher().await(id, "instance_completed");
  EXPECT_EQ(*variables(id).find("missing"), Value(5));
}

TEST_F(Delivery, OfAMessageAndATimerExactlyOneWins) {
  run();
  deploy(file("order", "<startEvent id=\"Start\"/>" + flow("Start", "Choose") +
                           "<eventBasedGateway id=\"Choose\"/>" + flow("Choose", "Wait") +
                           catching("Wait", kPaid) + flow("Wait", "Paid") +
                           "<endEvent id=\"Paid\"/>" + flow("Choose", "Late") +
                           catching("Late",
                                    "<timerEventDefinition><timeDuration>PT10S</timeDuration>"
                                    "</timerEventDefinition>") +
                           flow("Late", "Unpaid") + "<endEvent id=\"Unpaid\"/>"));
  const auto end_of = [&](Key id) {
    watcher().await(id, "instance_completed");
    return last_token(id).node_id;
  };
  const auto first = start("order", Object{{"order", "1"}});
  EXPECT_EQ(sent(paid("1")).fate, Fate::taken);
  advance(Duration(10'000));
  EXPECT_EQ(end_of(first), "Paid");
  const auto second = start("order", Object{{"order", "2"}});
  advance(Duration(10'000));
  EXPECT_EQ(end_of(second), "Unpaid");
  EXPECT_EQ(sent(paid("2")).fate, Fate::buffered);
  // Both in one turn: the clock has moved, and nobody has looked yet.
  for (int i = 3; i < 9; ++i) {
    const auto id = start("order", Object{{"order", i}});
    clock().move(Duration(10'000));
    const auto fate = sent(paid(std::to_string(i))).fate;
    EXPECT_EQ(end_of(id), fate == Fate::taken ? "Paid" : "Unpaid");
    EXPECT_EQ(last_token(id).state, facts::TokenState::completed);
  }
}

TEST_F(Delivery, TenThousandWaitersHaveASignalOnceAcrossACrash) {
  constexpr std::size_t kCount = 10'000;
  run();
  deploy(waiting("listener", kAlarm));
  std::vector<std::future<Answer<Started>>> started;
  for (std::size_t i = 0; i < kCount; ++i)
    started.push_back(send_start("listener"));
  for (auto& future : started)
    ASSERT_TRUE(take(future));
  ASSERT_TRUE(signal("alarm"));
  wait_until([&] { return engine().counters().instances_completed > 1'500; });
  const auto before = engine().counters().instances_completed.load();
  EXPECT_LT(before, static_cast<std::int64_t>(kCount));
  crash();

  run();
  wait_until([&] {
    const auto running = reader().instances({.status = InstanceStatus::running}, {.limit = 1});
    return running && running->empty();
  });
  std::size_t completed = 0;
  for (Key after = kNoKey;;) {
    const auto page = reader().instance_ids({.limit = 1'000, .after = after});
    ASSERT_TRUE(page);
    if (page->empty()) break;
    after = page->back();
    for (const auto id : *page) {
      const auto rows = record(id).rows;
      completed += rows.instance.status == InstanceStatus::completed ? 1U : 0U;
      EXPECT_EQ(rows.subscriptions.slots().front().row.trigger_count, 1);
    }
  }
  EXPECT_EQ(completed, kCount);
}

/// Dies at one commit after another, with that commit lost or written.
class DeliveryDyingAt : public Delivery,
                        public ::testing::WithParamInterface<std::tuple<int, bool>> {};

TEST_P(DeliveryDyingAt, NothingIsLostAndNothingComesTwice) {
  run();
  deploy(file("order", "<startEvent id=\"Start\"/>" + flow("Start", "Work") +
                           "<userTask id=\"Work\"/>" + flow("Work", "End") +
                           "<endEvent id=\"End\"/>"
                           "<boundaryEvent id=\"Note\" attachedToRef=\"Work\" "
                           "cancelActivity=\"false\">" +
                           std::string(kAlarm) + "</boundaryEvent>" + flow("Note", "Send") +
                           "<intermediateThrowEvent id=\"Send\">" + std::string(kPaid) +
                           "</intermediateThrowEvent>" + flow("Send", "Noted") +
                           "<endEvent id=\"Noted\"/>"));
  deploy(waiting("receiver", kPaid));
  std::vector<Key> senders;
  for (int i = 0; i < 3; ++i)
    senders.push_back(start("order", Object{{"order", i}}));
  create();
  faults().dies_at_commit = std::get<0>(GetParam());
  faults().dies_after_writing = std::get<1>(GetParam());
  begin();
  static_cast<void>(signal("alarm", {}, "k"));
  wait_until([&] {
    engine().wake();
    return faults().dead || faults().sweeps >= 12;
  });
  crash();

  run();
  // Whoever had no answer asks again.
  ASSERT_TRUE(signal("alarm", {}, "k"));
  std::vector<Key> receivers;
  for (int i = 0; i < 3; ++i)
    receivers.push_back(start("receiver", Object{{"order", i}}));
  for (const auto id : receivers)
    watcher().await(id, "instance_completed");
  for (const auto id : senders) {
    const auto rows = record(id).rows;
    EXPECT_EQ(rows.subscriptions.slots().front().row.trigger_count, 1) << id;
    EXPECT_EQ(rows.pending_events.size(), 1U);
    EXPECT_EQ(rows.pending_events.slots().front().row.state, facts::PendingState::delivered);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryCommit, DeliveryDyingAt,
                         ::testing::Combine(::testing::Range(1, 7), ::testing::Bool()));

} // namespace
} // namespace perdure::engine
