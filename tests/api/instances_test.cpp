// Process instances over HTTP: starting, looking, cancelling, retrying.
#include <atomic>
#include <set>
#include <thread>

#include "api/server_fixture.h"

namespace perdure::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kInstances = "/api/v1/process-instances";

class InstancesTest : public ServerTest {
protected:
  /// What each token waits for, by node.
  std::map<std::string, std::string> waiting(const std::string& id) {
    const auto reply = get(std::string(kInstances) + "/" + id);
    std::map<std::string, std::string> lines;
    for (std::size_t i = 0; i < reply.count("tokens"); ++i) {
      const auto token = "tokens/" + std::to_string(i);
      lines[reply.text_at(token + "/node_id")] = reply.text_at(token + "/waiting_for");
    }
    return lines;
  }
};

TEST_F(InstancesTest, StartAnswersWithTheInstance) {
  deploy(order_model());
  const auto reply = post(kInstances, R"({"process_def_id":"order","business_key":"A-1",
      "variables":{"total":125.5,"big":9007199254740993}})");
  ASSERT_EQ(reply.status, 201) << reply.text;
  const auto id = reply.text_at("id");
  EXPECT_EQ(reply.header("Location"), std::string(kInstances) + "/" + id);
  EXPECT_EQ(reply.text_at("status"), "running");
  EXPECT_EQ(reply.text_at("business_key"), "A-1");

  const auto one = get(std::string(kInstances) + "/" + id);
  ASSERT_EQ(one.status, 200);
  EXPECT_EQ(one.at("variables/big"), Value(std::int64_t{9007199254740993}));
  EXPECT_EQ(one.at("variables/total"), Value(125.5));
  EXPECT_EQ(one.at("input"), one.at("variables"));
  ASSERT_EQ(one.count("tokens"), 1U);
  EXPECT_EQ(one.text_at("tokens/0/waiting_for"), R"(a worker for "payment")");
  EXPECT_EQ(get(std::string(kInstances) + "/" + id + "/variables").at("variables"),
            one.at("variables"));
}

TEST_F(InstancesTest, StartTakesAKeyAsTextOrNumberOrAProcessId) {
  deploy(work_model());
  deploy(work_model() + "<!-- 2 -->");
  const auto first = get("/api/v1/process-definitions").text_at("items/1/id");
  const auto by_text = post(kInstances, R"({"process_def_id":")" + first + "\"}");
  EXPECT_EQ(by_text.text_at("process_def_id"), first);
  const auto by_number = post(kInstances, R"({"process_def_id":)" + first + "}");
  EXPECT_EQ(by_number.text_at("process_def_id"), first);
  const auto by_process = post(kInstances, R"({"process_def_id":"work"})");
  EXPECT_NE(by_process.text_at("process_def_id"), first);
}

TEST_F(InstancesTest, MinimalAnswersHaveTheIdAlone) {
  deploy(work_model());
  const auto reply =
      post(kInstances, R"({"process_def_id":"work"})", {{"Prefer", "return=minimal"}});
  EXPECT_EQ(reply.status, 201);
  EXPECT_EQ(reply.text, R"({"id":")" + reply.text_at("id") + "\"}");
}

