#include "cli/step_lines.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace perdure::cli {
namespace {

Array steps() {
  return *json::parse(R"([
    {"id":"1","name":"Charge payment","node_id":"charge","slug":"charge","type":"service_task",
     "status":"completed","attempt_count":3,"error_message":"declined",
     "created_at":"2026-11-30T06:00:00.000Z",
     "started_at":"2026-11-30T06:00:01.000Z","completed_at":"2026-11-30T06:00:02.200Z"},
    {"id":"2","name":"","node_id":"Sub","slug":"Sub","type":"task",
     "status":"running","attempt_count":0},
    {"id":"3","parent_step_id":"2","name":"Ask","node_id":"ask","slug":"ask#2","type":"user_task",
     "status":"waiting","attempt_count":0},
    {"id":"4","name":"Mail","node_id":"mail","slug":"mail","type":"service_task","status":"failed",
     "attempt_count":1,"error_message":"no\nserver","started_at":"2026-11-30T06:00:01.000Z",
     "completed_at":"2026-11-30T06:00:01.040Z"},
    {"id":"5","name":"Ship","node_id":"ship","slug":"ship","type":"service_task","status":"pending",
     "attempt_count":1,"error_message":"busy"},
    {"id":"6","name":"Rest","node_id":"rest","slug":"rest","type":"sleep","status":"waiting"}
  ])")
              ->as<Array>();
}

TEST(StepLines, TreeShowsEachStepOnceUnderItsParent) {
  EXPECT_EQ(step_tree(steps()),
            "  [x] Charge payment: completed after 3 attempts in 1.2 s\n"
            "  [>] Sub: running\n"
            "    [ ] Ask #2: waits for a person\n"
            "  [!] Mail: failed in 40 ms (no server)\n"
            "  [ ] Ship: waits for its next attempt (busy)\n"
            "  [ ] Rest: waits for its time\n");
}

TEST(StepLines, TableHasOneRowAStep) {
  EXPECT_EQ(step_table(steps()),
            "STEP            TYPE          STATUS     ATTEMPTS  DURATION  ERROR\n"
            "Charge payment  service task  completed         3     1.2 s  declined\n"
            "Sub             task          running           -         -\n"
            "Ask #2          user task     waiting           -         -\n"
            "Mail            service task  failed            1     40 ms  no server\n"
            "Ship            service task  pending           1         -  busy\n"
            "Rest            sleep         waiting           -         -\n");
}

TEST(StepLines, AnswersOfAnotherKindDoNoHarm) {
  EXPECT_EQ(step_line(Value(7)), ": ");
  EXPECT_FALSE(step_duration(Value(nullptr)));
}

} // namespace
} // namespace perdure::cli
