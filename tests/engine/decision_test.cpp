// Decisions in the engine: deployed with and without processes, versioned, found by business rule
// tasks, recorded, evaluated for callers.
#include <sqlite3.h>

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "engine/fixture.h"

namespace perdure::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A model with the decision `id`, whose value is the FEEL text.
std::string decision_model(std::string_view id, std::string_view feel,
                           std::string_view model_id = "m", std::string_view attributes = "") {
  return R"(<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/"
  xmlns:camunda="http://camunda.org/schema/1.0/dmn" id=")" +
         std::string(model_id) + R"(" name="M" namespace="urn:)" + std::string(model_id) +
         R"("><decision id=")" + std::string(id) + "\" name=\"" + std::string(id) + "\" " +
         std::string(attributes) + "><variable name=\"" + std::string(id) +
         "\"/><literalExpression><text>" + std::string(feel) +
         "</text></literalExpression></decision></definitions>";
}

std::string deciding_model(std::string_view attributes = "", std::string_view decision = "Dish") {
  return model("choose", R"(<startEvent id="Start"/>)" + flow("Start", "Choose") +
                             R"(<businessRuleTask id="Choose"><extensionElements>
                             <zeebe:calledDecision decisionId=")" +
                             std::string(decision) + R"(" resultVariable="menu" )" +
                             std::string(attributes) + "/></extensionElements></businessRuleTask>" +
                             flow("Choose", "Review") + R"(<userTask id="Review"/>)" +
                             flow("Review", "End") + R"(<endEvent id="End"/>)");
}

class DecisionsTest : public EngineTest {
protected:
  void SetUp() override { run(); }

  Answer<Deployed> try_deploy(std::vector<Resource> files) {
    return ask<Deployed>([&](auto reply) {
      engine().deploy({.resources = std::move(files), .tenant_id = {}}, std::move(reply));
    });
  }
  Deployed deploy_all(std::vector<Resource> files) {
    auto deployed = try_deploy(std::move(files));
    if (deployed) return *std::move(deployed);
    for (const auto& found : deployed.error().diagnostics)
      ADD_FAILURE() << definition::to_text(found);
    ADD_FAILURE() << deployed.error().message;
    return {};
  }
  /// Versions of the decisions, in the order of the files.
  static std::vector<std::int64_t> versions(const Deployed& deployed) {
    std::vector<std::int64_t> found;
    for (const auto& model : deployed.models) {
      for (const auto& decision : model.decisions)
        found.push_back(decision.version);
    }
    return found;
  }
  std::vector<std::string> problems(std::vector<Resource> files) {
    std::vector<std::string> found;
    const auto deployed = try_deploy(std::move(files));
    if (deployed) return found;
    EXPECT_EQ(deployed.error().kind, Failure::Kind::invalid_input);
    for (const auto& problem : deployed.error().diagnostics)
      found.push_back(problem.file + " " + problem.code);
    return found;
  }
  std::string menu_of(Key instance_id) {
    const auto scopes = reader().scopes(instance_id).value();
    const auto* value = scopes.front().variables.find("menu");
    return value ? json::write(*value) : "absent";
  }
  std::vector<facts::DecisionEvaluation> evaluations(Key instance_id) {
    return reader().evaluations(instance_id, {}).value();
  }
  /// What only somebody with the database's file in hand can do.
  void execute(const std::string& sql) {
    end();
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
    run();
  }
};

TEST_F(DecisionsTest, AModelAloneIsDeployedOnce) {
  const auto first = deploy_all({{"dish.dmn", decision_model("Dish", "1")}});
  ASSERT_EQ(first.models.size(), 1U);
  EXPECT_THAT(first.definitions, IsEmpty());
  EXPECT_EQ(first.models[0].requirements.model_id, "m");
  EXPECT_EQ(first.models[0].requirements.resource_name, "dish.dmn");
  EXPECT_THAT(versions(first), ElementsAre(1));
  const auto again = deploy_all({{"dish.dmn", decision_model("Dish", "1")}});
  EXPECT_EQ(again.models[0].decisions, first.models[0].decisions);
  EXPECT_THAT(versions(deploy_all({{"dish.dmn", decision_model("Dish", "2")}})), ElementsAre(2));
  EXPECT_THAT(versions(deploy_all({{"dish.dmn", decision_model("Dish", "1")}})), ElementsAre(3));
  EXPECT_EQ(reader().decisions({}).value().size(), 3U);
}

TEST_F(DecisionsTest, ContentTellsAModelThatHasAnotherName) {
  EXPECT_EQ(deploy_all({{"dish.xml", decision_model("Dish", "1")}}).models.size(), 1U);
  EXPECT_EQ(deploy_all({{"work.xml", work_model()}}).definitions.size(), 1U);
}

