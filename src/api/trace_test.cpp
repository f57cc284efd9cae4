// Trace: which facts are steps of a token's path, and where each happened.
#include "api/trace.h"

#include <gtest/gtest.h>

#include <vector>

namespace perdure::api {
namespace {

facts::HistoryEvent event(std::int64_t sequence, std::string type, Object payload) {
  return {.sequence = sequence, .event_type = std::move(type), .payload = std::move(payload)};
}

TEST(Trace, TellsWhatATokenDidAndWhere) {
  const std::vector<facts::HistoryEvent> history{
      event(1, "instance_started", {{"instance_id", "1"}}),
      event(2, "token_placed", {{"token_id", "7"}, {"scope_id", "2"}, {"node_id", "Start"}}),
      event(3, "token_moved", {{"token_id", "7"}, {"flow_id", "f1"}, {"node_id", "Pay"}}),
      event(4, "step_opened", {{"step_id", "8"}, {"token_id", "7"}, {"node_id", "Pay"}}),
      event(5, "attempt_started", {{"step_id", "8"}}),
      event(6, "token_moved", {{"token_id", "7"}, {"flow_id", "f2"}, {"node_id", "Join"}}),
      event(7, "join_arrived", {{"join_id", "9"}, {"flow_id", "f2"}, {"token_id", "7"}}),
      event(8, "token_completed", {{"token_id", "7"}}),
  };
  TraceFold fold;
  std::vector<std::string> lines;
  for (const auto& fact : history) {
    if (const auto entry = fold.next(fact)) {
      lines.push_back(std::to_string(entry->sequence) + " " + entry->token_id + " " +
                      std::string(entry->action) + " " + entry->element_id + " " +
                      entry->flow_id.value_or("-"));
    }
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"2 7 placed Start -", "3 7 moved Pay f1",
                                             "4 7 waiting Pay -", "6 7 moved Join f2",
                                             "7 7 joined Join f2", "8 7 completed Join -"}));
}

TEST(Trace, IsShownWithTextKeys) {
  std::string out;
  append_json(out, {.sequence = 3, .token_id = "7", .action = "moved", .element_id = "Pay"});
  EXPECT_EQ(out, R"({"sequence":3,"occurred_at":"1970-01-01T00:00:00.000Z","token_id":"7",)"
                 R"("action":"moved","element_id":"Pay","flow_id":null})");
}

} // namespace
} // namespace perdure::api
