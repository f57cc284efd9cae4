// An engine with flows: defined by lambdas, driven on a virtual clock, and looked at in the rows.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/fixture.h"
#include "flows/backend.h"
#include "flows/flow_code.h"
#include "perdure/flow.h"

namespace perdure::engine {

class FlowTest : public EngineTest {
protected:
  Database open_database() override {
    if (!schema_) return EngineTest::open_database();
    auto database = store::postgres::open(*schema_);
    if (!database) throw std::runtime_error(database.error().message);
    return {std::move(database->store), std::move(database->reader)};
  }

  /// An engine on the file with these codes, begun.
  void host(std::vector<FlowCode> codes, Options options = {}) {
    create(std::move(options));
    for (auto& code : codes)
      engine().define(std::move(code));
    engine().read_history_with([this](Key id, std::int64_t after, std::int64_t limit) {
      return reader().history(id, after, limit);
    });
    begin();
  }
  template <class Fn>
  void host(Fn fn, Options options = {}) {
    host(std::vector{code_of("flow", 1, std::move(fn))}, std::move(options));
  }

  Key begin_flow(Value variables = {}) { return start("flow", std::move(variables)); }
  /// Waits until the flow has ended.
  void await_end(Key id) { watcher().await(id, "flow_ended"); }
  /// Starts one and waits for its end.
  Key run_flow(Value variables = {}) {
    const auto id = begin_flow(std::move(variables));
    await_end(id);
    return id;
  }
  void send(Key id, std::string_view event, Value variables = Object{}) {
    const auto sent = ask<Correlated>([&](auto reply) {
      engine().send_message({.name = std::string(event),
                             .correlation_key = key_text(id),
                             .variables = std::move(variables)},
                            std::move(reply));
    });
    EXPECT_TRUE(sent) << sent.error().message;
  }
  [[nodiscard]] Answer<Done> pause(Key id) {
    return ask<Done>([&](auto reply) { engine().pause({.instance_id = id}, std::move(reply)); });
  }
  [[nodiscard]] Answer<Done> resume(Key id) {
    return ask<Done>([&](auto reply) { engine().resume({.instance_id = id}, std::move(reply)); });
  }
  [[nodiscard]] Value output(Key id) {
    const auto rows = record(id);
    for (const auto& scope : rows.rows.scopes.slots()) {
      if (const auto* value = scope.row.variables.find("output")) return *value;
    }
    return {};
  }
  /// "name status attempts [error]" of each step, in order.
  [[nodiscard]] std::vector<std::string> steps(Key id) {
    std::vector<std::string> lines;
    const auto rows = reader().steps(id);
    EXPECT_TRUE(rows);
    for (const auto& step : *rows) {
      auto line = step.slug + " " + std::string(name_of(step.status)) + " " +
                  std::to_string(step.attempt_count);
      if (step.error_name) line += " " + *step.error_name;
      lines.push_back(std::move(line));
    }
    return lines;
  }
  [[nodiscard]] facts::InstanceStatus status_of(Key id) { return status(id); }

  /// Waits until nothing runs and nothing is left to do before time passes.
  void rest() { static_cast<void>(engine().settle()); }
  /// Moves the clock, and rests.
  void pass(Duration by) {
    advance(by);
    rest();
  }
  /// On a shared database a run that was changed just now is left to whoever is most likely at it.
  void pass_grace() { pass(std::chrono::seconds(1)); }
  /// Moves the clock while no process is there.
  void pass_unhosted(Duration by) { clock().move(by); }
  /// Begins one and rests.
  Key rested_flow(Value variables = {}) {
    const auto id = begin_flow(std::move(variables));
    rest();
    return id;
  }
  [[nodiscard]] facts::StepRecord step_of(Key id, std::string_view name) {
    const auto rows = reader().steps(id);
    EXPECT_TRUE(rows);
    for (const auto& step : *rows) {
      if (step.slug == name) return step;
    }
    ADD_FAILURE() << "no step " << name;
    return {};
  }
  [[nodiscard]] std::vector<facts::StepAttempt> attempts_of(Key id, std::string_view name) {
    const auto step_id = step_of(id, name).id;
    std::vector<facts::StepAttempt> own;
    for (const auto& attempt : attempts(id)) {
      if (attempt.step_id == step_id) own.push_back(attempt);
    }
    return own;
  }
  /// Types of the recorded facts, in order.
  [[nodiscard]] std::vector<std::string> story(Key id) {
    std::vector<std::string> types;
    for (const auto& fact : record(id).history)
      types.push_back(fact.event_type);
    return types;
  }
  /// No timer, subscription or attempt of the run is live any more, and every step has ended.
  void expect_nothing_left(Key id) {
    const auto rows = record(id).rows;
    for (const auto& slot : rows.timers.slots())
      EXPECT_NE(slot.row.status, facts::TimerStatus::scheduled);
    for (const auto& slot : rows.subscriptions.slots())
      EXPECT_NE(slot.row.state, facts::SubscriptionState::open);
    for (const auto& slot : rows.attempts.slots())
      EXPECT_NE(slot.row.state, facts::AttemptState::started);
    for (const auto& slot : rows.steps.slots())
      EXPECT_TRUE(slot.row.completed_at) << slot.row.slug;
  }

private:
  std::optional<store::postgres::Options> schema_ = next_schema();
};

} // namespace perdure::engine
