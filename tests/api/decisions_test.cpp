// Decisions over HTTP: deploying them with processes, reading them back, evaluating them, and what
// instances evaluated.
#include "api/server_fixture.h"
#include "base/json.h"

namespace perdure::api {
namespace {

using ::testing::HasSubstr;

const net::Fields kXml{{"Content-Type", "application/xml"}};
const net::Fields kJson{{"Content-Type", "application/json"}};
constexpr std::string_view kDeploy = "/api/v1/deployments";
constexpr std::string_view kDecisions = "/api/v1/decision-definitions";

/// A table `Dish` over `season` in front of a decision `Menu`.
std::string dish_model(std::string_view winter = "Stew") {
  return R"(<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" id="menu" name="Menu"
  namespace="urn:menu">
  <inputData id="s" name="season"><variable name="season" typeRef="string"/></inputData>
  <decision id="Dish" name="Dish"><variable name="Dish"/>
    <informationRequirement><requiredInput href="#s"/></informationRequirement>
    <decisionTable><input><inputExpression><text>season</text></inputExpression></input>
      <output name="dish"/>
      <rule id="cold"><inputEntry><text>"Winter"</text></inputEntry>
        <outputEntry><text>")" +
         std::string(winter) + R"("</text></outputEntry></rule>
      <rule id="warm"><inputEntry><text>"Summer"</text></inputEntry>
        <outputEntry><text>"Salad"</text></outputEntry></rule>
    </decisionTable></decision>
  <decision id="Card" name="Card"><variable name="Card"/>
    <informationRequirement><requiredDecision href="#Dish"/></informationRequirement>
    <literalExpression><text>"Today: " + Dish</text></literalExpression></decision>
</definitions>)";
}

std::string choosing_model() {
  return model("choose", R"(<startEvent id="S"/>
<sequenceFlow id="f1" sourceRef="S" targetRef="Choose"/>
<businessRuleTask id="Choose" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  camunda:decisionRef="Card" camunda:resultVariable="card" camunda:mapDecisionResult="singleEntry"/>
<sequenceFlow id="f2" sourceRef="Choose" targetRef="Ask"/>
<userTask id="Ask"/>)");
}

class DecisionsTest : public ServerTest {
protected:
  Reply deploy_files(const std::vector<std::pair<std::string, std::string>>& files) {
    Array resources;
    for (const auto& [name, content] : files)
      resources.emplace_back(Object{{"name", name}, {"content", content}});
    return post(kDeploy, json::write(Object{{"resources", std::move(resources)}}), kJson);
  }
  Reply evaluate(std::string_view id, std::string_view body) {
    return post(std::string(kDecisions) + "/" + std::string(id) + "/evaluate", body, kJson);
  }
};

TEST_F(DecisionsTest, AModelIsDeployedAndReadBack) {
  const auto reply = post(std::string(kDeploy) + "?resource_name=menu.dmn", dish_model(), kXml);
  ASSERT_EQ(reply.status, 201) << reply.text;
  EXPECT_EQ(reply.count("definitions"), 0U);
  ASSERT_EQ(reply.count("decisions"), 2U);
  EXPECT_EQ(reply.text_at("decisions/0/decision_id"), "Dish");
  EXPECT_EQ(reply.at("decisions/0/version"), Value(1));
  EXPECT_EQ(reply.text_at("decisions/0/kind"), "decision");
  EXPECT_EQ(reply.text_at("decisions/0/resource_name"), "menu.dmn");
  const auto id = reply.text_at("decisions/0/id");
  EXPECT_NE(parse_key(id), std::nullopt);
  EXPECT_NE(parse_key(reply.text_at("decisions/0/deployment_id")), std::nullopt);

  const auto by_key = get(std::string(kDecisions) + "/" + id);
  ASSERT_EQ(by_key.status, 200) << by_key.text;
  EXPECT_EQ(by_key.text_at("definition/decision_id"), "Dish");
  EXPECT_EQ(by_key.text_at("model/model_id"), "menu");
  EXPECT_EQ(by_key.text_at("model/xml"), dish_model());
  EXPECT_EQ(get(std::string(kDecisions) + "/Dish").body, by_key.body);
  const auto xml = get(std::string(kDecisions) + "/Dish/xml");
  EXPECT_EQ(xml.text, dish_model());
  EXPECT_THAT(xml.header("Content-Type"), HasSubstr("application/xml"));
  EXPECT_EQ(get(kDecisions).count("items"), 2U);
  EXPECT_EQ(get(std::string(kDecisions) + "?limit=1").count("items"), 1U);
  EXPECT_EQ(get(std::string(kDecisions) + "/Nothing").status, 404);
  EXPECT_EQ(get(std::string(kDecisions) + "/999999").status, 404);
}

TEST_F(DecisionsTest, TheOldPathOfDeploymentsTakesThemToo) {
  const auto reply =
      post("/api/v1/process-definitions/deploy?resource_name=menu.dmn", dish_model(), kXml);
  EXPECT_EQ(reply.status, 201);
  EXPECT_EQ(reply.count("decisions"), 2U);
}

TEST_F(DecisionsTest, FilesAreDeployedTogetherOrNotAtAll) {
  const auto bad = deploy_files({{"choose.bpmn", choosing_model()}, {"menu.dmn", "<nothing/>"}});
  ASSERT_EQ(bad.status, 400);
  EXPECT_EQ(bad.text_at("diagnostics/0/file"), "menu.dmn");
  EXPECT_EQ(bad.text_at("diagnostics/0/code"), "not_dmn");
  EXPECT_EQ(get("/api/v1/process-definitions").count("items"), 0U);
  const auto good = deploy_files({{"choose.bpmn", choosing_model()}, {"menu.dmn", dish_model()}});
  ASSERT_EQ(good.status, 201) << good.text;
  EXPECT_EQ(good.text_at("definitions/0/deployment_id"), good.text_at("decisions/0/deployment_id"));
}

TEST_F(DecisionsTest, BadListsOfFilesAreRefused) {
  for (const std::string_view body :
       {R"({})", R"({"resources": []})", R"({"resources": "x"})", R"({"resources": [1]})",
        R"({"resources": [{"name": "a"}]})", R"({"resources": [{"name": "", "content": ""}]})",
        R"({"resources": [{"name": "a", "content": 1}]})",
        R"({"resources": [{"name": "a", "content": "", "more": 1}]})",
        R"({"resources": [{"name": "a", "content": ""}, {"name": "a", "content": ""}]})",
        R"({"resources": [{"name": "a", "content": ""}], "more": 1})"}) {
    const auto reply = post(kDeploy, body, kJson);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_EQ(reply.text_at("type"), "urn:perdure:problem:invalid-request") << body;
  }
}

TEST_F(DecisionsTest, AnEvaluationShowsHowItCameAbout) {
  ASSERT_EQ(post(std::string(kDeploy) + "?resource_name=menu.dmn", dish_model(), kXml).status, 201);
  const auto reply = evaluate("Card", R"({"variables": {"season": "Winter"}})");
  ASSERT_EQ(reply.status, 200) << reply.text;
  EXPECT_EQ(reply.text_at("value"), "Today: Stew");
  EXPECT_EQ(reply.text_at("definition/decision_id"), "Card");
  ASSERT_EQ(reply.count("evaluated"), 2U);
  EXPECT_EQ(reply.text_at("evaluated/0/id"), "Dish");
  EXPECT_EQ(reply.text_at("evaluated/0/matched_rules/0/id"), "cold");
  EXPECT_EQ(reply.at("evaluated/0/matched_rules/0/number"), Value(1));
  EXPECT_EQ(reply.text_at("evaluated/0/inputs/season"), "Winter");
  EXPECT_EQ(reply.count("warnings"), 0U);
  EXPECT_TRUE(reply.at("error").is_null());
  EXPECT_EQ(
      evaluate("Dish", R"({"variables": {"season": "Summer"}})").text_at("matched_rules/0/id"),
      "warm");
}

TEST_F(DecisionsTest, ANullIsAResultWithItsWarnings) {
  ASSERT_EQ(post(std::string(kDeploy) + "?resource_name=menu.dmn", dish_model(), kXml).status, 201);
  const auto reply = evaluate("Card", "");
  ASSERT_EQ(reply.status, 200) << reply.text;
  EXPECT_TRUE(reply.at("value").is_null());
  ASSERT_GE(reply.count("warnings"), 1U);
  EXPECT_EQ(reply.text_at("warnings/0/file"), "menu.dmn");
  EXPECT_NE(reply.text_at("warnings/0/message"), "");
}

TEST_F(DecisionsTest, VersionsStayToBeEvaluated) {
  post(std::string(kDeploy) + "?resource_name=menu.dmn", dish_model(), kXml);
  post(std::string(kDeploy) + "?resource_name=menu.dmn", dish_model("Soup"), kXml);
  const std::string winter = R"("variables": {"season": "Winter"})";
  EXPECT_EQ(evaluate("Dish", "{" + winter + "}").text_at("value"), "Soup");
  EXPECT_EQ(evaluate("Dish", "{" + winter + ", \"version\": 1}").text_at("value"), "Stew");
  const auto missing = evaluate("Dish", "{" + winter + ", \"version\": 3}");
  EXPECT_EQ(missing.status, 404);
  EXPECT_THAT(missing.text_at("detail"), HasSubstr("version 3"));
  const auto key = evaluate("Dish", "{}").text_at("definition/id");
  EXPECT_EQ(evaluate(key, "{" + winter + "}").text_at("value"), "Soup");
  EXPECT_EQ(evaluate(key, "{\"version\": 1}").status, 400);
}

TEST_F(DecisionsTest, BadEvaluationsAreRefused) {
  post(std::string(kDeploy) + "?resource_name=menu.dmn", dish_model(), kXml);
  EXPECT_EQ(evaluate("Dish", "[1]").status, 400);
  EXPECT_EQ(evaluate("Dish", "{").status, 400);
  EXPECT_EQ(evaluate("Dish", R"({"variables": 1})").status, 400);
  EXPECT_EQ(evaluate("Dish", R"({"version": 0})").status, 400);
  EXPECT_EQ(evaluate("Dish", R"({"more": 1})").status, 400);
  EXPECT_EQ(evaluate("Nothing", "{}").status, 404);
  EXPECT_EQ(
      evaluate("Dish", R"({"variables": {"season": ")" + std::string(2'000'000, 'x') + R"("}})")
          .status,
      413);
}

TEST_F(DecisionsTest, AnEvaluationWithoutEndIsAProblem) {
  auto endless = dish_model();
  const std::string text = "\"Today: \" + Dish";
  endless.replace(endless.find(text), text.size(),
                  "count(for a in 1..100000, b in 1..100000 return a)");
  ASSERT_EQ(post(std::string(kDeploy) + "?resource_name=menu.dmn", endless, kXml).status, 201);
  const auto reply = evaluate("Card", R"({"variables": {"season": "Winter"}})");
  ASSERT_EQ(reply.status, 422) << reply.text;
  EXPECT_EQ(reply.header("Content-Type"), "application/problem+json");
  EXPECT_THAT(reply.text_at("detail"), HasSubstr("takes too long"));
  EXPECT_EQ(reply.text_at("error/element"), "Card");
  EXPECT_EQ(reply.text_at("evaluated/0/id"), "Dish");
}

TEST_F(DecisionsTest, WhatAnInstanceEvaluatedIsListed) {
  ASSERT_EQ(deploy_files({{"choose.bpmn", choosing_model()}, {"menu.dmn", dish_model()}}).status,
            201);
  const auto id = start("choose", R"({"season": "Winter"})");
  const auto path = "/api/v1/process-instances/" + id + "/decision-evaluations";
  const auto list = get(path);
  ASSERT_EQ(list.count("items"), 1U) << list.text;
  EXPECT_EQ(list.text_at("items/0/decision_id"), "Card");
  EXPECT_EQ(list.text_at("items/0/inputs/season"), "Winter");
  EXPECT_EQ(list.text_at("items/0/output"), "Today: Stew");
  EXPECT_EQ(list.text_at("items/0/evaluated/0/id"), "Dish");
  EXPECT_TRUE(list.at("items/0/error").is_null());
  EXPECT_EQ(get("/api/v1/process-instances/999999/decision-evaluations").status, 404);
  const auto variables = get("/api/v1/process-instances/" + id + "/variables");
  EXPECT_THAT(variables.text, HasSubstr("Today: Stew"));
}

TEST_F(DecisionsTest, AnIncidentOfADecisionShowsItsWarnings) {
  auto broken = dish_model();
  broken.replace(broken.find("\"Summer\""), 8, "\"Winter\"");
  ASSERT_EQ(deploy_files({{"choose.bpmn", choosing_model()}, {"menu.dmn", broken}}).status, 201);
  const auto id = start("choose", R"({"season": "Winter"})");
  const auto list = get("/api/v1/process-instances/" + id + "/incidents");
  ASSERT_EQ(list.count("items"), 1U) << list.text;
  EXPECT_EQ(list.text_at("items/0/kind"), "decision_failed");
  EXPECT_EQ(list.text_at("items/0/node_id"), "Choose");
  EXPECT_THAT(list.text_at("items/0/details/warnings/0/reason"), HasSubstr("both match"));
  EXPECT_EQ(list.text_at("items/0/details/warnings/0/element"), "Dish");
}

} // namespace
} // namespace perdure::api
