#include "twins/twins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "base/describe.h"
#include "cases/machine.h"

namespace perdure::twins_test {

namespace {

constexpr std::int64_t kMany = 1'000;
constexpr int kVersions = 4;
constexpr Key kFirstVersion = 1'000;

class FixedClock final : public Clock {
public:
  [[nodiscard]] Instant now() const override { return from_ms(1'800'000'000'000); }
};

/// Rows in an order that does not depend on who gives them.
std::string sorted(const facts::InstanceState& state) {
  std::vector<std::string> lines;
  const auto text = cases::dump(state);
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::ranges::sort(lines);
  std::string all;
  for (const auto& line : lines)
    all += line + "\n";
  return all;
}

std::vector<Key> ready(store::Store& store, const std::string& type, Instant now) {
  std::vector<Key> ids;
  const auto tasks = store.ready_tasks(type, now, kMany);
  EXPECT_TRUE(tasks);
  for (const auto& task : tasks.value_or(std::vector<store::ReadyTask>()))
    ids.push_back(task.task_id);
  store.end_round();
  return ids;
}

std::set<std::pair<int, Key>> due(store::Store& store, Instant now) {
  std::set<std::pair<int, Key>> all;
  const auto rows = store.due_rows(now, kMany);
  EXPECT_TRUE(rows);
  for (const auto& row : rows.value_or(std::vector<store::DueRow>()))
    all.emplace(static_cast<int>(row.kind), row.id);
  store.end_round();
  return all;
}

} // namespace

Twins::Twins(const std::string& postgres_url, const std::string& schema) {
  auto left = store::sqlite::open({.path = folder_.file("perdure.db")}, FixedClock());
  EXPECT_TRUE(left) << left.error().message;
  sqlite_ = std::move(*left);
  auto right = store::postgres::open({.url = postgres_url, .schema = schema});
  EXPECT_TRUE(right) << right.error().message;
  postgres_ = std::move(*right);
  facts::ProcessDefinition definition;
  definition.process_id = "process";
  definition.kind = facts::DefinitionKind::bpmn;
  for (int version = 0; version < kVersions; ++version) {
    definition.source = "<version/>";
    definition.digest = std::string(63, '0') + std::to_string(version);
    definition_ids_.push_back(sqlite_.store->deploy({.processes = {definition}, .models = {}})
                                  .value()
                                  .processes.front()
                                  .id);
    EXPECT_EQ(postgres_.store->deploy({.processes = {definition}, .models = {}})
                  .value()
                  .processes.front()
                  .id,
              definition_ids_.back());
  }
}

// Cases and random runs count their versions from a round number on.
Key Twins::known(Key definition_id) const {
  return definition_ids_.at(static_cast<std::size_t>(definition_id % kFirstVersion));
}

void Twins::save(const facts::InstanceState& state, std::span<const facts::Fact> facts,
                 std::int64_t base_version) {
  auto told = state;
  told.instance.definition_id = known(told.instance.definition_id);
  for (const auto& slot : state.migrations.slots()) {
    auto& migration = told.migrations.update(slot.row.id);
    migration.from_definition_id = known(migration.from_definition_id);
    migration.to_definition_id = known(migration.to_definition_id);
  }
  instance_id_ = told.instance.id;
  const std::vector<store::Unit> units{{.state = &told,
                                        .base_version = base_version,
                                        .facts = facts,
                                        .idempotency = {},
                                        .audit = {}}};
  for (store::Store* store : {sqlite_.store.get(), postgres_.store.get()}) {
    const auto outcomes = store->commit(units);
    ASSERT_TRUE(outcomes) << outcomes.error().message;
    ASSERT_TRUE(outcomes->front()) << outcomes->front().error().message;
  }
  ++commits_;
  told.saved();
  const std::vector<Key> ids{instance_id_};
  const auto left = sqlite_.store->load(ids);
  const auto right = postgres_.store->load(ids);
  ASSERT_TRUE(left && right);
  ASSERT_EQ(left->size(), 1U);
  ASSERT_EQ(right->size(), 1U);
  EXPECT_EQ(cases::dump(left->front()), cases::dump(right->front()));
  // Of a scope that has ended no decision asks for generations.
  told.generations = left->front().generations;
  EXPECT_EQ(sorted(left->front()), sorted(told));
  expect_same_answers(told, facts.back().at);
}

void Twins::expect_same_answers(const facts::InstanceState& state, Instant now) {
  std::set<std::string> types;
  for (const auto& slot : state.external_tasks.slots())
    types.insert(slot.row.type);
  for (const auto later : {Duration(0), Duration(10'000), Duration(3'600'000)}) {
    const auto at = now + later;
    for (const auto& type : types) {
      EXPECT_EQ(ready(*sqlite_.store, type, at), ready(*postgres_.store, type, at)) << type;
    }
    EXPECT_EQ(due(*sqlite_.store, at), due(*postgres_.store, at));
    EXPECT_EQ(sqlite_.store->next_due(at).value(), postgres_.store->next_due(at).value());
  }
}

void Twins::expect_same_record(Key instance_id) {
  const auto left = sqlite_.reader->record(instance_id);
  const auto right = postgres_.reader->record(instance_id);
  ASSERT_TRUE(left && right);
  ASSERT_TRUE(*left && *right);
  EXPECT_EQ(cases::dump((*left)->rows), cases::dump((*right)->rows));
  EXPECT_TRUE((*left)->history == (*right)->history);
  EXPECT_FALSE((*left)->history.empty());
}

} // namespace perdure::twins_test
