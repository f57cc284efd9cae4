// What a node remembers is not what is true once another node has decided; and a node that was
// frozen while its leases ran out must not speak for attempts that came after its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

#include "app/compile.h"
#include "app/fold_check.h"
#include "base/json.h"
#include "engine/fixture.h"
#include "store/postgres/postgres.h"
#include "store/postgres_cluster.h"

namespace perdure::engine {
namespace {

using facts::AttemptState;
using testing::ElementsAre;

std::unique_ptr<test::PostgresCluster> server;

/// One engine with what it is made of.
struct Node {
  std::shared_ptr<Faults> faults = std::make_shared<Faults>();
  Watcher watcher;
  std::unique_ptr<Engine> engine;

  ~Node() { faults->commit_gate.open(); }
};

class NodesTest : public testing::Test {
protected:
  NodesTest() {
    static int count = 0;
    options_ = {.url = server->url(), .schema = "nodes" + std::to_string(++count)};
    auto database = store::postgres::open(options_);
    EXPECT_TRUE(database) << database.error().message;
    reader_ = std::move(database->reader);
  }

  ~NodesTest() override {
    left_.reset();
    right_.reset();
    const auto ids = reader_->instance_ids({.limit = 1'000});
    EXPECT_TRUE(ids);
    for (const auto id : ids.value_or(std::vector<Key>())) {
      for (const auto& difference : app::compare_with_fold(record(id)))
        ADD_FAILURE() << app::to_text(difference);
    }
    if (HasFailure()) std::cerr << log_.text();
  }

  std::unique_ptr<Node> make(const std::string& name, Handler handler = {}) {
    auto database = store::postgres::open(options_);
    EXPECT_TRUE(database) << database.error().message;
    auto node = std::make_unique<Node>();
    node->engine = std::make_unique<Engine>(make_faulty(std::move(database->store), node->faults),
                                            app::compile, clock_, log_,
                                            Options{.node_name = name, .handler_threads = 1});
    node->engine->listen(node->watcher);
    if (handler) node->engine->handle("work", std::move(handler));
    EXPECT_TRUE(node->engine->start());
    return node;
  }

  void make_both() {
    left_ = make("left");
    right_ = make("right");
  }

  template <class T>
  Answer<T> ask(const std::function<void(Reply<T>)>& send) {
    auto [reply, future] = promise_reply<T>();
    send(std::move(reply));
    return take(future);
  }

  void deploy(Node& node, const std::string& xml) {
    EXPECT_TRUE(ask<Deployed>([&](auto reply) {
      node.engine->deploy({.resources = {{"m.bpmn", xml}}}, std::move(reply));
    }));
  }

  Key start(Node& node, const std::string& process) {
    const auto started = ask<Started>([&](auto reply) {
      node.engine->start_instance({.process_id = process, .variables = Object{{"amount", 1}}},
                                  std::move(reply));
    });
    EXPECT_TRUE(started);
    return started ? started->instance_id : kNoKey;
  }

  Job fetch(Node& node, const std::string& type, const std::string& worker = "w") {
    const auto jobs = ask<std::vector<Job>>([&](auto reply) {
      static_cast<void>(node.engine->fetch(
          {.worker_id = worker, .task_types = {type}, .lock_duration = Duration(30'000)},
          std::move(reply)));
    });
    EXPECT_TRUE(jobs);
    EXPECT_EQ(jobs->size(), 1U) << type;
    return jobs->empty() ? Job{} : jobs->front();
  }

  std::string complete(Node& node, const Job& job) {
    return outcome_of(ask<Done>([&](auto reply) {
      node.engine->complete_task({.task_id = job.task_id, .worker_id = job.worker_id},
                                 std::move(reply));
    }));
  }

  void move_clock(Duration by, Node& node) {
    clock_.move(by);
    node.engine->wake();
  }

  store::InstanceRecord record(Key id) {
    auto found = reader_->record(id);
    EXPECT_TRUE(found && *found) << id;
    return found && *found ? std::move(**found) : store::InstanceRecord{};
  }

  std::vector<std::pair<AttemptState, std::string>> attempts(Key id) {
    std::vector<std::pair<AttemptState, std::string>> all;
    for (const auto& slot : record(id).rows.attempts.slots()) {
      const auto worker = slot.row.worker_id.value_or("");
      all.emplace_back(slot.row.state, worker.substr(0, worker.find(':')));
    }
    return all;
  }

  store::postgres::Options options_;
  VirtualClock clock_;
  MemoryLog log_;
  std::unique_ptr<store::Reader> reader_;
  std::unique_ptr<Node> left_;
  std::unique_ptr<Node> right_;
};

TEST_F(NodesTest, VariablesOfAMegabyteComeThroughFromOneNodeToAnother) {
  make_both();
  deploy(*left_, work_model());
  const std::string sent(1024 * 1024, 'x');
  const std::string given(1024 * 1024, 'y');
  const auto started = ask<Started>([&](auto reply) {
    left_->engine->start_instance({.process_id = "work", .variables = Object{{"sent", sent}}},
                                  std::move(reply));
  });
  ASSERT_TRUE(started);
  const auto job = fetch(*right_, "work");
  EXPECT_EQ(*job.variables.find("sent"), Value(sent));
  EXPECT_EQ(outcome_of(ask<Done>([&](auto reply) {
              left_->engine->complete_task({.task_id = job.task_id,
                                            .worker_id = job.worker_id,
                                            .variables = Value(Object{{"given", given}})},
                                           std::move(reply));
            })),
            "");
  const auto all = record(started->instance_id);
  EXPECT_EQ(all.rows.instance.status, facts::InstanceStatus::completed);
  EXPECT_EQ(all.rows.scopes.slots().front().row.variables,
            Value(Object{{"sent", sent}, {"given", given}}));
}

TEST_F(NodesTest, WhatIsRememberedIsDecidedOnAndWhatAnotherNodeChangedIsLoaded) {
  make_both();
  deploy(*left_, order_model());
  const auto id = start(*left_, "order");
  // Nobody else was at it: memory is enough.
  const auto payment = fetch(*left_, "payment");
  EXPECT_EQ(left_->faults->loads, 0);
  // The other node knows nothing yet.
  EXPECT_EQ(complete(*right_, payment), "");
  EXPECT_EQ(right_->faults->loads, 1);
  // Here the task is still locked in memory; the truth is that it is done.
  EXPECT_EQ(complete(*left_, payment), "refused TokenFinalizedTwice");
  EXPECT_EQ(left_->faults->loads, 1);
  // And the next one is open, which this node has never heard of.
  const auto stock = fetch(*right_, "stock");
  EXPECT_EQ(complete(*left_, stock), "");
  EXPECT_EQ(left_->faults->loads, 2);
  const auto shipping = fetch(*left_, "shipping");
  EXPECT_EQ(complete(*left_, shipping), "");
  EXPECT_EQ(left_->faults->loads, 2);
  EXPECT_EQ(record(id).rows.instance.status, facts::InstanceStatus::completed);
  EXPECT_EQ(left_->engine->counters().conflicts, 0);
}

TEST_F(NodesTest, WhatAnotherNodeDeployedIsTheLatest) {
  make_both();
  const auto process = [](const std::string& script) {
    return model("latest",
                 R"(<startEvent id="Start"/>)" + flow("Start", "Choose") +
                     R"(<businessRuleTask id="Choose" camunda:decisionRef="Dish"
    camunda:resultVariable="dish" camunda:mapDecisionResult="singleEntry"/>)" +
                     flow("Choose", "Note") +
                     R"(<scriptTask id="Note"><extensionElements><zeebe:script expression="=)" +
                     script + R"(" resultVariable="note"/></extensionElements></scriptTask>)");
  };
  const auto decision = [](const std::string& feel) {
    return R"(<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" id="m" name="M"
    namespace="urn:m"><decision id="Dish" name="Dish"><literalExpression><text>)" +
           feel + "</text></literalExpression></decision></definitions>";
  };
  const auto seen = [&](Node& node) {
    const auto variables = reader_->scopes(start(node, "latest")).value().front().variables;
    return json::write(*variables.find("dish")) + " " + json::write(*variables.find("note"));
  };
  deploy(*left_, process("1"));
  deploy(*left_, decision("1"));
  EXPECT_EQ(seen(*left_), "1 1");
  EXPECT_EQ(seen(*right_), "1 1");
  deploy(*right_, decision("2"));
  EXPECT_EQ(seen(*left_), "2 1");
  deploy(*right_, process("2"));
  EXPECT_EQ(seen(*left_), "2 2");
  EXPECT_EQ(seen(*right_), "2 2");
}

TEST_F(NodesTest, WithoutTheDatabaseNothingRememberedIsTakenForTrue) {
  make_both();
  deploy(*left_, order_model());
  const auto id = start(*left_, "order");
  const auto payment = fetch(*left_, "payment");
  const auto before = record(id).history.size();
  // A refusal needs no commit, which would find out.
  const Job stranger{.task_id = payment.task_id, .worker_id = "somebody else"};
  EXPECT_EQ(complete(*left_, stranger), "refused ExternalTaskLeaseConflict");
  left_->faults->failing_versions = 1;
  left_->faults->failing_loads = 1;
  EXPECT_EQ(complete(*left_, stranger), "unavailable");
  EXPECT_EQ(record(id).history.size(), before);
  EXPECT_EQ(complete(*left_, payment), "");
}

TEST_F(NodesTest, AnInstanceThatManyWantIsGivenToEachInTurn) {
  make_both();
  deploy(*left_, order_model());
  const auto id = start(*left_, "order");
  const auto payment = fetch(*left_, "payment");
  // Between the decision and its commit the other node is faster, and again, and again.
  left_->faults->commit_gate.close();
  const int passed = left_->faults->commit_gate.arrived();
  auto [reply, late] = promise_reply<Instant>();
  left_->engine->extend_lock(
      {.task_id = payment.task_id, .worker_id = "w", .lock_duration = Duration(60'000)},
      std::move(reply));
  left_->faults->commit_gate.await_arrivals(passed + 1);
  EXPECT_TRUE(ask<Instant>([&](auto other) {
    right_->engine->extend_lock(
        {.task_id = payment.task_id, .worker_id = "w", .lock_duration = Duration(50'000)},
        std::move(other));
  }));
  left_->faults->commit_gate.open();
  EXPECT_TRUE(take(late));
  EXPECT_EQ(left_->engine->counters().conflicts, 1);
  EXPECT_EQ(left_->faults->holds, 1);
  EXPECT_EQ(complete(*right_, payment), "");
  EXPECT_EQ(attempts(id).front().first, AttemptState::succeeded);
}

TEST_F(NodesTest, AFrozenHandlersAttemptIsRefusedAndItsNodeGoesOn) {
  Gate at_work; // the handler of the node that will freeze
  at_work.close();
  left_ = make("left", [&](const Job&) -> JobResult {
    at_work.pass();
    return Object{{"by", "left"}};
  });
  deploy(*left_, work_model("process", "work", 5));
  const auto id = start(*left_, "process");
  at_work.await_arrivals(1);
  // Frozen: neither the handler nor the thread that renews leases does anything.
  left_->faults->commit_gate.close();
  const int passed = left_->faults->commit_gate.arrived();
  auto [reply, stuck] = promise_reply<Started>();
  left_->engine->start_instance({.process_id = "process", .variables = Object{{"amount", 1}}},
                                std::move(reply));
  left_->faults->commit_gate.await_arrivals(passed + 1);

  right_ = make("right", [&](const Job&) -> JobResult { return Object{{"by", "right"}}; });
  move_clock(Duration(60'000), *right_);
  right_->watcher.await(id, "instance_completed");
  EXPECT_THAT(attempts(id), ElementsAre(std::pair(AttemptState::interrupted, "left"),
                                        std::pair(AttemptState::succeeded, "right")));
  const auto before = record(id).history;

  // It wakes up: what it has to say of its attempt, and its renewals, come too late.
  right_.reset();
  at_work.open();
  left_->faults->commit_gate.open();
  const auto started = take(stuck);
  ASSERT_TRUE(started);
  left_->engine->wake();
  left_->watcher.await(started->instance_id, "instance_completed");
  EXPECT_TRUE(record(id).history == before);
  const auto rows = record(id).rows;
  EXPECT_EQ(*rows.scopes.slots().front().row.variables.find("by"), Value("right"));
  // And it works as before.
  const auto fresh = start(*left_, "process");
  left_->watcher.await(fresh, "instance_completed");
  EXPECT_THAT(attempts(fresh), ElementsAre(std::pair(AttemptState::succeeded, "left")));
}

TEST_F(NodesTest, ACommitOfAFrozenNodeIsRefusedWhenItsAttemptWasTakenAway) {
  left_ = make("left", [&](const Job&) -> JobResult { return Object{{"by", "left"}}; });
  deploy(*left_, work_model("process", "work", 5));
  // Frozen within the commit of the handler's result: the second of the instance.
  left_->faults->commit_gate.close();
  auto [reply, starting] = promise_reply<Started>();
  left_->engine->start_instance({.process_id = "process", .variables = Object{{"amount", 1}}},
                                std::move(reply));
  left_->faults->commit_gate.await_arrivals(1);
  left_->faults->commit_gate.let_through(1);
  const auto started = take(starting);
  ASSERT_TRUE(started);
  const auto id = started->instance_id;
  left_->faults->commit_gate.await_arrivals(2);

  right_ = make("right", [&](const Job&) -> JobResult { return Object{{"by", "right"}}; });
  move_clock(Duration(60'000), *right_);
  right_->watcher.await(id, "instance_completed");
  const auto before = record(id).history;
  left_->faults->commit_gate.open();
  // Its next word is heard after that commit.
  const auto fresh = start(*left_, "process");
  EXPECT_TRUE(record(id).history == before);
  EXPECT_THAT(attempts(id), ElementsAre(std::pair(AttemptState::interrupted, "left"),
                                        std::pair(AttemptState::succeeded, "right")));
  EXPECT_EQ(left_->engine->counters().conflicts, 1);
  EXPECT_TRUE(wait_until(
      [&] { return record(fresh).rows.instance.status == facts::InstanceStatus::completed; }));
}

/// start -> wait for message `paid` with the key `order` -> end, or begun by the signal `go`.
constexpr std::string_view kWaiting = R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="test">
<message id="paid" name="paid"><extensionElements>
  <zeebe:subscription correlationKey="=amount"/></extensionElements></message>
<signal id="go" name="go"/>
<process id="waiting" isExecutable="true"><startEvent id="Start"/>
<startEvent id="Told"><signalEventDefinition signalRef="go"/></startEvent>
<sequenceFlow id="a" sourceRef="Start" targetRef="Wait"/>
<intermediateCatchEvent id="Wait"><messageEventDefinition messageRef="paid"/>
</intermediateCatchEvent><sequenceFlow id="b" sourceRef="Wait" targetRef="End"/>
<endEvent id="End"/><sequenceFlow id="c" sourceRef="Told" targetRef="Told_End"/>
<endEvent id="Told_End"/></process></definitions>)";

TEST_F(NodesTest, MessagesAndSubscriptionsMeetWhateverNodeTheyComeTo) {
  make_both();
  deploy(*left_, std::string(kWaiting));
  constexpr int kCount = 40;
  std::vector<std::future<Answer<Correlated>>> sent;
  std::vector<std::future<Answer<Started>>> started;
  for (int i = 0; i < kCount; ++i) {
    auto& one = i % 2 == 0 ? *left_ : *right_;
    auto& other = i % 2 == 0 ? *right_ : *left_;
    auto [started_reply, started_future] = promise_reply<Started>();
    one.engine->start_instance({.process_id = "waiting", .variables = Object{{"amount", i}}},
                               std::move(started_reply));
    started.push_back(std::move(started_future));
    auto [sent_reply, sent_future] = promise_reply<Correlated>();
    other.engine->send_message({.name = "paid", .correlation_key = std::to_string(i)},
                               std::move(sent_reply));
    sent.push_back(std::move(sent_future));
  }
  for (auto& future : sent)
    EXPECT_TRUE(take(future));
  for (auto& future : started) {
    const auto answer = take(future);
    ASSERT_TRUE(answer);
    wait_until([&] {
      return record(answer->instance_id).rows.instance.status == facts::InstanceStatus::completed;
    });
  }
}

TEST_F(NodesTest, AVersionThatAnotherNodeDeployedIsStarted) {
  make_both();
  deploy(*left_, work_model());
  const auto first = record(start(*right_, "work")).rows.instance.definition_id;
  deploy(*left_, work_model("work", "other"));
  EXPECT_GT(record(start(*right_, "work")).rows.instance.definition_id, first);
}

TEST_F(NodesTest, ASignalStartsOneInstanceAndTwoNodesNeverTwo) {
  make_both();
  deploy(*left_, std::string(kWaiting));
  for (int i = 0; i < 10; ++i) {
    auto& node = i % 2 == 0 ? *left_ : *right_;
    EXPECT_TRUE(
        ask<Done>([&](auto reply) { node.engine->send_signal({.name = "go"}, std::move(reply)); }));
  }
  wait_until([&] {
    left_->engine->wake();
    right_->engine->wake();
    return left_->engine->counters().instances_completed +
               right_->engine->counters().instances_completed >=
           10;
  });
  left_->engine->stop();
  right_->engine->stop();
  EXPECT_EQ(reader_->instance_ids({.limit = 1'000})->size(), 10U);
}

} // namespace
} // namespace perdure::engine

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  auto started = perdure::test::PostgresCluster::start();
  if (!started) {
    std::cout << "Skipped: " << started.error() << ".\n";
    return 77; // ctest counts it as skipped
  }
  perdure::engine::server = std::move(*started);
  const int code = RUN_ALL_TESTS();
  perdure::engine::server.reset();
  return code;
}