TEST_F(InstancesTest, WrongStartsSayWhatIsWrong) {
  deploy(work_model());
  const struct {
    std::string body;
    int status;
    std::string_view part;
  } cases[] = {
      {R"({"process_def_id":"nothing"})", 404, "detail"},
      {R"({"process_def_id":"999999"})", 404, "detail"},
      {R"({"process_def_id":-5})", 404, "detail"},
      {R"({})", 400, "/process_def_id"},
      {R"({"process_def_id":true})", 400, "/process_def_id"},
      {R"({"process_def_id":"work","variables":[1]})", 400, "/variables"},
      {R"({"process_def_id":"work","variabels":{}})", 400, "/variabels"},
      {R"({"process_def_id":"work","business_key":""})", 400, "/business_key"},
      {R"({"process_def_id":"work","business_key":7})", 400, "/business_key"},
      {R"({"process_def_id":"work","unique_business_key":true})", 400, "/unique_business_key"},
      {R"({"process_def_id":"work","variables":{"n":9223372036854775808}})", 400, "int"},
      {"{\"process_def_id\":\"work\",\"variables\":{\"n\":\"\xC3\x28\"}}", 400, "UTF-8"},
      {"{\"process_def_id\":\"work\",\"variables\":" + std::string(10'000, '[') +
           std::string(10'000, ']') + "}",
       400, "deep"},
      {R"({"process_def_id":"work","variables":{"a":1,"a":2}})", 400, "\\\"a\\\""},
      {R"({"process_def_id":"work","variables":{"a":")" + std::string(1024 * 1024, 'x') + "\"}}",
       413, "reference"},
      {"not json", 400, "detail"},
      {"", 400, "detail"},
  };
  for (const auto& c : cases) {
    const auto reply = post(kInstances, c.body);
    EXPECT_EQ(reply.status, c.status) << c.body.substr(0, 80) << reply.text.substr(0, 300);
    EXPECT_EQ(reply.header("Content-Type"), "application/problem+json");
    EXPECT_THAT(reply.text, HasSubstr(c.part)) << c.body.substr(0, 80);
  }
  EXPECT_EQ(get(kInstances).count("items"), 0U);
  start("work");
}

TEST_F(InstancesTest, VariablesJustUnderTheLimitAreTaken) {
  deploy(work_model());
  const auto id = start("work", R"({"a":")" + std::string(1024 * 1024 - 8, 'x') + "\"}");
  EXPECT_EQ(get(std::string(kInstances) + "/" + id).text_at("variables/a").size(), 1024 * 1024 - 8);
}

TEST_F(InstancesTest, StartingTwiceWithOneKeyStartsOnce) {
  deploy(work_model());
  const std::string body = R"({"process_def_id":"work","variables":{"n":1}})";
  const net::Fields key{{"Idempotency-Key", "order-1"}};
  const auto first = post(kInstances, body, key);
  ASSERT_EQ(first.status, 201) << first.text;
  EXPECT_EQ(first.header("Idempotency-Replayed"), "");
  const auto again = post(kInstances, body, key);
  EXPECT_EQ(again.status, 200) << again.text;
  EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
  EXPECT_EQ(again.text_at("id"), first.text_at("id"));
  EXPECT_EQ(get(kInstances).count("items"), 1U);

  const auto other = post(kInstances, R"({"process_def_id":"work"})", key);
  EXPECT_EQ(other.status, 422) << other.text;
  EXPECT_EQ(other.header("X-Invariant-Violation"), "IdempotencyKeyReused");
  EXPECT_EQ(get(kInstances).count("items"), 1U);
  EXPECT_EQ(post(kInstances, body, {{"Idempotency-Key", std::string(256, 'k')}}).status, 400);
}

TEST_F(InstancesTest, FiftyStartsAtOnceWithOneKeyStartOne) {
  deploy(work_model());
  std::atomic<int> created{0};
  std::atomic<int> replayed{0};
  std::vector<std::string> ids(50);
  std::vector<std::jthread> threads;
  for (auto& id : ids) {
    threads.emplace_back([&] {
      auto client = caller();
      const auto reply =
          client.post(kInstances, R"({"process_def_id":"work"})", {{"Idempotency-Key", "the-one"}});
      created += reply.status == 201;
      replayed += reply.status == 200;
      id = reply.text_at("id");
    });
  }
  threads.clear();
  EXPECT_EQ(created, 1);
  EXPECT_EQ(replayed, 49);
  EXPECT_THAT(std::set<std::string>(ids.begin(), ids.end()), ::testing::SizeIs(1));
  EXPECT_EQ(get(kInstances).count("items"), 1U);
}