TEST_F(DecisionsTest, FilesTogetherAreOneDeployment) {
  const auto process = deciding_model("bindingType=\"deployment\"");
  const auto first =
      deploy_all({{"choose.bpmn", process}, {"dish.dmn", decision_model("Dish", "1")}});
  ASSERT_EQ(first.definitions.size(), 1U);
  EXPECT_EQ(first.definitions[0].deployment_id, first.models[0].requirements.deployment_id);
  EXPECT_EQ(first.definitions[0].deployment_id, first.models[0].decisions[0].deployment_id);
  // The decision goes on alone: the process keeps what came with it.
  deploy_all({{"dish.dmn", decision_model("Dish", "2")}});
  EXPECT_EQ(menu_of(start("choose")), "1");
  // Both again: what belongs together is new together.
  const auto third =
      deploy_all({{"choose.bpmn", process}, {"dish.dmn", decision_model("Dish", "2")}});
  EXPECT_EQ(third.definitions[0].version, 2);
  EXPECT_THAT(versions(third), ElementsAre(3));
  EXPECT_EQ(menu_of(start("choose")), "2");
  const auto same =
      deploy_all({{"choose.bpmn", process}, {"dish.dmn", decision_model("Dish", "2")}});
  EXPECT_EQ(same.definitions[0].id, third.definitions[0].id);
  EXPECT_EQ(same.models[0].requirements.id, third.models[0].requirements.id);
}

TEST_F(DecisionsTest, AModelMayImportAFileOfItsDeployment) {
  const auto library = decision_model("Price", "20", "lib");
  auto user = decision_model("Dish", "lib.Price + 1");
  const std::string import =
      R"(<import namespace="urn:lib" name="lib"
  importType="https://www.omg.org/spec/DMN/20230324/MODEL/"/>)";
  user.insert(user.find("<decision"), import);
  user.insert(user.find("<literalExpression"),
              R"(<informationRequirement><requiredDecision href="urn:lib#Price"/>
  </informationRequirement>)");
  EXPECT_THAT(problems({{"dish.dmn", user}}),
              ElementsAre("dish.dmn missing_import", "dish.dmn unknown_reference"));
  const auto deployed = deploy_all({{"dish.dmn", user}, {"lib.dmn", library}});
  deploy_all({{"choose.bpmn", deciding_model()}});
  EXPECT_EQ(menu_of(start("choose")), "21");
  EXPECT_EQ(deployed.models[0].requirements.imports.as<Array>()->size(), 1U);
  EXPECT_THAT(*deployed.models[1].requirements.imports.as<Array>(), IsEmpty());
  // The same file with another import is another model.
  const auto changed =
      deploy_all({{"dish.dmn", user}, {"lib.dmn", decision_model("Price", "30", "lib")}});
  EXPECT_THAT(versions(changed), ElementsAre(2, 2));
  EXPECT_EQ(menu_of(start("choose")), "31");
  // Read again from its rows.
  end();
  run();
  EXPECT_EQ(menu_of(start("choose")), "31");
}

TEST_F(DecisionsTest, WhatIsWrongIsRefusedWithItsPlace) {
  auto foreign = decision_model("Dish", "1");
  foreign.replace(foreign.find("20230324"), 8, "20990101");
  EXPECT_THAT(problems({{"dish.dmn", foreign}}), ElementsAre("dish.dmn not_dmn"));
  EXPECT_THAT(problems({{"dish.dmn", work_model()}}), ElementsAre("dish.dmn not_dmn"));
  EXPECT_THAT(problems({{"dish.dmn", ""}}), ElementsAre("dish.dmn empty_file"));
  EXPECT_THAT(problems({{"dish.bpmn", foreign}}), ElementsAre("dish.bpmn not_bpmn"));
  EXPECT_THAT(problems({{"dish.dmn", decision_model("Dish", "1 +")}}),
              ElementsAre("dish.dmn bad_expression"));
  const auto one = decision_model("Dish", "1");
  EXPECT_THAT(problems({{"a.dmn", one}, {"b.dmn", decision_model("Dish", "2", "other")}}),
              ElementsAre("b.dmn duplicate_id"));
  EXPECT_THAT(problems({{"a.dmn", one}, {"b.dmn", decision_model("Other", "2")}}),
              ElementsAre("b.dmn duplicate_id"));
  EXPECT_THAT(problems({{"a.bpmn", work_model()}, {"b.bpmn", work_model()}}),
              ElementsAre("b.bpmn duplicate_process_id"));
  // All or none.
  EXPECT_THAT(problems({{"a.bpmn", work_model()}, {"b.dmn", decision_model("Dish", ")")}}),
              ElementsAre("b.dmn bad_expression"));
  EXPECT_THAT(reader().definitions({}).value(), IsEmpty());
  EXPECT_THAT(reader().decisions({}).value(), IsEmpty());
}

