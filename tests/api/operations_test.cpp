// Operations over HTTP: pause, resume, variables, modify, migrate, restart.
#include "api/server_fixture.h"

namespace perdure::api {
namespace {

using ::testing::HasSubstr;

class OperationsTest : public ServerTest {
protected:
  std::string start() {
    deploy(work_model());
    const auto reply =
        post("/api/v1/process-instances",
             R"({"process_def_id":"work","business_key":"B-1","variables":{"amount":1}})");
    EXPECT_EQ(reply.status, 201) << reply.text;
    return "/api/v1/process-instances/" + reply.text_at("id");
  }
};

TEST_F(OperationsTest, APausedInstanceSaysWhoItWaitsFor) {
  const auto instance = start();
  const auto paused = post(instance + "/pause", R"({"reason":"closed","actor":"ada"})");
  EXPECT_EQ(paused.status, 200) << paused.text;
  EXPECT_EQ(paused.text_at("status"), "paused");
  EXPECT_EQ(get(instance).text_at("tokens/0/waiting_for"), "an operator to resume the instance");
  EXPECT_EQ(post(instance + "/pause", "").status, 409);
  EXPECT_EQ(post(instance + "/pause", "").header("X-Invariant-Violation"), "InstancePaused");
  EXPECT_EQ(get("/api/v1/process-instances?status=paused").count("items"), 1U);
  EXPECT_EQ(post(instance + "/resume", "").text_at("status"), "running");
}

TEST_F(OperationsTest, VariablesAreSetWhereTheyAreKnown) {
  const auto instance = start();
  EXPECT_EQ(post(instance + "/variables", R"({"variables":{"amount":2,"note":"x"}})").status, 200);
  EXPECT_EQ(get(instance + "/variables").at("variables"),
            Value(Object({{"amount", 2}, {"note", "x"}})));
  const auto scope = get(instance).text_at("scopes/0/id");
  EXPECT_EQ(
      post(instance + "/variables", R"({"variables":{"amount":3},"scope_id":")" + scope + "\"}")
          .status,
      200);
  EXPECT_EQ(post(instance + "/variables", R"({"variables":{"a":1},"scope_id":"99"})").status, 404);
  for (const auto* bad : {"{}", R"({"variables":{}})", R"({"variables":[]})", R"({"x":1})"}) {
    EXPECT_EQ(post(instance + "/variables", bad).status, 400) << bad;
  }
}

TEST_F(OperationsTest, ModifyMovesTokensOrTellsWhatItWouldDo) {
  const auto instance = start();
  const std::string changes =
      R"("modifications":[{"kind":"cancel","element_id":"Work"},
         {"kind":"start_before","element_id":"End"}])";
  const auto tried = post(instance + "/modify", "{" + changes + R"(,"dry_run":true})");
  EXPECT_EQ(tried.status, 200) << tried.text;
  EXPECT_EQ(tried.text_at("facts/" + std::to_string(tried.count("facts") - 1) + "/type"),
            "instance_completed");
  EXPECT_EQ(get(instance).text_at("status"), "running");
  EXPECT_EQ(post(instance + "/modify", "{" + changes + "}").text_at("status"), "completed");
  EXPECT_EQ(post(instance + "/modify", "{" + changes + "}").header("X-Invariant-Violation"),
            "InstanceFinished");
}

TEST_F(OperationsTest, BadModificationsAreRefusedWithWhatToDo) {
  const auto instance = start();
  for (const auto* bad :
       {R"({"modifications":[]})", R"({"modifications":[1]})", R"({"modifications":{}})",
        R"({"modifications":[{"kind":"jump","element_id":"End"}]})",
        R"({"modifications":[{"kind":"cancel_token"}]})",
        R"({"modifications":[{"kind":"cancel"}]})",
        R"({"modifications":[{"kind":"cancel","element_id":"Work","scope_id":"1"}]})"}) {
    EXPECT_EQ(post(instance + "/modify", bad).status, 400) << bad;
  }
  const auto refused = post(instance + "/modify",
                            R"({"modifications":[{"kind":"start_before","element_id":"No"}]})");
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.text_at("detail"), HasSubstr("no element `No`"));
}

