// Large multi-instances: what they cost is counted, in facts and in rows that a commit writes, and
// grows with the number of items and no faster.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cases/model_text.h"
#include "decide/decide.h"
#include "facts/event.h"

namespace perdure::cases {
namespace {

constexpr const char* kParallel =
    "node start startEvent\n"
    "node work serviceTask each=items item=item outputs=results output==item\n"
    "node end endEvent\n"
    "flow start work\n"
    "flow work end\n";
constexpr const char* kSequential =
    "node start startEvent\n"
    "node work serviceTask times==size one-by-one\n"
    "node end endEvent\n"
    "flow start work\n"
    "flow work end\n";

template <class Row>
std::size_t changes(const facts::Table<Row>& table) {
  return table.changed().size();
}

std::size_t rows_to_write(const facts::InstanceState& state) {
  return 1 + changes(state.scopes) + changes(state.tokens) + changes(state.steps) +
         changes(state.attempts) + changes(state.external_tasks) + changes(state.timers);
}

std::size_t rows_kept(const facts::InstanceState& state) {
  return state.scopes.size() + state.tokens.size() + state.steps.size() + state.attempts.size() +
         state.external_tasks.size();
}

/// One instance as the engine runs it: each decision is saved.
class Life {
public:
  Life(const char* model, int items) : definition_(parse_model(model)) {
    Array list;
    for (int i = 0; i < items; ++i)
      list.emplace_back(i);
    facts::StartRequested start;
    start.definition_id = 1;
    start.variables = Object{{"items", std::move(list)}, {"size", items}};
    send(start);
    work_off(items);
  }

  std::size_t facts = 0;           ///< in all
  std::size_t rows = 0;            ///< written in all
  std::size_t largest = 0;         ///< rows of the largest commit
  std::size_t largest_of_work = 0; ///< the same for the end of one item
  std::size_t kept = 0;            ///< rows in memory at the peak
  facts::InstanceStatus status = facts::InstanceStatus::pending;

private:
  std::size_t send(facts::EventData data) {
    const auto count = decide::keys_needed({}, *definition_);
    const auto decision =
        decide::decide(*definition_, state_,
                       {.at = now_, .keys = {next_, next_ + count}, .data = std::move(data)});
    EXPECT_FALSE(decision.refusal);
    next_ = decision.keys.next;
    facts += decision.facts.size();
    const auto written = rows_to_write(state_);
    rows += written;
    largest = std::max(largest, written);
    kept = std::max(kept, rows_kept(state_));
    status = state_.instance.status;
    state_.saved();
    return written;
  }

  void work_off(int items) {
    while (!state_.ready.empty())
      send(facts::Proceed{});
    for (int done = 0; done < items; ++done) {
      const auto task_id = state_.external_tasks.slots().front().row.id;
      send(facts::TaskLocked{.task_id = task_id, .worker_id = "w", .lock_expires_at = now_ + kDay});
      const auto written = send(
          facts::TaskCompleted{.task_id = task_id, .worker_id = "w", .variables = std::nullopt});
      largest_of_work = std::max(largest_of_work, written);
    }
  }

  static constexpr Duration kDay = std::chrono::hours(24);
  definition::DefinitionPtr definition_;
  facts::InstanceState state_;
  Instant now_ = *parse_instant("2026-01-01T00:00:00Z");
  Key next_ = 1;
};

TEST(LargeMultiInstance, CostsTheSameForEachItem) {
  for (const auto* model : {kParallel, kSequential}) {
    const Life small(model, 1000);
    const Life twice(model, 2000);
    const Life four(model, 4000);
    EXPECT_EQ(four.status, facts::InstanceStatus::completed);
    // A line through two points holds the third: what one more item costs is always the same.
    EXPECT_EQ(four.facts - twice.facts, 2 * (twice.facts - small.facts));
    EXPECT_NEAR(static_cast<double>(four.rows - twice.rows),
                2.0 * static_cast<double>(twice.rows - small.rows), 30);
    EXPECT_LE(four.facts, 4000 * 9U);
    EXPECT_LE(four.rows, 4000 * 17U);
    // However many there are, the end of one writes its own rows only.
    EXPECT_LE(four.largest_of_work, 12U);
    EXPECT_EQ(four.largest_of_work, small.largest_of_work);
  }
}

TEST(LargeMultiInstance, IsOpenedInBoundedDecisions) {
  const Life run(kParallel, 5000);
  EXPECT_EQ(run.status, facts::InstanceStatus::completed);
  // 1000 moves a decision, two of them for each item, four rows an item.
  EXPECT_LE(run.largest, 2100U);
  EXPECT_LE(run.kept, 5000 * 5U + 100);
}

TEST(LargeMultiInstance, OneAfterTheOtherKeepsNothingOfThoseThatAreOver) {
  const Life run(kSequential, 3000);
  EXPECT_EQ(run.status, facts::InstanceStatus::completed);
  EXPECT_LE(run.kept, 20U);
}

} // namespace
} // namespace perdure::cases
