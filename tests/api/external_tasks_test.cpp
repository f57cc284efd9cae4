// External tasks over HTTP, as workers see them: leases, races, parked fetches, closed connections.
#include <atomic>
#include <thread>

#include "api/server_fixture.h"

namespace perdure::api {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kFetch = "/api/v1/external-tasks/fetch-and-lock";

class ExternalTasksTest : public ServerTest {
protected:
  static std::string path(const std::string& task, std::string_view action) {
    return "/api/v1/external-tasks/" + task + "/" + std::string(action);
  }
};

TEST_F(ExternalTasksTest, FetchGivesWhatAWorkerNeeds) {
  deploy(order_model());
  const auto created = post("/api/v1/process-instances",
                            R"({"process_def_id":"order","business_key":"A","variables":{"n":7}})");
  const auto reply = post(kFetch, R"({"worker_id":"w1","task_types":[{"type":"payment"},"other"],
      "max_tasks":10,"lock_duration_ms":60000})");
  ASSERT_EQ(reply.status, 200) << reply.text;
  ASSERT_EQ(reply.count("tasks"), 1U);
  EXPECT_EQ(reply.text_at("tasks/0/instance_id"), created.text_at("id"));
  EXPECT_EQ(reply.text_at("tasks/0/task_type"), "payment");
  EXPECT_EQ(reply.text_at("tasks/0/node_id"), "Pay");
  EXPECT_EQ(reply.text_at("tasks/0/node_name"), "Take the money");
  EXPECT_EQ(reply.text_at("tasks/0/business_key"), "A");
  EXPECT_EQ(reply.text_at("tasks/0/worker_id"), "w1");
  EXPECT_EQ(reply.at("tasks/0/attempt"), Value(1));
  EXPECT_EQ(reply.at("tasks/0/retries"), Value(2));
  EXPECT_EQ(reply.at("tasks/0/variables"), Value(Object{{"n", 7}}));
  // Locked: nobody else gets it.
  EXPECT_EQ(post(kFetch, R"({"worker_id":"w2","task_types":["payment"]})").count("tasks"), 0U);
}

TEST_F(ExternalTasksTest, WrongFetchesSayWhatIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {R"({"task_types":["a"]})", "/worker_id"},
      {R"({"worker_id":"w"})", "/task_types"},
      {R"({"worker_id":"w","task_types":[]})", "/task_types"},
      {R"({"worker_id":"w","task_types":"a"})", "/task_types"},
      {R"({"worker_id":"w","task_types":[7]})", "/task_types/0"},
      {R"({"worker_id":"w","task_types":["a"],"max_tasks":0})", "/max_tasks"},
      {R"({"worker_id":"w","task_types":["a"],"max_tasks":1001})", "/max_tasks"},
      {R"({"worker_id":"w","task_types":["a"],"lock_duration_ms":0})", "/lock_duration_ms"},
      {R"({"worker_id":"w","task_types":["a"],"wait_ms":-1})", "/wait_ms"},
      {R"({"worker_id":"w","task_types":["a"],"wait_ms":300001})", "/wait_ms"},
      {R"({"worker_id":"w","task_types":["a"],"wait":5})", "/wait"},
  };
  for (const auto& [body, pointer] : cases) {
    const auto reply = post(kFetch, body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_EQ(reply.text_at("errors/0/pointer"), pointer) << body;
  }
}

TEST_F(ExternalTasksTest, CompletionMovesTheInstanceAndIsTakenOnce) {
  deploy(order_model());
  const auto id = start("order");
  const auto task = fetch_one("payment");
  const auto reply =
      post(path(task, "complete"), R"({"worker_id":"w1","variables":{"paid":true}})");
  ASSERT_EQ(reply.status, 200) << reply.text;
  EXPECT_EQ(get("/api/v1/process-instances/" + id).at("variables/paid"), Value(true));
  const auto before = all_of(id);
  for (const std::string_view action : {"complete", "fail"}) {
    const auto again = post(path(task, action), R"({"worker_id":"w1"})");
    EXPECT_EQ(again.status, 409) << again.text;
    EXPECT_EQ(again.header("X-Invariant-Violation"), "TokenFinalizedTwice");
    EXPECT_EQ(again.text_at("violation"), "TokenFinalizedTwice");
  }
  EXPECT_EQ(all_of(id), before);
}