TEST_F(DecisionsTest, DecisionsThatRequireEachOtherAreRefused) {
  std::string cyclic = R"(<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" id="m"
    name="M" namespace="urn:m">)";
  for (const auto& [id, other] : {std::pair("A", "B"), std::pair("B", "A")}) {
    cyclic += std::string("<decision id=\"") + id + "\" name=\"" + id +
              "\"><informationRequirement><requiredDecision href=\"#" + other +
              "\"/></informationRequirement><literalExpression><text>1</text></literalExpression>"
              "</decision>";
  }
  EXPECT_THAT(problems({{"m.dmn", cyclic + "</definitions>"}}),
              ElementsAre("m.dmn requirement_cycle"));
}

TEST_F(DecisionsTest, AnEvaluationIsRecordedWithItsStep) {
  const auto deployed = deploy_all(
      {{"choose.bpmn", deciding_model()}, {"dish.dmn", decision_model("Dish", "season")}});
  const auto id = start("choose", Object{{"season", "Winter"}, {"other", 1}});
  EXPECT_EQ(menu_of(id), R"("Winter")");
  const auto rows = evaluations(id);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].definition_id, deployed.models[0].decisions[0].id);
  EXPECT_EQ(rows[0].step_id, step(id, "Choose").id);
  EXPECT_EQ(json::write(rows[0].inputs), R"({"season":"Winter"})");
  EXPECT_EQ(record(id).rows.evaluations.size(), 1U);
}

TEST_F(DecisionsTest, AMissingDecisionWaitsForItsDeployment) {
  deploy(deciding_model());
  const auto id = start("choose");
  ASSERT_EQ(incidents(id).size(), 1U);
  EXPECT_EQ(incidents(id)[0].kind, facts::IncidentKind::decision_failed);
  EXPECT_EQ(outcome_of(retry(id)), "");
  EXPECT_EQ(menu_of(id), "absent");
  deploy_all({{"dish.dmn", decision_model("Dish", "7")}});
  EXPECT_EQ(outcome_of(retry(id)), "");
  EXPECT_EQ(menu_of(id), "7");
}

TEST_F(DecisionsTest, AProcessWithoutADeploymentHasNoDecisionOfIt) {
  deploy_all({{"dish.dmn", decision_model("Dish", "7")}});
  deploy(deciding_model("bindingType=\"deployment\""));
  const auto id = start("choose");
  ASSERT_EQ(incidents(id).size(), 1U);
  EXPECT_THAT(incidents(id)[0].message, HasSubstr("of the deployment of the process"));
}

TEST_F(DecisionsTest, TagsFindTheirVersion) {
  const std::string tag = "camunda:versionTag=\"v1\"";
  deploy_all({{"dish.dmn", decision_model("Dish", "1", "m", tag)}});
  deploy_all({{"dish.dmn", decision_model("Dish", "2", "m", tag)}});
  deploy_all({{"dish.dmn", decision_model("Dish", "3")}});
  deploy(deciding_model(R"(bindingType="versionTag" versionTag="v1")"));
  EXPECT_EQ(menu_of(start("choose")), "2");
  deploy(deciding_model(R"(bindingType="versionTag" versionTag="v9")"));
  const auto id = start("choose");
  EXPECT_THAT(incidents(id).at(0).message, HasSubstr("version tag `v9`"));
}

TEST_F(DecisionsTest, ADecisionThatIsRemovedMeanwhileIsMissing) {
  deploy_all({{"choose.bpmn", deciding_model()}, {"dish.dmn", decision_model("Dish", "1")}});
  execute("DELETE FROM decision_definition");
  const auto id = start("choose");
  EXPECT_THAT(incidents(id).at(0).message, HasSubstr("There is no decision `Dish`"));
  deploy_all({{"dish.dmn", decision_model("Dish", "2")}});
  EXPECT_EQ(outcome_of(retry(id)), "");
  EXPECT_EQ(menu_of(id), "2");
}

TEST_F(DecisionsTest, AModelThatCannotBeReadAnyMoreIsAnIncident) {
  deploy_all({{"choose.bpmn", deciding_model()}, {"dish.dmn", decision_model("Dish", "1")}});
  execute(
      "DROP TRIGGER decision_requirements_immutable;"
      "UPDATE decision_requirements SET source = '<not-a-model/>'");
  const auto id = start("choose");
  EXPECT_THAT(incidents(id).at(0).message, HasSubstr("cannot be used"));
  EXPECT_THAT(incidents(id).at(0).message, HasSubstr("no DMN model"));
}

