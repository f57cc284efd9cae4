// Flows that call flows and processes, and processes that call flows.
#include <atomic>

#include "flows/flow_fixture.h"

namespace perdure::engine {
namespace {

using namespace std::chrono_literals;
using facts::InstanceStatus;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kProcess = R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
             xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="t">
  <process id="ship" isExecutable="true">
    <startEvent id="begin"/>
    <sequenceFlow id="f1" sourceRef="begin" targetRef="pack"/>
    <serviceTask id="pack" camunda:type="external" camunda:topic="pack"/>
    <sequenceFlow id="f2" sourceRef="pack" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>)";

constexpr const char* kCaller = R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
             xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="t">
  <process id="caller" isExecutable="true">
    <startEvent id="begin"/>
    <sequenceFlow id="f1" sourceRef="begin" targetRef="call"/>
    <callActivity id="call">
      <extensionElements>
        <zeebe:calledElement processId="flow" propagateAllChildVariables="true"/>
      </extensionElements>
    </callActivity>
    <sequenceFlow id="f2" sourceRef="call" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>)";

class CallTest : public FlowTest {
protected:
  Key other_than(Key id) {
    for (const auto one : instances()) {
      if (one != id) return one;
    }
    return kNoKey;
  }
};

TEST_F(CallTest, AFlowCallsAProcessAndGetsItsVariables) {
  host([](Flow& flow) -> Task<Value> {
    co_return co_await flow.call<Value>("ship", "ship", Object{{"order", "o-1"}});
  });
  deploy(kProcess);
  const auto id = rested_flow();
  EXPECT_THAT(steps(id), ElementsAre("ship waiting 1"));
  const auto child = other_than(id);
  EXPECT_EQ(record(child).rows.instance.parent_instance_id, id);
  EXPECT_EQ(step_of(id, "ship").called_instance_id, child);
  const auto job = fetch_one("pack");
  EXPECT_EQ(job.variables.find("order") != nullptr, true);
  EXPECT_EQ(outcome_of(complete(job.task_id, "w1", Value(Object{{"tracking", "x1"}}))), "");
  rest();
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  const auto given = output(id);
  ASSERT_NE(given.find("tracking"), nullptr);
  EXPECT_EQ(*given.find("tracking"), Value("x1"));
}

TEST_F(CallTest, AProcessCallsAFlowThroughACallActivity) {
  host({code_of("flow", 1, [](Flow& flow, Value input) -> Task<std::optional<Value>> {
    const auto* order = input.find("order");
    co_await flow.run("a", [] {});
    co_return Object{{"seen", order != nullptr ? *order : Value()}};
  })});
  deploy(kCaller);
  const auto id = start("caller", Object{{"order", "o-2"}});
  rest();
  EXPECT_EQ(status(id), InstanceStatus::completed);
  const auto child = other_than(id);
  EXPECT_EQ(status_of(child), InstanceStatus::completed);
  EXPECT_EQ(record(child).rows.instance.parent_instance_id, id);
  EXPECT_EQ(output(child), Value(Object{{"seen", "o-2"}}));
}

TEST_F(CallTest, ACalledFlowThatFailsIsCaughtByItsCaller) {
  host({code_of("parent", 1,
                [](Flow& flow) -> Task<std::string> {
                  try {
                    co_await flow.call("child", "flow");
                  } catch (const StepFailed& failed) {
                    co_return failed.name() + "; " + failed.what();
                  }
                  co_return "";
                }),
        code_of("flow", 1, [](Flow& flow) -> Task<void> {
          co_await flow.run("x", [] { throw NonRetryable("no", "Broken"); });
        })});
  const auto id = start("parent");
  rest();
  EXPECT_EQ(output(id), Value("Broken; Broken: no"));
  EXPECT_THAT(steps(id), ElementsAre("child failed 1 Broken"));
}

TEST_F(CallTest, WhatNobodyHasDeployedCannotBeCalled) {
  host([](Flow& flow) -> Task<void> { co_await flow.call("child", "nothing-of-that-name"); });
  const auto id = rested_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  EXPECT_THAT(record(id).rows.instance.end_reason.value_or(""), HasSubstr("nothing-of-that-name"));
}

TEST_F(CallTest, ACancelledFlowCancelsWhatItCalled) {
  host({code_of("parent", 1, [](Flow& flow) -> Task<void> { co_await flow.call("c", "flow"); }),
        code_of("flow", 1, [](Flow& flow) -> Task<void> { co_await flow.wait("w", "e"); })});
  const auto id = start("parent");
  rest();
  const auto child = other_than(id);
  EXPECT_EQ(outcome_of(cancel(id)), "");
  rest();
  EXPECT_EQ(status_of(id), InstanceStatus::cancelled);
  EXPECT_EQ(status_of(child), InstanceStatus::cancelled);
  expect_nothing_left(child);
}

TEST_F(CallTest, TheLoserOfARaceIsCancelledThereToo) {
  host({code_of("parent", 1,
                [](Flow& flow) -> Task<void> {
                  co_await flow.any(flow.call("c", "flow"), flow.sleep("nap", 1s));
                }),
        code_of("flow", 1, [](Flow& flow) -> Task<void> { co_await flow.wait("w", "e"); })});
  const auto id = start("parent");
  rest();
  const auto child = other_than(id);
  pass(Duration(1'000));
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  EXPECT_EQ(status_of(child), InstanceStatus::cancelled);
}

TEST_F(CallTest, ACallOutlivesTheProcess) {
  const auto codes = [] {
    return std::vector{
        code_of("parent", 1,
                [](Flow& flow) -> Task<int> { co_return co_await flow.call<int>("c", "flow"); }),
        code_of("flow", 1, [](Flow& flow) -> Task<int> {
          co_await flow.wait("w", "e");
          co_return 12;
        })};
  };
  host(codes());
  const auto id = start("parent");
  rest();
  const auto child = other_than(id);
  crash();
  host(codes());
  send(child, "e");
  rest();
  EXPECT_EQ(output(id), Value(12));
  EXPECT_THAT(instances(), SizeIs(2));
}

} // namespace
} // namespace perdure::engine