TEST_F(ExternalTasksTest, OfRacingCompletionsOneWins) {
  deploy(order_model());
  deploy(work_model());
  for (const std::string type : {"payment", "work"}) {
    const auto id = start(type == "work" ? "work" : "order");
    const auto task = fetch_one(type);
    std::atomic<int> won{0};
    std::atomic<int> refused{0};
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        auto client = caller();
        const auto reply =
            client.post(path(task, "complete"),
                        R"({"worker_id":"w1","variables":{"winner":)" + std::to_string(i) + "}}");
        won += reply.status == 200;
        refused +=
            reply.status == 409 && reply.header("X-Invariant-Violation") == "TokenFinalizedTwice";
      });
    }
    threads.clear();
    EXPECT_EQ(won, 1) << type;
    EXPECT_EQ(refused, 7) << type;
    const auto steps = get("/api/v1/process-instances/" + id + "/steps");
    EXPECT_EQ(steps.count("items/0/attempts"), 1U);
    EXPECT_EQ(
        steps.at("items/0/attempts/0/result"),
        Value(Object{{"winner", get("/api/v1/process-instances/" + id).at("variables/winner")}}));
  }
}

TEST_F(ExternalTasksTest, CompletingTwiceWithOneKeyIsAnsweredTwice) {
  deploy(work_model());
  const auto id = start("work");
  const auto task = fetch_one("work");
  const net::Fields key{{"Idempotency-Key", "c1"}};
  const auto first = post(path(task, "complete"), R"({"worker_id":"w1"})", key);
  const auto again = post(path(task, "complete"), R"({"worker_id":"w1"})", key);
  EXPECT_EQ(first.status, 200) << first.text;
  EXPECT_EQ(again.status, 200) << again.text;
  EXPECT_EQ(again.text, first.text);
  EXPECT_EQ(post(path(task, "complete"), R"({"worker_id":"w2"})", key).status, 422);
  EXPECT_EQ(get("/api/v1/process-instances/" + id).text_at("status"), "completed");
}

TEST_F(ExternalTasksTest, OnlyTheHolderOfTheLockMayEndATask) {
  deploy(order_model());
  const auto id = start("order");
  const auto ready = get("/api/v1/tasks?type=external").text_at("items/0/id");
  auto before = all_of(id);
  // Nobody holds it yet.
  const auto unlocked = post(path(ready, "complete"), R"({"worker_id":"w1"})");
  EXPECT_EQ(unlocked.status, 409) << unlocked.text;
  EXPECT_EQ(unlocked.header("X-Invariant-Violation"), "ExternalTaskLeaseConflict");
  EXPECT_EQ(all_of(id), before);

  const auto task = fetch_one("payment", "w1");
  before = all_of(id);
  for (const auto& [action, body] :
       {std::pair<std::string, std::string>{"complete", R"({"worker_id":"w2"})"},
        {"fail", R"({"worker_id":"w2"})"},
        {"extend-lock", R"({"worker_id":"w2","lock_duration_ms":1000})"}}) {
    const auto reply = post(path(task, action), body);
    EXPECT_EQ(reply.status, 409) << reply.text;
    EXPECT_EQ(reply.header("X-Invariant-Violation"), "ExternalTaskLeaseConflict") << action;
  }
  EXPECT_EQ(all_of(id), before);
}

TEST_F(ExternalTasksTest, ALateReportIsRefusedAlsoWhenItsWorkerHoldsALaterAttempt) {
  deploy(order_model());
  const auto id = start("order");
  const auto task = fetch_one("payment", "w1");
  ASSERT_EQ(post(path(task, "fail"), R"({"worker_id":"w1","attempt":1,"retry_delay_ms":0})").status,
            200);
  ASSERT_EQ(fetch_one("payment", "w1"), task);
  const auto before = all_of(id);
  for (const auto& [action, body] :
       {std::pair<std::string, std::string>{"complete", R"({"worker_id":"w1","attempt":1})"},
        {"complete", R"({"worker_id":"w1","attempt":3})"},
        {"fail", R"({"worker_id":"w1","attempt":1})"},
        {"extend-lock", R"({"worker_id":"w1","attempt":1,"lock_duration_ms":1000})"}}) {
    const auto reply = post(path(task, action), body);
    EXPECT_EQ(reply.status, 409) << reply.text;
    EXPECT_EQ(reply.header("X-Invariant-Violation"), "ExternalTaskLeaseConflict") << body;
  }
  EXPECT_EQ(all_of(id), before);
  EXPECT_EQ(post(path(task, "complete"), R"({"worker_id":"w1","attempt":0})").status, 400);
  EXPECT_EQ(post(path(task, "complete"), R"({"worker_id":"w1","attempt":2})").status, 200);
}

