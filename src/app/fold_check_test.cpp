#include "app/fold_check.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "facts/apply.h"

namespace perdure::app {
namespace {

/// A run of an empty process, with its rows as apply makes them.
store::InstanceRecord record() {
  store::InstanceRecord result;
  const facts::FactData data[] = {
      facts::InstanceStarted{.instance_id = 1,
                             .definition_id = 7,
                             .process_id = "p",
                             .root_scope_id = 2,
                             .input = Object{{"amount", 5}}},
      facts::TokenPlaced{.token_id = 3, .scope_id = 2, .node_id = "start"},
      facts::TokenCompleted{.token_id = 3},
      facts::ScopeClosed{.scope_id = 2},
      facts::InstanceCompleted{},
  };
  for (const auto& fact : data) {
    const auto sequence = static_cast<std::int64_t>(result.history.size()) + 1;
    facts::apply(result.rows, {sequence, from_ms(1'000 + sequence), fact});
    result.history.push_back({.instance_id = 1,
                              .sequence = sequence,
                              .event_type = std::string(facts::type_of(fact)),
                              .category = std::string(facts::category_of(fact)),
                              .occurred_at = from_ms(1'000 + sequence),
                              .payload = *json::parse(facts::payload_of(fact))});
  }
  return result;
}

TEST(FoldCheck, RowsThatTheHistoryMadeAreClean) {
  EXPECT_EQ(compare_with_fold(record()), std::vector<Difference>{});
}

TEST(FoldCheck, NamesTableKeyAndColumn) {
  auto changed = record();
  changed.rows.tokens.update(Key{3}).state = facts::TokenState::waiting;
  changed.rows.instance.business_key = "O-1";
  const auto found = compare_with_fold(changed);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], (Difference{1, "process_instance", "1", "business_key", "O-1", "null"}));
  EXPECT_EQ(found[1], (Difference{1, "token", "3", "state", "waiting", "completed"}));
  EXPECT_EQ(to_text(found[1]),
            "instance 1: token 3: column state is waiting, but the history says completed");
}

TEST(FoldCheck, SeesRowsTooManyAndTooFew) {
  auto changed = record();
  changed.rows.scopes = {};
  changed.rows.timers.insert({.id = 9, .instance_id = 1});
  const auto found = compare_with_fold(changed);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], (Difference{1, "scope", "2", "", "no row", "a row"}));
  EXPECT_EQ(found[1], (Difference{1, "timer", "9", "", "a row", "no row"}));
}

TEST(FoldCheck, HistoryThatCannotBeFoldedIsADifference) {
  auto gap = record();
  gap.history.erase(gap.history.begin() + 1);
  ASSERT_EQ(compare_with_fold(gap).size(), 1U);
  EXPECT_EQ(compare_with_fold(gap)[0], (Difference{1, "history_event", "3", "sequence", "3", "2"}));

  auto unknown = record();
  unknown.history[1].event_type = "token_teleported";
  ASSERT_EQ(compare_with_fold(unknown).size(), 1U);
  EXPECT_EQ(compare_with_fold(unknown)[0].table, "history_event");

  auto misfit = record();
  misfit.history[2].payload = Object{{"token_id", "99"}};
  ASSERT_EQ(compare_with_fold(misfit).size(), 1U);
  EXPECT_EQ(compare_with_fold(misfit)[0].key, "3");
}

} // namespace
} // namespace perdure::app
