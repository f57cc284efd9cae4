// Business rule tasks that call decisions: what is found, recorded and handed on, and what goes
// wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "bpmn/read.h"
#include "cases/machine.h"
#include "dmn/read.h"

namespace perdure::cases {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Models in memory; the last one of an id is the latest.
class MemoryCatalog final : public decide::Catalog {
public:
  /// A version of the decision `Dish`; its key is 500 and its number.
  void deploy(const std::string& model, std::string tag = {}) {
    auto reading = dmn::read(std::vector<dmn::Source>{{"dish.dmn", model}});
    for (const auto& found : reading.diagnostics)
      ADD_FAILURE() << definition::to_text(found);
    versions_.push_back({std::move(reading.model), std::move(tag)});
  }

  std::optional<decide::FoundDecision> decision(const decide::Reference& asked) const override {
    if (is_down) throw decide::CatalogUnavailable("The database is away.");
    if (asked.id != "Dish") return std::nullopt;
    for (auto i = std::ssize(versions_); i > 0; --i) {
      const auto& [model, tag] = versions_[static_cast<std::size_t>(i - 1)];
      using definition::BindingKind;
      if (asked.binding == BindingKind::version && asked.version != i) continue;
      if (asked.binding == BindingKind::version_tag && asked.version_tag != tag) continue;
      if (asked.binding == BindingKind::deployment && i != 1) continue;
      return decide::FoundDecision{
          .definition_id = 500 + i, .version = i, .model = model, .problem = {}};
    }
    return std::nullopt;
  }

  bool is_down = false;

private:
  std::vector<std::pair<dmn::ModelPtr, std::string>> versions_;
};

/// A table over `season`. Rules are rows of XML.
std::string table(const std::string& policy, const std::string& outputs, const std::string& rules) {
  return R"(<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" id="m" name="M"
  namespace="urn:m"><inputData id="s" name="season"><variable name="season"/></inputData>
  <decision id="Dish" name="The dish"><variable name="The dish"/>
  <informationRequirement><requiredInput href="#s"/></informationRequirement>
  <decisionTable hitPolicy=")" +
         policy + R"("><input><inputExpression><text>season</text></inputExpression></input>)" +
         outputs + rules + "</decisionTable></decision></definitions>";
}

std::string rule(const std::string& id, const std::string& test,
                 const std::vector<std::string>& results) {
  std::string text = "<rule id=\"" + id + "\"><inputEntry><text>" + test + "</text></inputEntry>";
  for (const auto& result : results)
    text += "<outputEntry><text>" + result + "</text></outputEntry>";
  return text + "</rule>";
}

const std::string kOne = "<output name=\"dish\"/>";
const std::string kTwo = "<output name=\"dish\"/><output name=\"cost\"/>";

std::string unique_table() {
  return table("UNIQUE", kOne,
               rule("r1", R"("Winter")", {R"("Stew")"}) + rule("r2", R"("Summer")", {"season"}));
}

std::string literal(const std::string& text) {
  return R"(<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" id="m" name="M"
  namespace="urn:m"><decision id="Dish" name="The dish"><variable name="The dish"/>
  <literalExpression><text>)" +
         text + "</text></literalExpression></decision></definitions>";
}

definition::DefinitionPtr process(const std::string& task) {
  const auto read = bpmn::read(R"(<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn"><process id="p" isExecutable="true">
  <startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="choose"/>)" +
                                   task +
                                   R"(<sequenceFlow id="f2" sourceRef="choose" targetRef="ask"/>
  <userTask id="ask"/></process></definitions>)",
                               "p.bpmn");
  if (!read) {
    ADD_FAILURE() << definition::to_text(read.error().front());
    return nullptr;
  }
  return read->processes.front().definition;
}

