// Flows over HTTP: what they wait for, and their repair.
#include <future>
#include <memory>

#include "api/api.h"
#include "base/json.h"
#include "flows/flow_fixture.h"

namespace perdure::engine {
namespace {

using namespace std::chrono_literals;
using facts::InstanceStatus;

struct Reply {
  int status = 0;
  Value body;
};

class FlowApiTest : public FlowTest {
protected:
  template <class Codes>
  void serve(Codes codes) {
    api_.reset();
    host(std::move(codes));
    api_ = std::make_unique<api::Api>(engine(), reader(), clock(), api::Options{});
  }
  void TearDown() override {
    api_.reset();
    FlowTest::TearDown();
  }
  Reply request(std::string method, const std::string& path, std::string body = {}) {
    const auto promise = std::make_shared<std::promise<net::Response>>();
    auto future = promise->get_future();
    net::Request request{.method = std::move(method),
                         .target = path,
                         .path = path,
                         .query_parameters = {},
                         .path_parameters = {},
                         .headers = {{"Content-Type", "application/json"}},
                         .body = std::move(body),
                         .peer = "127.0.0.1"};
    api_->handler()(std::move(request), net::Responder::into([promise](net::Response response) {
                      promise->set_value(std::move(response));
                    }));
    const auto response = future.get();
    auto read = json::parse(response.body);
    return {response.status, read ? *std::move(read) : Value()};
  }
  static std::string path_of(Key id) { return "/api/v1/process-instances/" + key_text(id); }
  std::string waiting_for(Key id) {
    const auto reply = request("GET", path_of(id));
    EXPECT_EQ(reply.status, 200);
    const auto& token = reply.body.find("tokens")->as<Array>()->front();
    return *token.find("waiting_for")->as<std::string>();
  }

  std::unique_ptr<api::Api> api_;
};

TEST_F(FlowApiTest, ARunSaysWhatItsCodeWaitsFor) {
  Gate gate;
  gate.close();
  serve(std::vector{code_of("flow", 1, [&](Flow& flow) -> Task<void> {
    co_await flow.run("work", [&] { gate.pass(); });
    co_await flow.run("flaky", [] { throw StepError("Busy", "later"); }, {.max_attempts = 2})
        .outcome();
    co_await flow.wait("pay", "paid", {.timeout = 1h}).outcome();
    co_await flow.all(flow.sleep("nap", 2h), flow.wait("a", "a"), flow.wait("b", "b"),
                      flow.wait("c", "c"), flow.wait("d", "d"));
  })});
  const auto id = begin_flow();
  gate.await_arrivals(1);
  EXPECT_EQ(waiting_for(id), R"(attempt 1 of step "work")");
  gate.open();
  watcher().await(id, "flow_attempt_failed");
  EXPECT_EQ(waiting_for(id), "the back-off until " + to_text(clock().now() + Duration(250)) +
                                 R"(, then attempt 2 of step "flaky")");
  advance(Duration(250));
  watcher().await(id, "flow_step_opened", 3);
  EXPECT_EQ(waiting_for(id),
            R"(an event for step "pay" until )" + to_text(clock().now() + Duration(3'600'000)));
  advance(Duration(3'600'000));
  watcher().await(id, "flow_step_opened", 8);
  EXPECT_EQ(waiting_for(id),
            R"(step "nap" to sleep until )" + to_text(clock().now() + Duration(2 * 3'600'000)) +
                R"(; an event for step "a"; an event for step "b"; and 2 more steps)");
}

TEST_F(FlowApiTest, ARunWhoseVersionNobodyDefinesSaysWhatItWaitsFor) {
  const auto code = [](int version) {
    return code_of("order", version,
                   [](Flow& flow) -> Task<void> { co_await flow.wait("w", "e"); });
  };
  serve(std::vector{code(1)});
  const auto id = start("order");
  watcher().await(id, "flow_step_opened");
  serve(std::vector{code(2)});
  EXPECT_EQ(waiting_for(id), R"(an event for step "w")");
  send(id, "e");
  watcher().await(id, "flow_step_ended");
  EXPECT_EQ(waiting_for(id), R"(a program that defines flow "order" version 1)");
  EXPECT_EQ(status_of(id), InstanceStatus::running);
  serve(std::vector{code(1), code(2)});
  pass_grace();
  await_end(id);
}

TEST_F(FlowApiTest, AFailedRunIsRestartedAndAStepIsSkipped) {
  serve(std::vector{code_of("flow", 1, [](Flow& flow, Value input) -> Task<std::optional<Value>> {
    co_await flow.run("a", [] {});
    const int n = co_await flow.run("b", [input]() -> int {
      if (input.find("good") == nullptr) throw NonRetryable("no", "Broken");
      return 1;
    });
    co_return Value(n + co_await flow.wait<int>("w", "e"));
  })});
  const auto old = run_flow();
  EXPECT_EQ(status_of(old), InstanceStatus::failed);
  for (const auto* bad :
       {R"({"from":"nowhere"})", R"({"from":"step"})", R"({"from":"failure","step":"b"})",
        R"({"from":"failure","start_before":["x"]})", R"({"from":"failure","variables":{}})",
        R"({"from":"failure","input":{}})", R"({})"}) {
    EXPECT_EQ(request("POST", path_of(old) + "/restart", bad).status, 400) << bad;
  }
  EXPECT_EQ(request("POST", path_of(old) + "/restart", R"({"from":"step","step":"x"})").status,
            404);
  const auto begun = request(
      "POST", path_of(old) + "/restart",
      R"({"from":"failure","input":{"good":true},"insist":true,"reason":"typo","actor":"kim"})");
  ASSERT_EQ(begun.status, 201);
  const auto id = parse_key(*begun.body.find("id")->as<std::string>()).value();
  watcher().await(id, "flow_step_opened", 3);
  EXPECT_EQ(request("POST", path_of(id) + "/skip-step", R"({"step":"x"})").status, 409);
  EXPECT_EQ(request("POST", path_of(id) + "/skip-step", R"({})").status, 400);
  EXPECT_EQ(request("POST", path_of(id) + "/skip-step",
                    R"({"step":"w","result":41,"reason":"paid in cash","actor":"kim"})")
                .status,
            200);
  await_end(id);
  EXPECT_EQ(output(id), Value(42));
  const auto audit = reader().audit({.instance_id = id}, {.limit = 10}).value();
  ASSERT_EQ(audit.size(), 2U);
  EXPECT_EQ(audit[0].action, "skip_step");
  EXPECT_EQ(audit[0].actor, "kim");
  EXPECT_EQ(*audit[1].details.find("reason"), Value("typo"));
}

} // namespace
} // namespace perdure::engine
