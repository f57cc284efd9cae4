// run: a model without a server.
#include <gtest/gtest.h>

#include <csignal>

#include "program.h"

namespace perdure::cli_test {
namespace {

class RunTest : public testing::Test {
protected:
  Ended on_data(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--data", folder_.path("data")});
    return perdure(std::move(arguments));
  }

  TemporaryFolder folder_;
  std::string model_ = folder_.write("ask.bpmn", ask_model());
};

TEST_F(RunTest, AMissingWorkerIsNamedWithTheCommandThatHelps) {
  const auto ran = on_data({"run", model_, "--var", "amount=120"});
  EXPECT_EQ(ran.code, 6) << ran.error;
  const auto tasks = on_data({"tasks", "--json"}).json();
  const auto task = text_at(at(tasks, "items", 0, "id"));
  const auto instance = text_at(at(tasks, "items", 0, "instance_id"));
  EXPECT_EQ(ran.out, "Instance " + instance +
                         "\n"
                         "  [ ] Pay: waits for a worker\n"
                         "Task type \"payment\" has no worker. To complete it by hand:\n"
                         "  perdure complete " +
                         task + " --var NAME=VALUE --data " + folder_.path("data") + "\n");
  EXPECT_EQ(on_data({"complete", task}).code, 0);
  EXPECT_EQ(on_data({"check"}).code, 0);
}

TEST_F(RunTest, JsonTellsWhatItWaitsFor) {
  const auto ran = on_data({"run", model_, "--json"});
  EXPECT_EQ(ran.code, 6);
  EXPECT_EQ(at(ran.json(), "instance", "status"), Value("running"));
  EXPECT_EQ(at(ran.json(), "waiting_for", 0, "task_type"), Value("payment"));
}

TEST_F(RunTest, ASoundModelRunsToItsEndTimersIncluded) {
  const auto file = folder_.write("rest.bpmn", R"(<?xml version="1.0"?>
    <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="test">
    <process id="rest" isExecutable="true">
      <startEvent id="begin"/><sequenceFlow id="f1" sourceRef="begin" targetRef="rest"/>
      <intermediateCatchEvent id="rest" name="Rest"><timerEventDefinition>
        <timeDuration>PT0.05S</timeDuration></timerEventDefinition></intermediateCatchEvent>
      <sequenceFlow id="f2" sourceRef="rest" targetRef="end"/><endEvent id="end"/>
    </process></definitions>)");
  const auto ran = on_data({"run", file});
  EXPECT_EQ(ran.code, 0) << ran.error;
  EXPECT_NE(ran.out.find("[x] Rest: completed in"), std::string::npos) << ran.out;
  EXPECT_TRUE(ran.out.ends_with(" is completed.\n")) << ran.out;
}

TEST_F(RunTest, WatchGoesOnWhileOthersBringItOn) {
  Running run({"run", model_, "--watch", "--data", folder_.path("data")});
  EXPECT_NE(run.line_with("Pay: waits for a worker"), "");
  auto task = text_at(at(on_data({"tasks", "--json"}).json(), "items", 0, "id"));
  EXPECT_EQ(on_data({"complete", task}).code, 0);
  EXPECT_NE(run.line_with("Approve: waits for a person"), "");
  task = text_at(at(on_data({"tasks", "--json"}).json(), "items", 0, "id"));
  EXPECT_EQ(on_data({"complete", task}).code, 0);
  EXPECT_NE(run.line_with("is completed"), "");
  EXPECT_EQ(run.wait(), 0);
}

TEST_F(RunTest, CtrlCLeavesTheInstanceAsItIs) {
  Running run({"run", model_, "--watch", "--data", folder_.path("data")});
  EXPECT_NE(run.line_with("Pay: waits for a worker"), "");
  run.signal(SIGINT);
  EXPECT_EQ(run.wait(), 130);
  const auto list = on_data({"ps", "--json"}).json();
  EXPECT_EQ(at(list, "items", 0, "status"), Value("running"));
}

TEST_F(RunTest, AFileThatIsMissingOrHoldsSeveralProcessesIsToldSo) {
  EXPECT_EQ(on_data({"run", folder_.path("none.bpmn")}).code, 3);
  const auto two = folder_.write("two.bpmn", R"(<?xml version="1.0"?>
    <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="test">
    <process id="a" isExecutable="true"><startEvent id="a1"/></process>
    <process id="b" isExecutable="true"><startEvent id="b1"/></process></definitions>)");
  const auto unclear = on_data({"run", two});
  EXPECT_EQ(unclear.code, 2);
  EXPECT_NE(unclear.error.find("a, b"), std::string::npos) << unclear.error;
  EXPECT_EQ(on_data({"run", two, "--process", "b"}).code, 0);
}

} // namespace
} // namespace perdure::cli_test