std::string zeebe(const std::string& attributes) {
  return R"(<businessRuleTask id="choose"><extensionElements><zeebe:calledDecision )" + attributes +
         "/></extensionElements></businessRuleTask>";
}
std::string camunda(const std::string& attributes) {
  return "<businessRuleTask id=\"choose\" " + attributes + "/>";
}
const std::string kPlain = zeebe(R"(decisionId="Dish" resultVariable="menu")");

class DecisionTest : public testing::Test {
protected:
  /// Starts an instance that stands at the task.
  Machine& start(const std::string& task, const std::string& variables = R"({"season":"Winter"})") {
    machine_ = std::make_unique<Machine>(process(task));
    machine_->give(catalog_);
    facts::StartRequested event;
    event.definition_id = 1000;
    event.variables = json::parse(variables).value();
    EXPECT_FALSE(machine_->send(event).refusal);
    return *machine_;
  }
  void TearDown() override {
    if (machine_) EXPECT_THAT(machine_->problems(), IsEmpty());
  }

  std::string variable(const std::string& name) {
    const auto* value =
        machine_->full().scopes.slots().front().row.variables.as<Object>()->find(name);
    return value ? json::write(*value) : "absent";
  }
  std::vector<facts::DecisionEvaluation> evaluations() {
    std::vector<facts::DecisionEvaluation> rows;
    for (const auto& slot : machine_->full().evaluations.slots())
      rows.push_back(slot.row);
    return rows;
  }
  facts::Incident incident() {
    const auto id = machine_->incident_at("choose");
    const auto* row = machine_->full().incidents.find(id);
    if (row == nullptr) {
      ADD_FAILURE() << "no incident";
      return {};
    }
    return *row;
  }
  void retry(std::optional<Value> variables = {}) {
    const auto decision =
        machine_->send(facts::RetryRequested{.incident_id = machine_->incident_at("choose"),
                                             .retries = 1,
                                             .variables = std::move(variables),
                                             .by = "kim"});
    EXPECT_FALSE(decision.refusal);
  }
  bool is_at_task() { return machine_->user_task_of("ask") != kNoKey; }

  MemoryCatalog catalog_;
  std::unique_ptr<Machine> machine_;
};

TEST_F(DecisionTest, IsEvaluatedRecordedAndHandedOn) {
  catalog_.deploy(unique_table());
  auto& machine = start(kPlain, R"({"season":"Winter","other":"not asked for"})");
  EXPECT_TRUE(is_at_task());
  EXPECT_EQ(variable("menu"), R"("Stew")");
  const auto rows = evaluations();
  ASSERT_EQ(rows.size(), 1U);
  const auto& row = rows.front();
  EXPECT_EQ(row.definition_id, 501);
  EXPECT_EQ(row.decision_id, "Dish");
  EXPECT_EQ(row.version, 1);
  EXPECT_EQ(row.node_id, "choose");
  EXPECT_EQ(json::write(row.inputs), R"({"season":"Winter"})");
  EXPECT_EQ(json::write(row.output), R"("Stew")");
  EXPECT_EQ(json::write(row.matched_rules), R"([{"number":1,"id":"r1"}])");
  EXPECT_EQ(json::write(row.evaluated), R"([{"id":"Dish","name":"The dish","output":"Stew",)"
                                        R"("matched_rules":[{"number":1,"id":"r1"}]}])");
  EXPECT_FALSE(row.error);
  const auto& step = machine.full().steps.slots().front().row;
  EXPECT_EQ(row.step_id, step.id);
  EXPECT_EQ(step.status, facts::StepStatus::completed);
  EXPECT_EQ(json::write(*step.output), R"("Stew")");
}

TEST_F(DecisionTest, LatestIsWhatIsLatestThen) {
  catalog_.deploy(unique_table());
  catalog_.deploy(literal("42"));
  start(kPlain);
  EXPECT_EQ(variable("menu"), "42");
  EXPECT_EQ(evaluations().front().version, 2);
}

