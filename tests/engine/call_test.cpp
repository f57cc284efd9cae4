// Call activities: the called instance begins once, its end goes to its caller, and what goes wrong
// can be seen and tried again.
#include "engine/fixture.h"

namespace perdure::engine {
namespace {

using facts::InstanceStatus;

std::string call(std::string_view process, std::string_view extensions = {},
                 std::string_view attributes = {}) {
  return "<callActivity id=\"Call\" calledElement=\"" + std::string(process) + "\" " +
         std::string(attributes) + "><extensionElements>" + std::string(extensions) +
         "</extensionElements></callActivity>\n";
}

std::string around(std::string_view element, std::string_view more = {}) {
  return "<startEvent id=\"Start\"/>" + flow("Start", "Call") + std::string(element) +
         flow("Call", "End") + "<endEvent id=\"End\"/>" + std::string(more);
}

std::string working_child(std::string_view process_id = "child") {
  return model(process_id, "<startEvent id=\"S\"/>" + flow("S", "Work") +
                               service("Work", "work", 1) + flow("Work", "E") +
                               "<endEvent id=\"E\"/>");
}

class Call : public EngineTest {
protected:
  /// The only instance that the other one called.
  Key called_by(Key caller) {
    Key found = kNoKey;
    wait_until([&] {
      for (const auto id : instances()) {
        if (record(id).rows.instance.parent_instance_id == caller) found = id;
      }
      return found != kNoKey;
    });
    return found;
  }
  Value variables(Key instance_id) {
    return record(instance_id).rows.scopes.slots().front().row.variables;
  }
  facts::Incident incident(Key instance_id) {
    wait_until([&] { return !incidents(instance_id).empty(); });
    return incidents(instance_id).front();
  }
};

TEST_F(Call, VariablesGoInAndOut) {
  create();
  engine().handle(
      "work", [](const Job& job) -> JobResult { return Value(Object{{"saw", job.variables}}); });
  begin();
  deploy(working_child());
  deploy(model("parent", around(call("child"))));
  const auto id = start("parent", Object{{"a", 1}});
  watcher().await(id, "instance_completed");
  const auto child = called_by(id);
  EXPECT_EQ(step(id, "Call").called_instance_id, child);
  EXPECT_EQ(status(child), InstanceStatus::completed);
  EXPECT_EQ(variables(id), Value(Object{{"a", 1}, {"saw", Object{{"a", 1}}}}));
}

TEST_F(Call, MappingsOfCamundaSayWhatGoesInAndOut) {
  create();
  engine().handle(
      "work", [](const Job& job) -> JobResult { return Value(Object{{"saw", job.variables}}); });
  begin();
  deploy(working_child());
  deploy(model("parent", around(call("child", R"(<camunda:in source="a" target="x"/>
      <camunda:in sourceExpression="${a + 1}" target="y"/><camunda:in businessKey="${key}"/>
      <camunda:out source="saw" target="result"/>)"))));
  const auto id = start("parent", Object{{"a", 1}, {"key", "K"}});
  watcher().await(id, "instance_completed");
  EXPECT_EQ(record(called_by(id)).rows.instance.business_key, "K");
  EXPECT_EQ(variables(id),
            Value(Object{{"a", 1}, {"key", "K"}, {"result", Object{{"x", 1}, {"y", 2}}}}));
}

TEST_F(Call, AVersionIsChosenByItsBinding) {
  run();
  const auto tagged = [](std::string_view tag, std::string_view end) {
    return model("child", "<extensionElements><zeebe:versionTag value=\"" + std::string(tag) +
                              "\"/></extensionElements><startEvent id=\"S\"/>" + flow("S", end) +
                              "<endEvent id=\"" + std::string(end) + "\"/>");
  };
  deploy(tagged("one", "First"));
  deploy(tagged("two", "Second"));
  deploy(model("by_tag", around(call("", R"(<zeebe:calledElement processId="=which"
      bindingType="versionTag" versionTag="one"/>)"))));
  deploy(model("by_number", around(call("child", "", R"(camunda:calledElementBinding="version"
      camunda:calledElementVersion="1")"))));
  deploy(model("latest", around(call("child"))));
  for (const auto& [process, node] :
       {std::pair("by_tag", "First"), {"by_number", "First"}, {"latest", "Second"}}) {
    const auto id = start(process, Object{{"which", "child"}});
    watcher().await(id, "instance_completed");
    EXPECT_EQ(record(called_by(id)).rows.tokens.slots().front().row.node_id, node) << process;
  }
  deploy(
      model("beside", around(call("child", "", R"(camunda:calledElementBinding="deployment")"))));
  EXPECT_EQ(incident(start("beside")).kind, facts::IncidentKind::call_failed);
}

TEST_F(Call, AProcessThatIsNotThereIsAnIncidentAndTriedAgain) {
  run();
  deploy(model("parent", around(call("child"))));
  const auto id = start("parent");
  const auto open = incident(id);
  EXPECT_EQ(open.kind, facts::IncidentKind::call_failed);
  EXPECT_NE(open.message.find("child"), std::string::npos);
  deploy(model("child", "<startEvent id=\"S\"/>" + flow("S", "E") + "<endEvent id=\"E\"/>"));
  EXPECT_TRUE(retry(id));
  watcher().await(id, "instance_completed");
}

TEST_F(Call, RecursionEnds) {
  run();
  deploy(model("loop", around(call("loop"))));
  start("loop");
  Key stuck = kNoKey;
  wait_until([&] {
    for (const auto id : instances()) {
      if (!incidents(id).empty()) stuck = id;
    }
    return stuck != kNoKey;
  });
  EXPECT_EQ(instances().size(), 64U);
  EXPECT_NE(incidents(stuck).front().message.find("64 levels"), std::string::npos);
}

TEST_F(Call, AnErrorGoesToTheCaller) {
  run();
  const auto with_error = [](std::string_view process, const std::string& elements) {
    auto text = model(process, elements);
    text.insert(text.find("<process"), "<error id=\"broke\" errorCode=\"broke\"/>\n");
    return text;
  };
  constexpr std::string_view kBroke = "<errorEventDefinition errorRef=\"broke\"/>";
  deploy(with_error("child", "<startEvent id=\"S\"/>" + flow("S", "E") + "<endEvent id=\"E\">" +
                                 std::string(kBroke) + "</endEvent>"));
  deploy(with_error("parent",
                    around(call("child"), "<boundaryEvent id=\"Caught\" attachedToRef=\"Call\">" +
                                              std::string(kBroke) + "</boundaryEvent>" +
                                              flow("Caught", "Else") + "<endEvent id=\"Else\"/>")));
  const auto id = start("parent");
  watcher().await(id, "instance_completed");
  EXPECT_EQ(status(called_by(id)), InstanceStatus::failed);
  EXPECT_EQ(step(id, "Call").status, facts::StepStatus::cancelled);
}

TEST_F(Call, TheEndOfTheCallerEndsWhatItCalled) {
  run();
  deploy(working_child("grandchild"));
  deploy(model("child", around(call("grandchild"))));
  deploy(model("parent", around(call("child"))));
  const auto id = start("parent");
  const auto child = called_by(id);
  const auto grandchild = called_by(child);
  EXPECT_TRUE(cancel(id));
  wait_until([&] { return status(grandchild) == InstanceStatus::cancelled; });
  EXPECT_EQ(status(child), InstanceStatus::cancelled);
}

TEST_F(Call, WhoCancelsTheCalledOneLeavesAnIncident) {
  run();
  deploy(working_child());
  deploy(model("parent", around(call("child"))));
  const auto id = start("parent");
  EXPECT_TRUE(cancel(called_by(id)));
  EXPECT_EQ(incident(id).kind, facts::IncidentKind::call_failed);
}

/// Dies at one commit after another, with that commit lost or written.
class CallDyingAt : public Call, public ::testing::WithParamInterface<std::tuple<int, bool>> {};

TEST_P(CallDyingAt, TheCalledOneBeginsAndEndsOnce) {
  run();
  deploy(model("child", "<startEvent id=\"S\"/>" + flow("S", "E") + "<endEvent id=\"E\"/>"));
  deploy(model("parent", around(call("child"))));
  create();
  faults().dies_at_commit = std::get<0>(GetParam());
  faults().dies_after_writing = std::get<1>(GetParam());
  begin();
  auto sent = send_start("parent");
  static_cast<void>(take(sent));
  wait_until([&] {
    engine().wake();
    return faults().dead || faults().sweeps >= 12;
  });
  crash();

  run();
  std::vector<Key> parents;
  for (const auto id : instances()) {
    if (!record(id).rows.instance.parent_instance_id) parents.push_back(id);
  }
  for (const auto id : parents)
    wait_until([&] { return status(id) == InstanceStatus::completed; });
  EXPECT_EQ(instances().size(), 2 * parents.size());
}

INSTANTIATE_TEST_SUITE_P(EveryCommit, CallDyingAt,
                         ::testing::Combine(::testing::Range(1, 5), ::testing::Bool()));

} // namespace
} // namespace perdure::engine
