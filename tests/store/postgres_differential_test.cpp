// The same commits on both databases: the same outcomes, and the same rows, table by table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "life.h"
#include "postgres_fixture.h"
#include "store/sqlite/sqlite.h"
#include "temporary_folder.h"

namespace perdure::store::postgres {
namespace {

using test::Life;

class FixedClock final : public Clock {
public:
  [[nodiscard]] Instant now() const override { return test::kStart; }
};

/// Random lives, each step of which goes to both databases in one batch.
class Differential : public testing::TestWithParam<unsigned> {
protected:
  Differential() : random_(GetParam()) {
    auto left = sqlite::open({.path = folder_.file("perdure.db")}, FixedClock());
    EXPECT_TRUE(left) << left.error().message;
    sqlite_ = std::move(*left);
    auto right = postgres::open(options_of(fresh_schema_name()));
    EXPECT_TRUE(right) << right.error().message;
    postgres_ = std::move(*right);
    facts::ProcessDefinition definition;
    definition.process_id = "order";
    definition.kind = facts::DefinitionKind::flow;
    definition_id_ = sqlite_.store->deploy({.processes = {definition}, .models = {}})
                         .value()
                         .processes.front()
                         .id;
    EXPECT_EQ(postgres_.store->deploy({.processes = {definition}, .models = {}})
                  .value()
                  .processes.front()
                  .id,
              definition_id_);
  }

  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

  Life& fresh() {
    // Keys of the two databases must be the same.
    auto& life = lives_.emplace_back(KeyRange{next_key_, next_key_ + 1000}, definition_id_);
    next_key_ += 1000;
    // Some keys of business are used twice: one start of them is refused.
    life.start(Object{{"n", pick(100)}, {"text", "\xC3\xBC \" \\ \n"}},
               "key-" + std::to_string(pick(12)), pick(3) == 0);
    return life;
  }

  /// One more fact or a few.
  void live(Life& life) {
    life.now += Duration(pick(500));
    std::vector<Life::Work> ready;
    std::vector<Life::Work> locked;
    for (const auto& slot : life.state.external_tasks.slots()) {
      const Life::Work work{slot.row.step_id, slot.row.id};
      if (slot.row.state == facts::TaskState::ready) ready.push_back(work);
      if (slot.row.state == facts::TaskState::locked) locked.push_back(work);
    }
    switch (pick(6)) {
      case 0: life.open_work(life.place(life.root, "pay"), "payment", 3, pick(9)); break;
      case 1:
        if (!ready.empty()) life.lock(ready.front(), "worker-" + std::to_string(pick(3)));
        break;
      case 2:
        if (!locked.empty()) life.succeed(locked.front(), Object{{"ok", true}, {"half", 0.5}});
        break;
      case 3:
        if (!locked.empty()) {
          const auto left = life.state.external_tasks.find(locked.front().task_id)->retries;
          life.fail(locked.front(), left - 1);
        }
        break;
      case 4: life.open_user_work(life.place(life.root, "ask"), "kim"); break;
      default: life.open_timer(life.place(life.root, "rest"), life.now + Duration(pick(9000)));
    }
  }

  void commit_all(std::size_t stale) {
    std::vector<Unit> units;
    std::vector<Life*> members;
    for (auto& life : lives_) {
      if (life.facts.empty()) continue;
      units.push_back(life.unit());
      if (members.size() == stale && units.back().base_version > 0) --units.back().base_version;
      members.push_back(&life);
    }
    const auto left = sqlite_.store->commit(units).value();
    const auto right = postgres_.store->commit(units).value();
    std::vector<Key> refused;
    for (std::size_t i = 0; i < units.size(); ++i) {
      ASSERT_EQ(left[i].has_value(), right[i].has_value()) << i;
      if (left[i]) {
        members[i]->saved();
      } else {
        EXPECT_EQ(left[i].error().code, right[i].error().code);
        EXPECT_EQ(left[i].error().where, right[i].error().where);
        refused.push_back(members[i]->id());
      }
    }
    // Who was refused begins anew from what the database has.
    for (const auto id : refused)
      std::erase_if(lives_, [&](const Life& life) { return life.id() == id; });
    refused_ += refused.size();
  }

  void expect_same() {
    const auto ids = sqlite_.reader->instance_ids({.limit = 1000}).value();
    ASSERT_EQ(postgres_.reader->instance_ids({.limit = 1000}).value(), ids);
    for (const auto id : ids) {
      const auto left = sqlite_.reader->record(id).value();
      const auto right = postgres_.reader->record(id).value();
      test::expect_equal(left->rows, right->rows);
      EXPECT_TRUE(left->history == right->history);
    }
    auto left = sqlite_.store->load(ids).value();
    auto right = postgres_.store->load(ids).value();
    ASSERT_EQ(left.size(), right.size());
    for (std::size_t i = 0; i < left.size(); ++i)
      test::expect_equal(left[i], right[i]);
  }

  void expect_same_answers(Instant now) {
    const auto ready = [&](Store& store) {
      std::vector<Key> ids;
      for (const auto& task : store.ready_tasks("payment", now, 50).value())
        ids.push_back(task.task_id);
      store.end_round();
      return ids;
    };
    EXPECT_EQ(ready(*sqlite_.store), ready(*postgres_.store));
    EXPECT_EQ(sqlite_.store->next_due(now).value(), postgres_.store->next_due(now).value());
    const auto due = [&](Store& store) {
      std::vector<Key> ids;
      for (const auto& row : store.due_rows(now, 500).value())
        ids.push_back(row.id);
      store.end_round();
      std::ranges::sort(ids);
      return ids;
    };
    EXPECT_EQ(due(*sqlite_.store), due(*postgres_.store));
  }

  std::mt19937 random_;
  test::TemporaryFolder folder_;
  sqlite::Database sqlite_;
  Database postgres_;
  Key definition_id_ = kNoKey;
  Key next_key_ = 1'000'000;
  std::vector<Life> lives_;
  std::size_t refused_ = 0;
};

TEST_P(Differential, SameCommitsLeaveTheSameRows) {
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < 4; ++i)
      fresh();
    for (int i = 0; i < 20; ++i)
      live(lives_[static_cast<std::size_t>(pick(static_cast<int>(lives_.size())))]);
    commit_all(static_cast<std::size_t>(pick(20)));
    if (HasFatalFailure()) return;
    expect_same_answers(test::kStart + Duration(pick(5000)));
  }
  EXPECT_GT(refused_, 0U);
  expect_same();
}

INSTANTIATE_TEST_SUITE_P(Seeds, Differential, testing::Range(1U, 6U));

} // namespace
} // namespace perdure::store::postgres