TEST_F(ExternalTasksTest, ATaskThatIsGivenBackCostsNoAttempt) {
  deploy(order_model());
  const auto id = start("order");
  for (int i = 0; i < 5; ++i) {
    const auto task = fetch_one("payment", "w1");
    EXPECT_EQ(post(path(task, "release"), R"({"worker_id":"w2"})").status, 409);
    EXPECT_EQ(post(path(task, "release"), R"({})").status, 400);
    const auto done = post(path(task, "release"), R"({"worker_id":"w1"})");
    EXPECT_EQ(done.status, 200) << done.text;
    EXPECT_EQ(done.text_at("state"), "ready");
    const auto twice = post(path(task, "release"), R"({"worker_id":"w1"})");
    EXPECT_EQ(twice.status, 409);
    EXPECT_EQ(twice.header("X-Invariant-Violation"), "ExternalTaskLeaseConflict");
  }
  const auto reply = post(kFetch, R"({"worker_id":"w1","task_types":["payment"]})");
  EXPECT_EQ(reply.at("tasks/0/attempt"), Value(6));
  EXPECT_EQ(reply.at("tasks/0/retries"), Value(2));
  const auto task = reply.text_at("tasks/0/id");
  EXPECT_EQ(post(path(task, "release"), R"({"worker_id":"w1","attempt":5})").status, 409);
  EXPECT_EQ(post(path(task, "complete"), R"({"worker_id":"w1","attempt":6})").status, 200);
  const auto steps = get("/api/v1/process-instances/" + id + "/steps");
  EXPECT_EQ(steps.text_at("items/0/attempts/0/state"), "released") << steps.text;
  EXPECT_EQ(steps.text_at("items/0/attempts/5/state"), "succeeded");
}

TEST_F(ExternalTasksTest, FailuresAreAttemptsOfOneStepAndEndInAnIncident) {
  deploy(order_model());
  const auto id = start("order");
  const auto instance = "/api/v1/process-instances/" + id;
  const auto first = fetch_one("payment");
  ASSERT_EQ(post(path(first, "fail"), R"({"worker_id":"w1","error_name":"Declined",
      "error_message":"No money.","retry_delay_ms":0})")
                .status,
            200);
  const auto second = fetch_one("payment");
  EXPECT_EQ(second, first);
  ASSERT_EQ(
      post(path(second, "fail"), R"({"worker_id":"w1","error_message":"Still none."})").status,
      200);
  const auto steps = get(instance + "/steps");
  ASSERT_EQ(steps.count("items"), 1U);
  EXPECT_EQ(steps.text_at("items/0/status"), "failed");
  EXPECT_EQ(steps.at("items/0/attempt_count"), Value(2));
  EXPECT_EQ(steps.text_at("items/0/attempts/0/error_name"), "Declined");
  EXPECT_EQ(steps.text_at("items/0/attempts/1/error_message"), "Still none.");
  EXPECT_EQ(get(instance).text_at("incidents/0/kind"), "retries_exhausted");
  const auto letters = get("/api/v1/dead-letters");
  ASSERT_EQ(letters.count("items"), 1U) << letters.text;
  EXPECT_EQ(letters.text_at("items/0/task_id"), first);
  EXPECT_EQ(letters.text_at("items/0/state"), "open");

  ASSERT_EQ(post(instance + "/retry", R"({"retries":1})").status, 200);
  const auto third = fetch_one("payment");
  EXPECT_EQ(post(path(third, "complete"), R"({"worker_id":"w1"})").status, 200);
  const auto after = get(instance + "/steps");
  EXPECT_EQ(after.at("items/0/attempt_count"), Value(3));
  EXPECT_EQ(after.text_at("items/0/status"), "completed");
  EXPECT_EQ(get("/api/v1/dead-letters").count("items"), 0U);
}

TEST_F(ExternalTasksTest, AWorkerMayGiveUpButNotAskForMore) {
  deploy(order_model());
  const auto id = start("order");
  const auto task = fetch_one("payment");
  ASSERT_EQ(post(path(task, "fail"), R"({"worker_id":"w1","retries":0})").status, 200);
  EXPECT_EQ(get("/api/v1/process-instances/" + id).text_at("incidents/0/kind"),
            "retries_exhausted");
  EXPECT_EQ(post(path(task, "fail"), R"({"worker_id":"w1","retries":-1})").status, 400);
  EXPECT_EQ(post(path(task, "fail"), R"({"worker_id":"w1","retry_delay_ms":"1s"})").status, 400);
}