TEST_F(InstancesTest, AUniqueBusinessKeyIsHeldByOneInstance) {
  deploy(work_model());
  const std::string body =
      R"({"process_def_id":"work","business_key":"B","unique_business_key":true})";
  const auto first = post(kInstances, body);
  ASSERT_EQ(first.status, 201) << first.text;
  const auto second = post(kInstances, body);
  EXPECT_EQ(second.status, 409) << second.text;
  EXPECT_EQ(second.header("X-Invariant-Violation"), "BusinessKeyTaken");
  EXPECT_EQ(second.text_at("violation"), second.header("X-Invariant-Violation"));
  EXPECT_EQ(second.text_at("existing_instance_id"), first.text_at("id"));
  EXPECT_EQ(get(kInstances).count("items"), 1U);
}

TEST_F(InstancesTest, ListsFilterAndPage) {
  deploy(work_model());
  deploy(gateway_model());
  for (int i = 0; i < 3; ++i)
    start("work");
  post(kInstances, R"({"process_def_id":"work","business_key":"B-7"})");
  start("gateway", R"({"ok":true})");
  start("gateway", R"({"ok":false})");

  EXPECT_EQ(get("/api/v1/process-instances").count("items"), 6U);
  EXPECT_EQ(get("/api/v1/process-instances?process_id=work").count("items"), 4U);
  EXPECT_EQ(get("/api/v1/process-instances?status=completed").count("items"), 1U);
  EXPECT_EQ(get("/api/v1/process-instances?business_key=B-7").count("items"), 1U);
  EXPECT_EQ(get("/api/v1/process-instances?incidents=true").count("items"), 1U);
  EXPECT_EQ(get("/api/v1/process-instances?incidents=true").at("items/0/incident_count"), Value(1));
  EXPECT_EQ(get("/api/v1/process-instances?process_id=gateway&status=running").count("items"), 1U);
  EXPECT_EQ(get("/api/v1/process-instances").at("items/0/input"), Value());

  std::set<std::string> ids;
  std::string after;
  for (int page = 0; page < 3; ++page) {
    const auto reply = get("/api/v1/process-instances?limit=2" + after);
    ASSERT_EQ(reply.count("items"), 2U);
    ids.insert({reply.text_at("items/0/id"), reply.text_at("items/1/id")});
    after = "&after=" + reply.text_at("next_after");
  }
  EXPECT_EQ(ids.size(), 6U);
  EXPECT_EQ(get("/api/v1/process-instances?limit=2" + after).count("items"), 0U);

  for (const std::string query : {"status=sleepy", "limit=0", "limit=x", "after=x", "incidents=1",
                                  "proces_id=work", "status=running&status=completed"}) {
    const auto reply = get("/api/v1/process-instances?" + query);
    EXPECT_EQ(reply.status, 400) << query;
    EXPECT_EQ(reply.text_at("errors/0/query"), query.substr(0, query.find('='))) << query;
  }
}

TEST_F(InstancesTest, EveryTokenTellsWhatItWaitsFor) {
  deploy(fork_model());
  const auto id = start("fork");
  const auto lines = waiting(id);
  ASSERT_EQ(lines.size(), 6U) << get(std::string(kInstances) + "/" + id).text;
  EXPECT_EQ(lines.at("Work"), R"(a worker for "work")");
  EXPECT_EQ(lines.at("Review"), R"(someone to complete the user task "Review")");
  EXPECT_THAT(lines.at("Timer"), StartsWith("the timer due at 20"));
  EXPECT_EQ(lines.at("Sub"), R"(the sub-process "Sub" to end)");
  EXPECT_EQ(lines.at("Inner"), R"(someone to complete the user task "Inner")");
  EXPECT_EQ(lines.at("Join"), R"(the other branches to reach "Join")");
  fetch_one("work", "w9");
  EXPECT_THAT(waiting(id).at("Work"), StartsWith(R"(worker "w9" to finish attempt 1 of "work")"));
  EXPECT_EQ(get(std::string(kInstances) + "/" + id + "/variables").count("scopes"), 2U);
}

