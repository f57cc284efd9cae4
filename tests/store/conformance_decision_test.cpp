// Decisions in the database: versions of models and of what they offer, and evaluations with their
// instance.
#include "base/json.h"
#include "conformance.h"
#include "facts/fact.h"

namespace perdure::store {
namespace {

using test::kStart;
using testing::ElementsAre;
using testing::IsEmpty;

class ConformanceDecision : public Conformance {
protected:
  static DecisionModel model(const std::string& id, char digest,
                             const std::vector<std::string>& decisions,
                             std::optional<std::string> tag = {}) {
    DecisionModel model;
    model.requirements = {.model_id = id,
                          .name = "The " + id,
                          .resource_name = id + ".dmn",
                          .source = std::string("<definitions id='") + digest + "'/>",
                          .imports = Array{Object{{"file", "a.dmn"}, {"source", "<a/>"}}},
                          .digest = std::string(64, digest),
                          .deployed_at = kStart};
    for (const auto& decision : decisions) {
      model.decisions.push_back({.decision_id = decision,
                                 .kind = facts::DecisionKind::decision,
                                 .name = "The " + decision,
                                 .version_tag = tag,
                                 .deployed_at = kStart});
    }
    return model;
  }
  DecisionModel deploy(DecisionModel model) {
    auto added = store().deploy({.processes = {}, .models = {std::move(model)}});
    EXPECT_TRUE(added) << added.error().message;
    return added->models.front();
  }
  std::optional<Key> found(const DecisionChoice& choice) {
    const auto by_store = store().decision(choice).value();
    EXPECT_EQ(by_store, reader().decision(choice).value());
    return by_store ? std::optional(by_store->id) : std::nullopt;
  }
};

TEST_P(ConformanceDecision, VersionsAreCountedForModelsAndDecisions) {
  const auto first = deploy(model("dish", 'a', {"Dish", "Menu"}));
  EXPECT_EQ(first.requirements.version, 1);
  EXPECT_EQ(first.decisions[1].version, 1);
  EXPECT_EQ(first.decisions[1].requirements_id, first.requirements.id);
  const auto same = deploy(model("dish", 'a', {"Dish", "Menu"}));
  EXPECT_EQ(same.requirements, first.requirements);
  EXPECT_EQ(same.decisions, first.decisions);
  const auto second = deploy(model("dish", 'b', {"Dish"}));
  EXPECT_EQ(second.requirements.version, 2);
  EXPECT_EQ(second.decisions[0].version, 2);
  // A decision may move into another model; the first one is then no longer what is latest.
  const auto moved = deploy(model("other", 'c', {"Dish"}));
  EXPECT_EQ(moved.requirements.version, 1);
  EXPECT_EQ(moved.decisions[0].version, 3);
  EXPECT_EQ(deploy(model("dish", 'b', {"Dish"})).decisions[0].version, 4);
  EXPECT_EQ(store().requirements(first.requirements.id).value(), first.requirements);
  EXPECT_EQ(reader().requirements(first.requirements.id).value(), first.requirements);
  EXPECT_EQ(reader().decision(first.decisions[1].id).value(), first.decisions[1]);
  EXPECT_FALSE(store().requirements(999'999).value());
  EXPECT_FALSE(reader().decision(Key(999'999)).value());
  const auto page = reader().decisions({.limit = 2, .after = moved.decisions[0].id}).value();
  ASSERT_EQ(page.size(), 2U);
  EXPECT_EQ(page[0], second.decisions[0]);
}

TEST_P(ConformanceDecision, ChoicesFindTheirVersion) {
  const auto first = deploy(model("dish", 'a', {"Dish"}, "old"));
  const auto second = deploy(model("dish", 'b', {"Dish"}, "old"));
  const auto third = deploy(model("dish", 'c', {"Dish"}));
  const auto id = [](const DecisionModel& model) { return model.decisions[0].id; };
  DecisionChoice choice{.tenant_id = "", .decision_id = "Dish"};
  EXPECT_EQ(found(choice), id(third));
  choice.version = 1;
  EXPECT_EQ(found(choice), id(first));
  choice.version = 9;
  EXPECT_EQ(found(choice), std::nullopt);
  choice = {.tenant_id = "", .decision_id = "Dish", .version_tag = "old"};
  EXPECT_EQ(found(choice), id(second));
  choice.version_tag = "new";
  EXPECT_EQ(found(choice), std::nullopt);
  choice = {
      .tenant_id = "", .decision_id = "Dish", .deployment_id = first.requirements.deployment_id};
  EXPECT_EQ(found(choice), id(first));
  choice.decision_id = "Menu";
  EXPECT_EQ(found(choice), std::nullopt);
  EXPECT_EQ(found({.tenant_id = "acme", .decision_id = "Dish"}), std::nullopt);
}

TEST_P(ConformanceDecision, WhatIsDeployedTogetherIsNewTogether) {
  const auto both = [&](char process, char decision) {
    return store()
        .deploy({.processes = {definition("order", process)},
                 .models = {model("dish", decision, {"Dish"})}})
        .value();
  };
  const auto first = both('a', 'a');
  EXPECT_EQ(first.processes[0].deployment_id, first.models[0].requirements.deployment_id);
  EXPECT_EQ(both('a', 'a').processes[0], first.processes[0]);
  const auto second = both('a', 'b');
  EXPECT_EQ(second.processes[0].version, 2);
  EXPECT_NE(second.processes[0].deployment_id, first.processes[0].deployment_id);
  // Neither differs, but they did not come together.
  deploy(model("dish", 'c', {"Dish"}));
  EXPECT_EQ(both('a', 'c').processes[0].version, 3);
  EXPECT_EQ(both('a', 'c').processes[0].version, 3);
}

TEST_P(ConformanceDecision, TwoOfOneNameAreRefused) {
  auto twice = model("dish", 'a', {"Dish", "Dish"});
  const auto refused = store().deploy({.processes = {definition("order", 'a')}, .models = {twice}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invariant_violated);
  EXPECT_THAT(reader().decisions({}).value(), IsEmpty());
  EXPECT_THAT(reader().definitions({}).value(), IsEmpty());
}

TEST_P(ConformanceDecision, EvaluationsAreOfTheirInstance) {
  const auto dish = deploy(model("dish", 'a', {"Dish"}));
  auto order = life();
  order.start();
  const auto token = order.place(order.root, "choose");
  auto step = order.step(token, facts::StepType::business_rule_task);
  const auto step_id = step.step_id;
  order.emit(std::move(step));
  facts::DecisionEvaluated fact{.evaluation_id = order.keys.take(),
                                .token_id = token,
                                .step_id = step_id,
                                .node_id = "choose",
                                .definition_id = dish.decisions[0].id,
                                .decision_id = "Dish",
                                .version = 1,
                                .inputs = Object{{"season", "Winter"}},
                                .output = Value(),
                                .matched_rules = Array{Object{{"number", 1}, {"id", "r1"}}},
                                .evaluated = Array{},
                                .warnings = Array{},
                                .error = "It failed."};
  order.emit(fact);
  save(order);
  expect_saved(order);
  fact.evaluation_id = order.keys.take();
  fact.output = "Stew";
  fact.error.reset();
  order.emit(fact);
  order.emit(facts::StepCompleted{step_id, Value("Stew")});
  save(order);
  expect_saved(order);
  const auto rows = reader().evaluations(order.id(), {}).value();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].error, "It failed.");
  EXPECT_TRUE(rows[0].output.is_null());
  EXPECT_EQ(json::write(rows[1].output), "\"Stew\"");
  EXPECT_EQ(json::write(rows[1].matched_rules), R"([{"number":1,"id":"r1"}])");
  EXPECT_EQ(reader().evaluations(order.id(), {.limit = 1, .after = rows[0].id}).value()[0],
            rows[1]);
  EXPECT_EQ(test::rows(reader().record(order.id()).value()->rows.evaluations), rows);

  order.emit(facts::TokenTerminated{token});
  order.emit(facts::InstanceCancelled{.reason = "over"});
  save(order);
  const ExpiredInstance expired{order.id(), order.now};
  const std::vector<Key> ids{order.id()};
  const auto counts = reader().purge_counts(ids).value();
  EXPECT_TRUE(std::ranges::any_of(counts, [](const TableCount& count) {
    return count.table == "decision_evaluation" && count.rows == 2;
  }));
  ASSERT_TRUE(store().purge(std::span(&expired, 1), order.now));
  EXPECT_THAT(reader().evaluations(order.id(), {}).value(), IsEmpty());
  EXPECT_EQ(reader().decisions({}).value().size(), 1U);
}

TEST_P(ConformanceDecision, AnEvaluationOfADecisionThatIsNotThereIsRefused) {
  auto order = life();
  order.start();
  const auto token = order.place(order.root, "choose");
  auto step = order.step(token, facts::StepType::business_rule_task);
  const auto step_id = step.step_id;
  order.emit(std::move(step));
  order.emit(facts::DecisionEvaluated{.evaluation_id = order.keys.take(),
                                      .token_id = token,
                                      .step_id = step_id,
                                      .node_id = "choose",
                                      .definition_id = 999'999,
                                      .decision_id = "Dish",
                                      .version = 1,
                                      .inputs = Object{},
                                      .output = Value(),
                                      .matched_rules = Array{},
                                      .evaluated = Array{},
                                      .warnings = Array{},
                                      .error = {}});
  const std::vector<Unit> units{order.unit()};
  const auto outcomes = store().commit(units).value();
  ASSERT_FALSE(outcomes[0]);
  EXPECT_EQ(outcomes[0].error().code, ErrorCode::invariant_violated);
}

INSTANTIATE_TEST_SUITE_P(Database, ConformanceDecision, testing::Values(&open_database));

} // namespace
} // namespace perdure::store