TEST_F(ExternalTasksTest, ALockIsExtendedFromNow) {
  deploy(work_model());
  start("work");
  const auto task = fetch_one("work");
  const auto reply =
      post(path(task, "extend-lock"), R"({"worker_id":"w1","lock_duration_ms":3600000})");
  ASSERT_EQ(reply.status, 200) << reply.text;
  const auto until = get("/api/v1/tasks?type=external").text_at("items/0/lock_expires_at");
  EXPECT_EQ(reply.text_at("lock_expires_at"), until);
  const auto end = parse_instant(until);
  ASSERT_TRUE(end);
  EXPECT_GT(*end, WallClock().now() + std::chrono::minutes(50));
  EXPECT_EQ(post(path(task, "extend-lock"), R"({"worker_id":"w1"})").status, 400);
}

TEST_F(ExternalTasksTest, AParkedFetchIsAnsweredWhenATaskComesToBe) {
  deploy(work_model());
  Reply answer;
  std::jthread worker([&] {
    auto client = caller();
    answer = client.post(kFetch, R"({"worker_id":"w1","task_types":["work"],"wait_ms":60000})");
  });
  wait_until([&] { return counters().requests_open == 1; });
  const auto id = start("work");
  worker.join();
  ASSERT_EQ(answer.count("tasks"), 1U) << answer.text;
  EXPECT_EQ(answer.text_at("tasks/0/instance_id"), id);
}

TEST_F(ExternalTasksTest, AParkedFetchEndsWithNothingWhenItsTimeIsOver) {
  const auto reply = post(kFetch, R"({"worker_id":"w1","task_types":["work"],"wait_ms":50})");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.text, R"({"tasks":[]})");
}

TEST_F(ExternalTasksTest, ManyParkedFetchesNeedNoThreads) {
  deploy(work_model());
  constexpr int kWorkers = 100;
  std::atomic<int> got{0};
  std::vector<std::jthread> workers;
  for (int i = 0; i < kWorkers; ++i) {
    workers.emplace_back([&, i] {
      auto client = caller();
      const auto reply = client.post(kFetch, R"({"worker_id":"w)" + std::to_string(i) +
                                                 R"(","task_types":["work"],"wait_ms":60000})");
      got += static_cast<int>(reply.count("tasks"));
    });
  }
  wait_until([&] { return counters().requests_open == kWorkers; });
  EXPECT_EQ(get("/readyz").status, 200); // others are served meanwhile
  for (int i = 0; i < kWorkers; ++i)
    start("work");
  workers.clear();
  EXPECT_EQ(got, kWorkers);
}

TEST_F(ExternalTasksTest, AClosedConnectionGetsNoTask) {
  deploy(work_model());
  {
    Caller gone(url(), {.answer_timeout = Duration(100)});
    EXPECT_FALSE(
        gone.try_post(kFetch, R"({"worker_id":"gone","task_types":["work"],"wait_ms":60000})"));
  } // closes
  wait_until([&] { return counters().requests_open == 0; });
  const auto id = start("work");
  const auto reply = post(kFetch, R"({"worker_id":"here","task_types":["work"],"wait_ms":60000})");
  ASSERT_EQ(reply.count("tasks"), 1U) << reply.text;
  EXPECT_EQ(reply.text_at("tasks/0/instance_id"), id);
  EXPECT_EQ(reply.at("tasks/0/attempt"), Value(1));
}

TEST_F(ExternalTasksTest, UnknownTasksAreNotFound) {
  EXPECT_EQ(post(path("999999", "complete"), R"({"worker_id":"w1"})").status, 404);
  EXPECT_EQ(post(path("999999", "fail"), R"({"worker_id":"w1"})").status, 404);
  EXPECT_EQ(
      post(path("999999", "extend-lock"), R"({"worker_id":"w1","lock_duration_ms":1})").status,
      404);
  EXPECT_EQ(post(path("x", "complete"), R"({"worker_id":"w1"})").status, 400);
  EXPECT_EQ(post(path("999999", "complete"), "{}").status, 400);
}

} // namespace
} // namespace perdure::api