TEST_F(InstancesTest, StepsHistoryAndTraceTellTheSameStory) {
  deploy(work_model());
  const auto id = start("work");
  const auto task = fetch_one("work");
  ASSERT_EQ(post("/api/v1/external-tasks/" + task + "/complete",
                 R"({"worker_id":"w1","variables":{"done":true}})")
                .status,
            200);
  const auto path = std::string(kInstances) + "/" + id;
  const auto instance = get(path);
  EXPECT_EQ(instance.text_at("status"), "completed");
  EXPECT_EQ(instance.at("variables"), Value(Object{{"done", true}}));
  EXPECT_EQ(instance.count("tokens"), 0U);

  const auto steps = get(path + "/steps");
  ASSERT_EQ(steps.count("items"), 1U);
  EXPECT_EQ(steps.text_at("items/0/slug"), "Work");
  EXPECT_EQ(steps.text_at("items/0/status"), "completed");
  EXPECT_EQ(steps.at("items/0/attempt_count"), Value(1));
  ASSERT_EQ(steps.count("items/0/attempts"), 1U);
  EXPECT_EQ(steps.text_at("items/0/attempts/0/state"), "succeeded");
  EXPECT_EQ(steps.text_at("items/0/attempts/0/worker_id"), "w1");

  const auto history = get(path + "/history");
  const auto facts = history.count("items");
  ASSERT_GT(facts, 5U);
  EXPECT_EQ(history.text_at("items/0/event_type"), "instance_started");
  EXPECT_EQ(history.text_at("items/0/category"), "instance");
  EXPECT_EQ(history.text_at("items/0/payload/process_id"), "work");
  for (std::size_t i = 0; i < facts; ++i) {
    EXPECT_EQ(history.at("items/" + std::to_string(i) + "/sequence"),
              Value(static_cast<std::int64_t>(i + 1)));
  }
  const auto page = get(path + "/history?limit=2&after=3");
  EXPECT_EQ(page.at("items/0/sequence"), Value(4));
  EXPECT_EQ(page.text_at("next_after"), "5");

  const auto trace = get(path + "/trace");
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < trace.count("items"); ++i) {
    const auto entry = "items/" + std::to_string(i);
    lines.push_back(trace.text_at(entry + "/action") + " " + trace.text_at(entry + "/element_id") +
                    " " + trace.text_at(entry + "/flow_id"));
  }
  EXPECT_THAT(lines, ElementsAre("placed Start ", "moved Work f1", "waiting Work ", "moved End f2",
                                 "completed End "));
  const auto rest = get(path + "/trace?limit=1&after=" +
                        std::to_string(*trace.at("items/0/sequence").as<std::int64_t>()));
  EXPECT_EQ(rest.text_at("items/0/action"), "moved");
}

TEST_F(InstancesTest, StepsComeInPages) {
  deploy(order_model());
  const auto id = start("order");
  ASSERT_EQ(post("/api/v1/external-tasks/" + fetch_one("payment", "w1") + "/complete",
                 R"({"worker_id":"w1"})")
                .status,
            200);
  const auto path = "/api/v1/process-instances/" + id + "/steps";
  const auto first = get(path + "?limit=1");
  ASSERT_EQ(first.count("items"), 1U) << first.text;
  EXPECT_EQ(first.text_at("items/0/slug"), "Pay");
  EXPECT_EQ(first.count("items/0/attempts"), 1U);
  EXPECT_EQ(first.text_at("next_after"), "1");
  const auto second = get(path + "?limit=5&after=1");
  ASSERT_EQ(second.count("items"), 1U) << second.text;
  EXPECT_EQ(second.text_at("items/0/slug"), "Review");
  EXPECT_EQ(second.at("next_after"), Value());
  EXPECT_EQ(get(path + "?after=2").count("items"), 0U);
  EXPECT_EQ(get(path + "?limit=0").status, 400);
}

