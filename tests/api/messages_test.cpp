// Messages, signals, errors and escalations over HTTP.
#include "api/server_fixture.h"

namespace perdure::api {
namespace {

constexpr std::string_view kModel = R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="test">
<message id="paid" name="paid"><extensionElements>
  <zeebe:subscription correlationKey="=order"/></extensionElements></message>
<message id="new" name="new order"/>
<signal id="alarm" name="alarm"/><error id="broke" errorCode="broke"/>
<escalation id="late" escalationCode="late"/>
<process id="order" isExecutable="true"><startEvent id="Start"/>
<startEvent id="Told"><messageEventDefinition messageRef="new"/></startEvent>
<startEvent id="Loud"><signalEventDefinition signalRef="alarm"/></startEvent>
<startEvent id="Second"/>
<sequenceFlow id="f1" sourceRef="Start" targetRef="Wait"/>
<intermediateCatchEvent id="Wait"><messageEventDefinition messageRef="paid"/>
</intermediateCatchEvent>
<sequenceFlow id="f2" sourceRef="Wait" targetRef="Pay"/>
<serviceTask id="Pay"><extensionElements><zeebe:taskDefinition type="payment"/>
</extensionElements></serviceTask>
<boundaryEvent id="Broke" attachedToRef="Pay"><errorEventDefinition errorRef="broke"/>
</boundaryEvent><sequenceFlow id="f3" sourceRef="Broke" targetRef="Unpaid"/>
<endEvent id="Unpaid"/>
<boundaryEvent id="Late" attachedToRef="Pay" cancelActivity="false">
<escalationEventDefinition escalationRef="late"/></boundaryEvent>
<sequenceFlow id="f4" sourceRef="Late" targetRef="Noted"/><endEvent id="Noted"/>
<sequenceFlow id="f5" sourceRef="Pay" targetRef="End"/><endEvent id="End"/>
<sequenceFlow id="f6" sourceRef="Told" targetRef="Told_End"/><endEvent id="Told_End"/>
<sequenceFlow id="f7" sourceRef="Loud" targetRef="Loud_End"/><endEvent id="Loud_End"/>
<sequenceFlow id="f8" sourceRef="Second" targetRef="Second_End"/><endEvent id="Second_End"/>
</process></definitions>)";

class MessagesTest : public ServerTest {
protected:
  std::string begin(std::string_view variables) {
    const auto reply = post("/api/v1/process-instances",
                            R"({"process_def_id":"order","start_node_id":"Start","variables":)" +
                                std::string(variables) + "}");
    EXPECT_EQ(reply.status, 201) << reply.text;
    return reply.text_at("id");
  }
};

TEST_F(MessagesTest, AMessageIsTakenKeptOrStartsAnInstance) {
  deploy(std::string(kModel));
  const auto id = begin(R"({"order":"7"})");
  const auto taken = post("/api/v1/messages", R"({"name":"paid","correlation_key":"7"})");
  EXPECT_EQ(taken.status, 200) << taken.text;
  EXPECT_EQ(taken.text_at("result"), "taken");
  EXPECT_EQ(taken.text_at("instance_id"), id);
  const auto kept =
      post("/api/v1/messages", R"({"name":"paid","correlation_key":"8","message_id":"m"})");
  EXPECT_EQ(kept.status, 202) << kept.text;
  EXPECT_EQ(kept.text_at("result"), "buffered");
  EXPECT_EQ(kept.at("instance_id"), Value());
  EXPECT_EQ(post("/api/v1/messages", R"({"name":"paid","correlation_key":"8","message_id":"m"})")
                .at("repeated"),
            Value(true));
  const auto started = post("/api/v1/messages", R"({"name":"new order"})");
  EXPECT_EQ(started.text_at("result"), "started");
  EXPECT_EQ(get("/api/v1/process-instances/" + started.text_at("instance_id")).text_at("status"),
            "completed");
}

TEST_F(MessagesTest, WhatIsWrongIsSaid) {
  deploy(std::string(kModel));
  for (const auto* body :
       {R"({})", R"({"name":""})", R"({"name":7})", R"({"name":"a","time_to_live_ms":-1})",
        R"({"name":"a","time_to_live_ms":1e300})", R"({"name":"a","variables":[]})",
        R"({"name":"a","message_id":""})", R"({"name":"a","start_once_per_key":true})",
        R"({"name":"a","unknown":1})"}) {
    EXPECT_EQ(post("/api/v1/messages", body).status, 400) << body;
  }
  EXPECT_EQ(post("/api/v1/signals", R"({"name":""})").status, 400);
  const auto large = R"({"name":"a","variables":{"x":")" + std::string(2'000'000, 'x') + "\"}}";
  EXPECT_EQ(post("/api/v1/messages", large).status, 413);
  const auto alone = post("/api/v1/messages", R"({"name":"a","time_to_live_ms":0})");
  EXPECT_EQ(alone.status, 409) << alone.text;
  EXPECT_EQ(alone.header("X-Invariant-Violation"), "MessageNotAwaited");
  // Two start events without a trigger: one must be named.
  EXPECT_EQ(post("/api/v1/process-instances", R"({"process_def_id":"order"})").status, 404);
}