TEST_F(DecisionTest, BindingsFindTheirVersion) {
  catalog_.deploy(literal("1"), "old");
  catalog_.deploy(literal("2"), "old");
  catalog_.deploy(literal("3"));
  const auto result_of = [&](const std::string& attributes) {
    start(camunda(R"(camunda:resultVariable="menu" camunda:mapDecisionResult="singleEntry" )" +
                  attributes));
    return variable("menu");
  };
  EXPECT_EQ(result_of(R"(camunda:decisionRef="Dish")"), "3");
  EXPECT_EQ(
      result_of(R"(camunda:decisionRef="${'Di'}${'sh'}" camunda:decisionRefBinding="latest")"),
      "3");
  EXPECT_EQ(result_of(R"(camunda:decisionRef="Dish" camunda:decisionRefBinding="deployment")"),
            "1");
  EXPECT_EQ(result_of(R"(camunda:decisionRef="Dish" camunda:decisionRefBinding="version"
                         camunda:decisionRefVersion="2")"),
            "2");
  EXPECT_EQ(result_of(R"(camunda:decisionRef="Dish" camunda:decisionRefBinding="versionTag"
                         camunda:decisionRefVersionTag="old")"),
            "2");
  start(zeebe(R"(decisionId="=&quot;Di&quot; + &quot;sh&quot;" resultVariable="menu"
                 bindingType="versionTag" versionTag="old")"));
  EXPECT_EQ(variable("menu"), "2");
}

TEST_F(DecisionTest, WhatIsMissingIsAnIncidentUntilItIsDeployed) {
  start(kPlain);
  EXPECT_FALSE(is_at_task());
  EXPECT_EQ(incident().kind, facts::IncidentKind::decision_failed);
  EXPECT_EQ(incident().message,
            "There is no decision `Dish`, which `choose` calls: deploy its model, then retry.");
  EXPECT_THAT(evaluations(), IsEmpty());
  retry();
  EXPECT_FALSE(is_at_task());
  catalog_.deploy(unique_table());
  retry();
  EXPECT_TRUE(is_at_task());
  EXPECT_EQ(machine_->full().steps.size(), 2U); // one for each visit, whatever it took
  EXPECT_EQ(machine_->incident_at("choose"), kNoKey);
}

TEST_F(DecisionTest, AMissingVersionIsNamed) {
  catalog_.deploy(literal("1"));
  const auto message_of = [&](const std::string& attributes) {
    start(camunda("camunda:decisionRef=\"Dish\" " + attributes));
    return incident().message;
  };
  EXPECT_THAT(message_of(R"(camunda:decisionRefBinding="version" camunda:decisionRefVersion="7")"),
              HasSubstr("version 7 of the decision `Dish`"));
  EXPECT_THAT(
      message_of(R"(camunda:decisionRefBinding="versionTag" camunda:decisionRefVersionTag="v7")"),
      HasSubstr("decision `Dish` with the version tag `v7`"));
  start(camunda(R"(camunda:decisionRef="Dish" camunda:decisionRefBinding="version"
                   camunda:decisionRefVersion="${season}")"));
  EXPECT_EQ(incident().kind, facts::IncidentKind::expression_error);
  EXPECT_THAT(incident().message, HasSubstr("decision version of `choose`"));
}

TEST_F(DecisionTest, AnIdThatIsNoTextIsAnIncident) {
  start(zeebe(R"(decisionId="=season.spring" resultVariable="menu")"));
  EXPECT_EQ(incident().kind, facts::IncidentKind::expression_error);
  EXPECT_THAT(incident().message, HasSubstr("The decision id of `choose` is empty"));
  start(zeebe(R"(decisionId="=1 + 1" resultVariable="menu")"));
  EXPECT_THAT(incident().message, HasSubstr("gave the number 2 where a string is needed"));
}

TEST_F(DecisionTest, ABrokenHitPolicyIsAnIncidentThatShowsWhere) {
  catalog_.deploy(table("UNIQUE", kOne, rule("r1", "-", {"1"}) + rule("r2", "-", {"2"})));
  start(kPlain);
  EXPECT_FALSE(is_at_task());
  EXPECT_EQ(incident().kind, facts::IncidentKind::decision_failed);
  EXPECT_THAT(incident().message, HasSubstr("The rules 1 and 2 both match"));
  const auto shown = incident();
  const auto* warnings = shown.details.find("warnings")->as<Array>();
  ASSERT_EQ(warnings->size(), 1U);
  EXPECT_THAT(*warnings->front().find("reason")->as<std::string>(), HasSubstr("UNIQUE"));
  EXPECT_EQ(*warnings->front().find("element")->as<std::string>(), "The dish");
  EXPECT_EQ(*warnings->front().find("file")->as<std::string>(), "dish.dmn");
  EXPECT_GE(*warnings->front().find("line")->as<std::int64_t>(), 4);
  const auto rows = evaluations();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(rows.front().error.value_or(""), HasSubstr("both match"));
  EXPECT_EQ(json::write(rows.front().output), "null");
  EXPECT_EQ(rows.front().matched_rules.as<Array>()->size(), 2U);
  EXPECT_EQ(*shown.details.find("evaluation_id")->as<std::string>(), key_text(rows.front().id));
  catalog_.deploy(unique_table());
  retry();
  EXPECT_TRUE(is_at_task());
  EXPECT_EQ(evaluations().size(), 2U);
}

TEST_F(DecisionTest, NoMatchIsNull) {
  catalog_.deploy(unique_table());
  start(kPlain, R"({"season":"Spring"})");
  EXPECT_TRUE(is_at_task());
  EXPECT_EQ(variable("menu"), "null");
  EXPECT_EQ(json::write(evaluations().front().matched_rules), "[]");
}

TEST_F(DecisionTest, WarningsOfAResultAreKept) {
  catalog_.deploy(literal("if season = nowhere then 1 else 2"));
  start(kPlain);
  EXPECT_EQ(variable("menu"), "2");
  const auto rows = evaluations();
  const auto* warnings = rows.front().warnings.as<Array>();
  ASSERT_FALSE(warnings->empty());
  EXPECT_THAT(*warnings->front().find("message")->as<std::string>(), HasSubstr("nowhere"));
  EXPECT_EQ(*warnings->front().find("column")->as<std::int64_t>(), 13);
}

struct Mapped {
  std::string policy;
  std::string outputs;
  std::string rules;
  std::map<std::string, std::string> results; ///< by mapping; a text: what the incident says
};

TEST_F(DecisionTest, MappingsGiveWhatTheyPromise) {
  const auto one = rule("r1", "-", {"1"});
  const auto both = rule("r1", "-", {"1"}) + rule("r2", "-", {"2"});
  const auto none = rule("r1", R"("Spring")", {"1"});
  const auto wide = rule("r1", "-", {"1", "7"});
  const auto wider = wide + rule("r2", "-", {"2", "8"});
  const std::vector<Mapped> tables{
      {"UNIQUE",
       kOne,
       one,
       {{"singleEntry", "1"},
        {"singleResult", R"({"dish":1})"},
        {"collectEntries", "[1]"},
        {"resultList", R"([{"dish":1}])"}}},
      {"UNIQUE",
       kOne,
       none,
       {{"singleEntry", "null"},
        {"singleResult", "null"},
        {"collectEntries", "[]"},
        {"resultList", "[]"}}},
      {"COLLECT",
       kOne,
       both,
       {{"singleEntry", "gave 2 results where `singleEntry` allows one"},
        {"singleResult", "gave 2 results where `singleResult` allows one"},
        {"collectEntries", "[1,2]"},
        {"resultList", R"([{"dish":1},{"dish":2}])"}}},
      {"RULE ORDER", kOne, one, {{"singleEntry", "1"}, {"collectEntries", "[1]"}}},
      {"COLLECT", kOne, none, {{"singleEntry", "null"}, {"collectEntries", "[]"}}},
      {"FIRST",
       kTwo,
       wider,
       {{"singleEntry", "has 2 outputs where `singleEntry` allows one"},
        {"singleResult", R"({"dish":1,"cost":7})"},
        {"collectEntries", "has 2 outputs where `collectEntries` allows one"},
        {"resultList", R"([{"dish":1,"cost":7}])"}}},
      {"RULE ORDER",
       kTwo,
       wider,
       {{"singleResult", "gave 2 results where `singleResult` allows one"},
        {"resultList", R"([{"dish":1,"cost":7},{"dish":2,"cost":8}])"}}},
      {"UNIQUE",
       kOne,
       rule("r1", "-", {"[1, 2]"}),
       {{"singleEntry", "[1,2]"}, {"collectEntries", "[[1,2]]"}}},
  };
  for (const auto& [policy, outputs, rules, results] : tables) {
    catalog_.deploy(table(policy, outputs, rules));
    for (const auto& [mapping, expected] : results) {
      SCOPED_TRACE(testing::Message() << policy << " " << outputs << " " << mapping);
      start(camunda(R"(camunda:decisionRef="Dish" camunda:resultVariable="menu")"
                    " camunda:mapDecisionResult=\"" +
                    mapping + "\""));
      if (is_at_task()) {
        EXPECT_EQ(variable("menu"), expected);
      } else {
        EXPECT_THAT(incident().message, HasSubstr(expected));
        EXPECT_THAT(evaluations().front().error.value_or(""), HasSubstr(expected));
        EXPECT_NE(json::write(evaluations().front().output), "null");
      }
    }
  }
}

TEST_F(DecisionTest, WithoutARuleTheValueIsTheOnlyResult) {
  catalog_.deploy(literal("[1, 2]"));
  start(camunda(R"(camunda:decisionRef="Dish" camunda:resultVariable="menu")"));
  EXPECT_EQ(variable("menu"), R"([{"The dish":[1,2]}])"); // the default of Camunda 7
}

TEST_F(DecisionTest, AHostileModelEndsInAnIncident) {
  catalog_.deploy(literal("count(for a in 1..100000, b in 1..100000 return a * b)"));
  start(kPlain);
  EXPECT_THAT(incident().message, HasSubstr("takes too long"));
  EXPECT_THAT(evaluations().front().error.value_or(""), HasSubstr("takes too long"));
  const auto shown = incident();
  EXPECT_FALSE(shown.details.find("warnings")->as<Array>()->empty());
}

TEST_F(DecisionTest, AValueThatIsTooDeepIsAnIncidentAndIsNotKept) {
  std::string deep = "1";
  for (int i = 0; i < 70; ++i)
    deep = "{a: " + deep + "}";
  catalog_.deploy(literal(deep));
  start(kPlain);
  EXPECT_FALSE(is_at_task());
  EXPECT_EQ(json::write(evaluations().front().output), "null");
}

TEST_F(DecisionTest, LargeInputsAreTaken) {
  catalog_.deploy(table("UNIQUE", kOne, rule("r1", "-", {"string length(season)"})));
  start(kPlain, R"({"season":")" + std::string(1'000'000, 'x') + R"("})");
  EXPECT_EQ(variable("menu"), "1000000");
}

TEST_F(DecisionTest, ACatalogThatIsAwayEndsTheDecision) {
  catalog_.deploy(unique_table());
  catalog_.is_down = true;
  const auto definition = process(kPlain);
  facts::InstanceState state;
  facts::StartRequested event;
  event.definition_id = 1000;
  event.variables = Object{};
  EXPECT_THROW(
      static_cast<void>(decide::decide(
          *definition, state, {.at = {}, .keys = {1, 10'000}, .data = event}, {}, &catalog_)),
      decide::CatalogUnavailable);
}

} // namespace
} // namespace perdure::cases