TEST_F(OperationsTest, RestartBeginsANewInstanceInTheMiddle) {
  const auto instance = start();
  EXPECT_EQ(post(instance + "/cancel", "").status, 200);
  const auto again =
      post(instance + "/restart", R"({"start_before":["Work"],"variables":{"amount":5}})");
  ASSERT_EQ(again.status, 201) << again.text;
  EXPECT_EQ(again.text_at("business_key"), "B-1");
  const auto fresh = get("/api/v1/process-instances/" + again.text_at("id"));
  EXPECT_EQ(fresh.at("variables"), Value(Object{{"amount", 5}}));
  EXPECT_EQ(fresh.text_at("tokens/0/node_id"), "Work");
  EXPECT_EQ(get(instance).text_at("status"), "cancelled");
  EXPECT_EQ(post(instance + "/restart", R"({"start_before":[]})").status, 400);
  EXPECT_EQ(post(instance + "/restart", R"({"start_before":["No"]})").status, 409);
  EXPECT_EQ(post("/api/v1/process-instances/77/restart", R"({"start_before":["Work"]})").status,
            404);
}

TEST_F(OperationsTest, AStartMayBeginInTheMiddle) {
  deploy(work_model());
  const auto reply =
      post("/api/v1/process-instances", R"({"process_def_id":"work","start_before":["End"]})");
  EXPECT_EQ(reply.status, 201) << reply.text;
  EXPECT_EQ(reply.text_at("status"), "completed");
}

TEST_F(OperationsTest, ActivitiesOfAnAdHocSubProcessAreChosenOnce) {
  deploy(model("free", R"(<adHocSubProcess id="Free"><userTask id="A"/><userTask id="B"/>)"
                       R"(<completionCondition>= false</completionCondition></adHocSubProcess>)"));
  const auto instance = "/api/v1/process-instances/" + ServerTest::start("free");
  const auto scope = get(instance).text_at("scopes/1/id");
  ASSERT_EQ(get(instance).text_at("scopes/1/kind"), "ad_hoc");
  const auto choice = [&](const std::string& activities) {
    return R"({"scope_id":")" + scope + R"(","activities":)" + activities +
           R"(,"variables":{"n":1},"actor":"ada"})";
  };
  const net::Fields once{{"Idempotency-Key", "choice-1"}};
  const auto chosen = post(instance + "/ad-hoc-activities", choice(R"(["A"])"), once);
  EXPECT_EQ(chosen.status, 200) << chosen.text;
  EXPECT_EQ(post(instance + "/ad-hoc-activities", choice(R"(["A"])"), once).status, 200);
  EXPECT_EQ(post(instance + "/ad-hoc-activities", choice(R"(["B"])"), once).status, 422);
  EXPECT_EQ(get("/api/v1/tasks?instance_id=" + get(instance).text_at("id")).count("items"), 1U);
  EXPECT_EQ(get(instance).at("scopes/1/variables"), Value(Object{{"n", 1}}));

  const auto wrong = post(instance + "/ad-hoc-activities", choice(R"(["C"])"));
  EXPECT_EQ(wrong.status, 409);
  EXPECT_THAT(wrong.text, HasSubstr("`Free` has no activity `C`"));
  EXPECT_EQ(
      post(instance + "/ad-hoc-activities", R"({"scope_id":"999999","activities":["A"]})").status,
      404);
  for (const auto* bad : {"{}", R"({"activities":["A"]})", R"({"scope_id":"7","activities":[]})",
                          R"({"scope_id":"7","activities":["A"],"x":1})"}) {
    EXPECT_EQ(post(instance + "/ad-hoc-activities", bad).status, 400) << bad;
  }
  const auto audit = get("/api/v1/audit?action=choose_activities");
  ASSERT_EQ(audit.count("items"), 1U) << audit.text;
  EXPECT_EQ(audit.text_at("items/0/actor"), "ada");
  EXPECT_EQ(audit.at("items/0/details"),
            Value(Object{{"scope_id", scope}, {"activities", Array{"A"}}}));
}