TEST_F(DecisionsTest, ADatabaseThatCannotSayPutsTheDecisionOff) {
  deploy_all({{"choose.bpmn", deciding_model()}, {"dish.dmn", decision_model("Dish", "1")}});
  // The process is known already, the decision is not.
  faults().failing_definitions = 0;
  const auto before = start("choose");
  EXPECT_EQ(menu_of(before), "1");
  deploy_all({{"dish.dmn", decision_model("Dish", "2")}});
  faults().failing_definitions = 2; // the latest process is asked for first
  EXPECT_EQ(outcome_of(try_start({.process_id = "choose"})), "unavailable");
  EXPECT_EQ(outcome_of(try_start({.process_id = "choose"})), "unavailable");
  EXPECT_EQ(menu_of(start("choose")), "2");
  EXPECT_EQ(instances().size(), 2U);
}

TEST_F(DecisionsTest, AnInstanceThatIsPutOffKeepsItsState) {
  deploy(deciding_model());
  const auto id = start("choose"); // an incident: nothing is deployed
  faults().failing_definitions = 1;
  EXPECT_EQ(outcome_of(retry(id)), "unavailable");
  EXPECT_EQ(incidents(id).size(), 1U);
  deploy_all({{"dish.dmn", decision_model("Dish", "7")}});
  EXPECT_EQ(outcome_of(retry(id)), "");
  EXPECT_EQ(menu_of(id), "7");
}

TEST_F(DecisionsTest, CallersEvaluateByIdVersionAndKey) {
  const auto first = deploy_all({{"dish.dmn", decision_model("Dish", "price * 2")}});
  deploy_all({{"dish.dmn", decision_model("Dish", "price * 3")}});
  const auto value_of = [&](EvaluateCommand command) {
    command.variables = Object{{"price", 7}};
    const auto result = engine().evaluate(reader(), command);
    if (!result) return result.error().message;
    return json::write(*result->outcome.find("value"));
  };
  EXPECT_EQ(value_of({.decision_id = "Dish"}), "21");
  EXPECT_EQ(value_of({.decision_id = "Dish", .version = 1}), "14");
  EXPECT_EQ(value_of({.decision_id = key_text(first.models[0].decisions[0].id)}), "14");
  EXPECT_THAT(value_of({.decision_id = "Dish", .version = 9}),
              HasSubstr("There is no version 9 of the decision \"Dish\""));
  EXPECT_THAT(value_of({.decision_id = "Nothing"}), HasSubstr("There is no decision \"Nothing\""));
  const auto missing = engine().evaluate(reader(), {.decision_id = "Nothing"});
  EXPECT_EQ(missing.error().kind, Failure::Kind::not_found);
}

TEST_F(DecisionsTest, IdsCountAndNamesDoNot) {
  deploy_all({{"m.dmn",
               R"(<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" id="m" name="M"
    namespace="urn:m">
    <decision id="A" name="B"><literalExpression><text>1</text></literalExpression></decision>
    <decision id="B" name="A"><literalExpression><text>2</text></literalExpression></decision>
    </definitions>)"}});
  const auto result = engine().evaluate(reader(), {.decision_id = "B"});
  ASSERT_TRUE(result);
  EXPECT_EQ(json::write(*result->outcome.find("value")), "2");
}

TEST_F(DecisionsTest, ABigTableIsDeployedAndEvaluated) {
  std::string rules;
  for (int i = 0; i < 5'000; ++i) {
    const auto number = std::to_string(i);
    rules += "<rule><inputEntry><text>" + number + "</text></inputEntry><outputEntry><text>\"r" +
             number + "\"</text></outputEntry></rule>";
  }
  deploy_all({{"choose.bpmn", deciding_model()},
              {"dish.dmn",
               R"(<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" id="m" name="M"
      namespace="urn:m"><decision id="Dish" name="Dish"><decisionTable><input><inputExpression>
      <text>amount</text></inputExpression></input><output name="o"/>)" +
                   rules + "</decisionTable></decision></definitions>"}});
  const auto id = start("choose", Object{{"amount", 4'999}});
  EXPECT_EQ(menu_of(id), R"("r4999")");
  EXPECT_EQ(json::write(evaluations(id)[0].matched_rules), R"([{"number":5000,"id":""}])");
}

TEST_F(DecisionsTest, ItAllGoesWithItsInstance) {
  deploy_all({{"choose.bpmn", deciding_model()}, {"dish.dmn", decision_model("Dish", "1")}});
  const auto id = start("choose");
  EXPECT_EQ(outcome_of(cancel(id)), "");
  end();
  run({.retention = {.standard = Duration(1'000), .by_process = {}}});
  for (int i = 0; i < 100 && !instances().empty(); ++i) {
    advance(Duration(60'000));
    settle();
  }
  EXPECT_THAT(instances(), IsEmpty());
}

} // namespace
} // namespace perdure::engine