TEST_F(MessagesTest, ASignalIsSpread) {
  deploy(std::string(kModel));
  EXPECT_EQ(post("/api/v1/signals", R"({"name":"alarm","variables":{"level":2}})").status, 202);
  wait_until([&] { return get("/api/v1/process-instances?status=completed").count("items") == 1; });
}

TEST_F(MessagesTest, ConditionsBeginWhatTheyHoldFor) {
  deploy(R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="test">
<process id="hot" isExecutable="true"><startEvent id="Hot"><conditionalEventDefinition>
<condition>= temperature &gt; 30</condition></conditionalEventDefinition></startEvent>
<sequenceFlow id="f" sourceRef="Hot" targetRef="End"/><endEvent id="End"/>
</process></definitions>)");
  for (const auto* body : {R"({"variables":[]})", R"({"business_key":""})", R"({"unknown":1})"})
    EXPECT_EQ(post("/api/v1/conditions", body).status, 400) << body;
  const auto none = post("/api/v1/conditions", R"({"variables":{"temperature":1}})");
  EXPECT_EQ(none.status, 202) << none.text;
  EXPECT_EQ(none.count("items"), 0U);
  const auto begun =
      post("/api/v1/conditions", R"({"variables":{"temperature":31},"business_key":"K"})");
  EXPECT_EQ(begun.status, 202) << begun.text;
  EXPECT_EQ(begun.text_at("items/0/process_id"), "hot");
  EXPECT_EQ(begun.text_at("items/0/start_node_id"), "Hot");
  const auto path = "/api/v1/process-instances/" + begun.text_at("items/0/instance_id");
  wait_until([&] { return get(path).status == 200 && get(path).text_at("status") == "completed"; });
  EXPECT_EQ(get(path).text_at("business_key"), "K");
}

TEST_F(MessagesTest, AWorkerReportsErrorsAndEscalations) {
  deploy(std::string(kModel));
  const auto id = begin(R"({"order":"7"})");
  post("/api/v1/messages", R"({"name":"paid","correlation_key":"7"})");
  const auto task = fetch_one("payment");
  const auto path = "/api/v1/external-tasks/" + task;
  EXPECT_EQ(post(path + "/escalation", R"({"worker_id":"w1"})").status, 400);
  EXPECT_EQ(post(path + "/escalation", R"({"worker_id":"w1","code":"late"})").status, 200);
  EXPECT_EQ(post(path + "/bpmn-error", R"({"worker_id":"w2","code":"broke"})").status, 409);
  EXPECT_EQ(post(path + "/bpmn-error",
                 R"({"worker_id":"w1","code":"broke","message":"No money","variables":{"x":1}})")
                .status,
            200);
  const auto instance = get("/api/v1/process-instances/" + id);
  EXPECT_EQ(instance.text_at("status"), "completed");
  EXPECT_EQ(instance.at("variables/x"), Value(1));
  EXPECT_EQ(post(path + "/bpmn-error", R"({"worker_id":"w1","code":"broke"})").status, 409);
}

} // namespace
} // namespace perdure::api