TEST_F(OperationsTest, TheAuditIsAPagedList) {
  const auto instance = start();
  const auto id = get(instance).text_at("id");
  EXPECT_EQ(post(instance + "/pause", R"({"actor":"ada"})").status, 200);
  EXPECT_EQ(post(instance + "/resume", R"({"actor":"kim"})").status, 200);
  EXPECT_EQ(post(instance + "/cancel", R"({"actor":"ada","reason":"over"})").status, 200);
  const auto all = get("/api/v1/audit?instance_id=" + id);
  ASSERT_EQ(all.count("items"), 3U) << all.text;
  EXPECT_EQ(all.text_at("items/0/action"), "cancel_instance");
  EXPECT_EQ(all.at("items/0/details"), Value(Object{{"reason", "over"}}));
  EXPECT_EQ(get("/api/v1/audit?actor=ada").count("items"), 2U);
  const auto first = get("/api/v1/audit?limit=2");
  EXPECT_EQ(first.count("items"), 2U);
  const auto second = get("/api/v1/audit?limit=2&after=" + first.text_at("next_after"));
  ASSERT_EQ(second.count("items"), 1U);
  EXPECT_EQ(second.text_at("items/0/action"), "pause_instance");
  EXPECT_EQ(get("/api/v1/audit?instance_id=x").status, 400);
  EXPECT_EQ(get("/api/v1/audit?fly=1").status, 400);
}

TEST_F(OperationsTest, CalledInstancesAreListedByTheirCaller) {
  deploy(model("called", R"(<userTask id="Ask"/>)"));
  deploy(model("caller", R"(<callActivity id="Call" calledElement="called"/>)"));
  const auto id = ServerTest::start("caller");
  const auto children = "/api/v1/process-instances?parent_instance_id=" + id;
  wait_until([&] { return get(children).count("items") == 1; });
  const auto found = get(children);
  EXPECT_EQ(found.text_at("items/0/process_id"), "called");
  EXPECT_EQ(found.text_at("items/0/parent_instance_id"), id);
  EXPECT_EQ(get(children + "&process_id=other").count("items"), 0U);
  EXPECT_EQ(get("/api/v1/process-instances?parent_instance_id=x").status, 400);
}

TEST_F(OperationsTest, AListenerIsATaskThatSaysSo) {
  deploy(model("listening", R"(<task id="A"><extensionElements><zeebe:executionListeners>)"
                            R"(<zeebe:executionListener eventType="start" type="audit"/>)"
                            R"(</zeebe:executionListeners></extensionElements></task>)"));
  const auto instance = "/api/v1/process-instances/" + ServerTest::start("listening");
  const auto jobs =
      post("/api/v1/external-tasks/fetch-and-lock", R"({"worker_id":"w1","task_types":["audit"]})");
  ASSERT_EQ(jobs.status, 200) << jobs.text;
  EXPECT_THAT(jobs.text, HasSubstr(R"("listener":"start")"));
  const auto steps = get(instance + "/steps");
  EXPECT_EQ(steps.text_at("items/0/slug"), "A:start:1");
  EXPECT_EQ(steps.text_at("items/0/type"), "listener");
  EXPECT_EQ(steps.text_at("items/0/name"), "audit");
}

