// serve: one process owns the folder, other commands find it by itself.
#include <gtest/gtest.h>

#include <csignal>

#include "base/json.h"
#include "net/client.h"
#include "program.h"

namespace perdure::cli_test {
namespace {

class ServerTest : public testing::Test {
protected:
  void SetUp() override {
    const auto line = server_.line_with("serves");
    url_ = line.substr(line.rfind("http://"));
  }

  Ended on_data(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--data", folder_.path("data")});
    return perdure(std::move(arguments));
  }

  TemporaryFolder folder_;
  Running server_{{"serve", "--port", "0", "--data", folder_.path("data")}};
  std::string url_;
};

TEST_F(ServerTest, CommandsOnItsFolderGoToIt) {
  const auto model = folder_.write("ask.bpmn", ask_model());
  ASSERT_EQ(on_data({"deploy", model}).code, 0);
  const auto started = on_data({"start", "ask", "--json"});
  ASSERT_EQ(started.code, 0) << started.error;
  const auto id = text_at(at(started.json(), "id"));

  // The server named by its URL knows the instance too: it was started there.
  EXPECT_EQ(perdure({"show", id, "--server", url_}).code, 0);
  const auto task = at(on_data({"tasks", "--json"}).json(), "items", 0, "id");
  EXPECT_EQ(on_data({"complete", text_at(task)}).code, 0);
  const auto second = at(on_data({"tasks", "--json"}).json(), "items", 0, "id");
  EXPECT_EQ(on_data({"complete", text_at(second)}).code, 0);
  EXPECT_EQ(on_data({"check"}).code, 0); // reads beside the server
}

TEST_F(ServerTest, ConditionsBeginWhatTheyHoldFor) {
  const auto model = folder_.write("hot.bpmn", R"(<definitions
xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="hot" isExecutable="true">
<startEvent id="Hot"><conditionalEventDefinition><condition>= temperature &gt; 30</condition>
</conditionalEventDefinition></startEvent><sequenceFlow id="f" sourceRef="Hot" targetRef="End"/>
<endEvent id="End"/></process></definitions>)");
  ASSERT_EQ(on_data({"deploy", model}).code, 0);
  const auto none = on_data({"conditions", "--var", "temperature=1"});
  EXPECT_EQ(none.code, 0) << none.error;
  EXPECT_EQ(none.out, "No process has a condition that holds.\n");
  const std::vector<std::string> offer{"conditions", "--var", "temperature=31", "--idempotency-key",
                                       "k"};
  const auto begun = on_data(offer);
  EXPECT_EQ(begun.code, 0) << begun.error;
  EXPECT_NE(begun.out.find(" of hot begins at Hot.\n"), std::string::npos) << begun.out;
  EXPECT_EQ(on_data(offer).out, begun.out);
}

TEST_F(ServerTest, RunUsesItAndItsWorkers) {
  const auto model = folder_.write("ask.bpmn", ask_model());
  Running run({"run", model, "--watch", "--data", folder_.path("data")});
  EXPECT_NE(run.line_with("Pay: waits for a worker"), "");
  net::Client worker(url_);
  const net::Fields json{{"Content-Type", "application/json"}};
  const auto fetched =
      worker.request("POST", "/api/v1/external-tasks/fetch-and-lock", json,
                     R"({"worker_id":"w","task_types":["payment"],"max_tasks":1,"wait_ms":5000})");
  ASSERT_TRUE(fetched) << fetched.error().message;
  ASSERT_EQ(fetched->status, 200) << fetched->body;
  EXPECT_NE(run.line_with("Pay: running"), "");
  run.signal(SIGTERM);
  EXPECT_EQ(run.wait(), 130);
}

TEST_F(ServerTest, ASecondOneIsRefusedAndToldWhoIsThere) {
  const auto second = on_data({"serve", "--port", "0"});
  EXPECT_EQ(second.code, 1);
  EXPECT_NE(second.error.find(url_), std::string::npos) << second.error;
  EXPECT_EQ(on_data({"migrate"}).code, 1);
}

TEST_F(ServerTest, SignalsEndItCleanly) {
  server_.signal(SIGTERM);
  EXPECT_EQ(server_.wait(), 0);
  EXPECT_EQ(perdure({"ps", "--server", url_}).code, 4);
  EXPECT_EQ(on_data({"ps"}).code, 0); // now in its own process
}

TEST_F(ServerTest, WhatWasAcknowledgedSurvivesAKill) {
  ASSERT_EQ(on_data({"deploy", folder_.write("ask.bpmn", ask_model())}).code, 0);
  const auto id = text_at(at(on_data({"start", "ask", "--json"}).json(), "id"));
  server_.signal(SIGKILL);
  EXPECT_EQ(server_.wait(), 128 + SIGKILL);
  EXPECT_EQ(on_data({"show", id}).code, 0);
  EXPECT_EQ(on_data({"check"}).code, 0);
}

} // namespace
} // namespace perdure::cli_test