TEST_F(InstancesTest, CancelEndsAnInstanceOnce) {
  deploy(order_model());
  const auto id = start("order");
  const auto path = std::string(kInstances) + "/" + id;
  const auto reply = post(path + "/cancel", R"({"reason":"changed my mind","actor":"ada"})");
  ASSERT_EQ(reply.status, 200) << reply.text;
  EXPECT_EQ(reply.text_at("status"), "cancelled");
  EXPECT_EQ(reply.text_at("end_reason"), "changed my mind");
  EXPECT_EQ(get("/api/v1/tasks").count("items"), 0U);
  const auto before = all_of(id);
  const auto again = post(path + "/cancel");
  EXPECT_EQ(again.status, 409) << again.text;
  EXPECT_EQ(again.header("X-Invariant-Violation"), "InstanceFinished");
  EXPECT_EQ(all_of(id), before);
  EXPECT_EQ(post(path + "/cancel", R"({"reson":"x"})").status, 400);
}

TEST_F(InstancesTest, AnIncidentIsShownAndRetried) {
  deploy(gateway_model());
  const auto id = start("gateway", R"({"ok":false})");
  const auto path = std::string(kInstances) + "/" + id;
  const auto instance = get(path);
  ASSERT_EQ(instance.count("incidents"), 1U) << instance.text;
  const auto incident = instance.text_at("incidents/0/id");
  EXPECT_EQ(instance.text_at("incidents/0/kind"), "no_outgoing_flow");
  EXPECT_THAT(waiting(id).at("Choose"),
              StartsWith("an operator to resolve the incident " + incident + ": "));
  EXPECT_EQ(get(path + "/incidents?state=open").count("items"), 1U);

  // Nothing has changed, so it is stuck again, on a new incident.
  const auto retried = post(path + "/retry", R"({"retries":2,"actor":"ada"})");
  EXPECT_EQ(retried.status, 200) << retried.text;
  const auto open = get(path + "/incidents?state=open");
  ASSERT_EQ(open.count("items"), 1U) << open.text;
  EXPECT_NE(open.text_at("items/0/id"), incident);
  const auto resolved = get(path + "/incidents?state=resolved");
  EXPECT_EQ(resolved.text_at("items/0/id"), incident);
  EXPECT_EQ(resolved.text_at("items/0/resolved_by"), "ada");

  const auto second = open.text_at("items/0/id");
  const auto by_id = post("/api/v1/incidents/" + second + "/retry");
  EXPECT_EQ(by_id.status, 200) << by_id.text;
  EXPECT_EQ(by_id.text_at("id"), second);
  const auto third = get(path + "/incidents?state=open").text_at("items/0/id");
  const auto of_both = post(path + "/retry", R"({"incident_id":")" + third + "\"}");
  EXPECT_EQ(of_both.status, 200) << of_both.text;
  EXPECT_EQ(post("/api/v1/incidents/" + second + "/retry").status, 409);
}

TEST_F(InstancesTest, RetryWithoutAnIncidentIsRefused) {
  deploy(order_model());
  const auto id = start("order");
  const auto before = all_of(id);
  const auto reply = post(std::string(kInstances) + "/" + id + "/retry");
  EXPECT_EQ(reply.status, 409) << reply.text;
  EXPECT_EQ(reply.header("X-Invariant-Violation"), "NothingToRetry");
  EXPECT_EQ(all_of(id), before);
  EXPECT_EQ(post(std::string(kInstances) + "/" + id + "/retry", R"({"retries":0})").status, 400);
}

TEST_F(InstancesTest, UnknownInstancesAreNotFound) {
  for (const std::string part : {"", "/steps", "/history", "/trace", "/variables", "/incidents"}) {
    EXPECT_EQ(get("/api/v1/process-instances/999999" + part).status, 404) << part;
    EXPECT_EQ(get("/api/v1/process-instances/abc" + part).status, 400) << part;
  }
  for (const std::string target :
       {"/api/v1/process-instances/999999/cancel", "/api/v1/process-instances/999999/retry",
        "/api/v1/incidents/999999/retry"}) {
    EXPECT_EQ(post(target).status, 404) << target;
  }
  EXPECT_EQ(post("/api/v1/process-instances/0/cancel").status, 400);
}

} // namespace
} // namespace perdure::api