TEST_F(OperationsTest, AnInstanceGoesOnWithAnotherVersion) {
  const auto instance = start();
  deploy(renamed_work_model());
  const auto refused = post(instance + "/migrate", R"({"version":2})");
  EXPECT_EQ(refused.status, 409) << refused.text;
  EXPECT_EQ(refused.header("X-Invariant-Violation"), "BadMigration");
  EXPECT_EQ(refused.text_at("objections/0/element_id"), "Work");
  EXPECT_THAT(refused.text_at("objections/0/detail"), HasSubstr("not in the new version"));
  const auto tried =
      post(instance + "/migrate", R"({"version":2,"mapping":{"Work":"Labour"},"dry_run":true})");
  EXPECT_EQ(tried.status, 200) << tried.text;
  EXPECT_EQ(tried.text_at("facts/0/type"), "instance_migrated");
  EXPECT_EQ(get(instance).text_at("tokens/0/node_id"), "Work");
  const auto done = post(instance + "/migrate", R"({"version":2,"mapping":{"Work":"Labour"}})");
  EXPECT_EQ(done.status, 200) << done.text;
  EXPECT_EQ(get(instance).text_at("tokens/0/node_id"), "Labour");
  const auto audit = get("/api/v1/audit?action=migrate_instance");
  ASSERT_EQ(audit.count("items"), 1U) << audit.text;
  EXPECT_EQ(audit.at("items/0/details/mapping"), Value(Object{{"Work", "Labour"}})) << audit.text;
  const auto newer = get(instance).text_at("process_def_id");
  EXPECT_EQ(post(instance + "/migrate", R"({"definition_id":")" + newer + "\"}").status, 409);
}

TEST_F(OperationsTest, AWrongMigrationIsRefusedWhole) {
  const auto instance = start();
  for (const auto* bad :
       {"{}", R"({"version":0})", R"({"version":2,"definition_id":"3"})", R"({"version":"two"})",
        R"({"version":2,"mapping":["Work"]})", R"({"version":2,"mapping":{"Work":1}})",
        R"({"version":2,"mapping":{"Work":""}})", R"({"version":2,"limit":1})"}) {
    EXPECT_EQ(post(instance + "/migrate", bad).status, 400) << bad;
  }
  EXPECT_EQ(post(instance + "/migrate", R"({"version":9})").status, 404);
  EXPECT_EQ(post("/api/v1/process-instances/99/migrate", R"({"version":2})").status, 404);
}

TEST_F(OperationsTest, AllInstancesOfAVersionGoOnPortionByPortion) {
  const auto instance = start();
  const auto older = get(instance).text_at("process_def_id");
  for (int i = 0; i < 4; ++i)
    post("/api/v1/process-instances", R"({"process_def_id":"work"})");
  deploy(renamed_work_model());
  post("/api/v1/process-instances", R"({"process_def_id":"work"})"); // of the new version
  const auto target = "/api/v1/process-definitions/" + older + "/migrate";
  const auto refused = post(target, R"({"version":2,"limit":2})");
  EXPECT_EQ(refused.status, 200) << refused.text;
  EXPECT_EQ(refused.count("migrated"), 0U);
  EXPECT_EQ(refused.count("refused"), 1U); // the other one of this portion is of the new version
  EXPECT_THAT(refused.text_at("refused/0/detail"), HasSubstr("`Work`"));
  std::size_t migrated = 0;
  std::string after;
  do {
    const auto portion =
        post(target, R"({"version":2,"mapping":{"Work":"Labour"},"limit":2)" +
                         (after.empty() ? std::string() : ",\"after\":\"" + after + "\"") + "}");
    ASSERT_EQ(portion.status, 200) << portion.text;
    EXPECT_EQ(portion.count("refused"), 0U) << portion.text;
    migrated += portion.count("migrated");
    after = portion.at("next_after").is_null() ? "" : portion.text_at("next_after");
  } while (!after.empty());
  EXPECT_EQ(migrated, 5U);
  EXPECT_EQ(get(instance).text_at("tokens/0/node_id"), "Labour");
  post(instance + "/pause", "");
  EXPECT_EQ(post(target, R"({"version":2,"paused":true})").count("migrated"), 0U);
  EXPECT_EQ(post("/api/v1/process-definitions/99/migrate", R"({"version":2})").status, 404);
  EXPECT_EQ(post(target, "{}").status, 400);
}

} // namespace
} // namespace perdure::api
