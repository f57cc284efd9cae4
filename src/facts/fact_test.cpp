// The recorded form of facts: every released payload is frozen in tests/frozen/facts_v1.txt and
// must be written and read the same for ever.
#include "facts/fact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace perdure::facts {
namespace {

const Instant kAt = from_ms(1'767'225'600'123);  // 2026-01-01T00:00:00.123Z
constexpr Key kLargeKey = 9'007'199'254'740'993; // beyond what a double can tell

StepOpened opened(StepType type) {
  StepOpened step;
  step.step_id = 4;
  step.token_id = 3;
  step.slug = "charge#2";
  step.node_id = "charge";
  step.name = "Charge \"card\"";
  step.type = type;
  step.max_attempts = 3;
  return step;
}

std::vector<FactData> step_samples() {
  auto with_worker = opened(StepType::service_task);
  with_worker.parent_step_id = 9;
  with_worker.worker =
      WorkerPart{.task_id = 5, .type = "payment", .priority = -1, .variables = Object{{"a", 1.5}}};
  auto with_user = opened(StepType::user_task);
  with_user.user = UserPart{.task_id = 6,
                            .assignee = "anna",
                            .candidate_groups = Array{"sales"},
                            .candidate_users = Array{},
                            .due_at = kAt,
                            .follow_up_at = kAt,
                            .form_reference = "form-1",
                            .priority = 50};
  auto with_bare_user = opened(StepType::user_task);
  with_bare_user.user =
      UserPart{.task_id = 6, .candidate_groups = Array{}, .candidate_users = Array{}};
  auto with_timer = opened(StepType::sleep);
  with_timer.timer = TimerPart{.timer_id = 7, .due_at = kAt};
  return {
      with_worker,
      with_user,
      with_bare_user,
      with_timer,
      opened(StepType::manual_task),
      AttemptStarted{
          .step_id = 4, .task_id = 5, .number = 2, .worker_id = "w1", .lock_expires_at = kAt},
      LockExtended{.task_id = 5, .lock_expires_at = kAt},
      AttemptSucceeded{.step_id = 4, .task_id = 5, .number = 2, .output = Value(nullptr)},
      AttemptSucceeded{.step_id = 4, .task_id = 5, .number = 2, .output = {}},
      AttemptFailed{.step_id = 4,
                    .task_id = 5,
                    .number = 1,
                    .error_name = "CardDeclined",
                    .error_message = "no",
                    .retries = 2,
                    .next_attempt_at = kAt},
      AttemptFailed{.step_id = 4,
                    .task_id = 5,
                    .number = 3,
                    .error_name = "",
                    .error_message = "zwölf",
                    .retries = 0,
                    .next_attempt_at = {}},
      AttemptInterrupted{
          .step_id = 4, .task_id = 5, .number = 1, .retries = 2, .available_at = kAt},
      AttemptInterrupted{.step_id = 4, .task_id = 5, .number = 3, .retries = 0, .available_at = {}},
      AttemptReleased{.step_id = 4, .task_id = 5, .number = 2},
      StepRetried{.step_id = 4, .task_id = 5, .retries = 1},
      StepCompleted{.step_id = 4, .output = Object{{"ok", true}}},
      StepCompleted{.step_id = 4, .output = {}},
      StepCancelled{.step_id = 4},
      TimerFired{.timer_id = 7, .lateness_ms = 12},
  };
}

std::vector<FactData> trouble_samples() {
  return {
      JoinOpened{.join_id = 8, .scope_id = 3, .node_id = "join", .generation = 1, .expected = 2},
      JoinArrived{.join_id = 8, .flow_id = "f", .token_id = 5},
      JoinFired{.join_id = 8},
      JoinCancelled{.join_id = 8},
      IncidentOpened{.incident_id = 9,
                     .token_id = 5,
                     .node_id = "a",
                     .kind = IncidentKind::bad_timer,
                     .message = "It gave null.",
                     .details = Object{{"expression", "= x"}}},
      IncidentResolved{.incident_id = 9, .by = "anna", .reenter = true},
      IncidentResolved{.incident_id = 9, .by = {}, .reenter = false},
      DeadLetterOpened{.dead_letter_id = 10,
                       .task_id = 5,
                       .kind = DeadLetterKind::exhausted_task,
                       .reason = "no",
                       .payload = Object{}},
      DeadLetterOpened{.dead_letter_id = 10,
                       .task_id = {},
                       .kind = DeadLetterKind::expired_message,
                       .reason = "old",
                       .payload = Object{}},
      DeadLetterClosed{.dead_letter_id = 10, .state = DeadLetterState::requeued},
  };
}

std::vector<FactData> token_samples() {
  return {
      InstanceStarted{.instance_id = kLargeKey,
                      .definition_id = 2,
                      .tenant_id = "acme",
                      .process_id = "order",
                      .business_key = "B-1",
                      .unique_business_key = true,
                      .root_scope_id = 3,
                      .input = Object{{"total", 10}, {"note", "a\nb"}}},
      InstanceStarted{.instance_id = 1,
                      .definition_id = 2,
                      .tenant_id = "",
                      .process_id = "order",
                      .business_key = {},
                      .unique_business_key = false,
                      .root_scope_id = 3,
                      .input = Object{}},
      InstanceCompleted{.reason = {}},
      InstanceCompleted{.reason = "done"},
      InstanceCancelled{.reason = {}},
      InstanceCancelled{.reason = "no longer wanted"},
      InstancePaused{.reason = {}},
      InstancePaused{.reason = "closed"},
      InstanceResumed{},
      ScopeOpened{.scope_id = 4,
                  .parent_id = 3,
                  .token_id = 5,
                  .node_id = "sub",
                  .kind = ScopeKind::sub_process,
                  .loop_index = 0,
                  .variables = Object{}},
      ScopeOpened{.scope_id = 4,
                  .parent_id = 3,
                  .token_id = 5,
                  .node_id = "sub",
                  .kind = ScopeKind::sub_process,
                  .loop_index = {},
                  .variables = Object{{"item", Array{1, "two", nullptr}}}},
      ScopeClosed{.scope_id = 4, .state = ScopeState::completed},
      ScopeClosed{.scope_id = 4, .state = ScopeState::terminated},
      VariablesSet{.scope_id = 4, .variables = Object{{"x", 0.1}}},
      TokenPlaced{.token_id = 5, .scope_id = 3, .node_id = "start", .flow_id = {}, .parent_id = {}},
      TokenPlaced{.token_id = 5, .scope_id = 3, .node_id = "a", .flow_id = "f", .parent_id = 4},
      TokenMoved{.token_id = 5, .flow_id = "f", .node_id = "a"},
      TokenCompleted{.token_id = 5},
      TokenTerminated{.token_id = 5},
  };
}

std::vector<FactData> armed_samples() {
  return {
      TimerFired{.timer_id = 7, .lateness_ms = 0, .next_due_at = kAt, .next_occurrence = 2},
      InstanceFailed{.reason = "an error"},
      TimerScheduled{.timer_id = 7,
                     .token_id = 5,
                     .scope_id = {},
                     .node_id = "late",
                     .position = 0,
                     .due_at = kAt,
                     .cycle = "R3/PT10S"},
      TimerScheduled{.timer_id = 7,
                     .token_id = {},
                     .scope_id = 3,
                     .node_id = "late",
                     .position = 1,
                     .due_at = kAt,
                     .cycle = {}},
      TimerCancelled{.timer_id = 7},
      SubscriptionOpened{.subscription_id = 11,
                         .token_id = 5,
                         .scope_id = {},
                         .step_id = 4,
                         .node_id = "paid",
                         .position = 0,
                         .kind = SubscriptionKind::message,
                         .name = "payment",
                         .correlation_key = "B-1",
                         .condition_holds = {}},
      SubscriptionOpened{.subscription_id = 11,
                         .token_id = {},
                         .scope_id = 3,
                         .step_id = {},
                         .node_id = "paid",
                         .position = 2,
                         .kind = SubscriptionKind::conditional,
                         .name = "",
                         .correlation_key = {},
                         .condition_holds = false},
      SubscriptionTriggered{.subscription_id = 11, .stays_open = true},
      SubscriptionCancelled{.subscription_id = 11},
      ConditionChanged{.subscription_id = 11, .holds = true},
  };
}

std::vector<FactData> event_samples() {
  return {
      EventThrown{.token_id = 5,
                  .node_id = "end",
                  .kind = "error",
                  .code = "E1",
                  .message = "no",
                  .caught_by = "caught"},
      EventThrown{.token_id = 5,
                  .node_id = "end",
                  .kind = "escalation",
                  .code = {},
                  .message = {},
                  .caught_by = {}},
      EventSent{.pending_event_id = 12,
                .node_id = "tell",
                .kind = PendingKind::message,
                .name = "payment",
                .correlation_key = "B-1",
                .target_instance_id = {},
                .target_token_id = {},
                .payload = Object{}},
      EventSent{.pending_event_id = 12,
                .node_id = "end",
                .kind = PendingKind::call_ended,
                .name = {},
                .correlation_key = {},
                .target_instance_id = 1,
                .target_token_id = 5,
                .payload = Object{{"variables", Object{}}}},
      CompensationRecorded{.record_id = 13,
                           .scope_id = 3,
                           .node_id = "book",
                           .handler_id = "cancel_booking",
                           .inner_scope_id = {},
                           .ordinal = 40,
                           .variables = Object{}},
      CompensationRecorded{.record_id = 13,
                           .scope_id = 3,
                           .node_id = "trip",
                           .handler_id = {},
                           .inner_scope_id = 4,
                           .ordinal = 41,
                           .variables = Object{{"price", 7}}},
  };
}

std::vector<FactData> call_samples() {
  return {
      CompensationStarted{.record_id = 13, .token_id = 5},
      CompensationEnded{.record_id = 13, .status = CompensationStatus::failed},
      DecisionEvaluated{.evaluation_id = 14,
                        .token_id = 5,
                        .step_id = 6,
                        .node_id = "decide",
                        .definition_id = 900,
                        .decision_id = "Dish",
                        .version = 2,
                        .inputs = Object{{"season", "Winter"}},
                        .output = "Stew",
                        .matched_rules = Array{Object{{"number", 1}, {"id", "r1"}}},
                        .evaluated = Array{},
                        .warnings = Array{},
                        .error = {}},
      DecisionEvaluated{.evaluation_id = 15,
                        .token_id = 5,
                        .step_id = 6,
                        .node_id = "decide",
                        .definition_id = 900,
                        .decision_id = "Dish",
                        .version = 2,
                        .inputs = Object{},
                        .output = Value(),
                        .matched_rules = Array{},
                        .evaluated = Array{},
                        .warnings = Array{Object{{"message", "m"}}},
                        .error = "It failed."},
      InstanceStarted{.instance_id = 1,
                      .definition_id = 2,
                      .tenant_id = "",
                      .process_id = "order",
                      .business_key = {},
                      .unique_business_key = false,
                      .root_scope_id = 3,
                      .input = Object{},
                      .parent_instance_id = 8,
                      .parent_token_id = 9},
      ScopeClosed{.scope_id = 4, .state = ScopeState::completed, .output = Value(nullptr)},
      TokenPlaced{.token_id = 5,
                  .scope_id = 3,
                  .node_id = "undo",
                  .flow_id = {},
                  .parent_id = 4,
                  .mode = TokenMode::compensation},
      StepOpened{.step_id = 4,
                 .token_id = 3,
                 .slug = "ship",
                 .node_id = "ship",
                 .name = "",
                 .type = StepType::call_activity,
                 .parent_step_id = {},
                 .max_attempts = 1,
                 .worker = {},
                 .user = {},
                 .timer = {},
                 .called_instance_id = 77},
      JoinOpened{.join_id = 8,
                 .scope_id = 3,
                 .node_id = "join",
                 .generation = 1,
                 .expected = 3,
                 .kind = JoinKind::inclusive},
  };
}

std::vector<FactData> listener_samples() {
  auto listener = opened(StepType::listener);
  listener.slug = "charge:start:1";
  listener.name = "audit";
  listener.worker = WorkerPart{.task_id = 5, .type = "audit", .variables = Object{}};
  listener.listener = 1;
  return {listener};
}

std::vector<FactData> migration_samples() {
  return {ScopeOpened{.scope_id = 18,
                      .parent_id = 3,
                      .token_id = 5,
                      .node_id = "charge",
                      .kind = ScopeKind::activity,
                      .loop_index = {},
                      .variables = Object{},
                      .keeps_state = true},
          TimerScheduled{.timer_id = 19,
                         .token_id = 5,
                         .scope_id = {},
                         .node_id = "late",
                         .position = 0,
                         .due_at = kAt,
                         .cycle = {},
                         .keeps_state = true},
          SubscriptionOpened{.subscription_id = 20,
                             .token_id = 5,
                             .scope_id = {},
                             .step_id = {},
                             .node_id = "told",
                             .position = 0,
                             .kind = SubscriptionKind::signal,
                             .name = "stop",
                             .correlation_key = {},
                             .condition_holds = {},
                             .keeps_state = true},
          InstanceMigrated{.migration_id = 16,
                           .from_definition_id = 2,
                           .definition_id = 17,
                           .mapping = Object{{"old", "new"}}}};
}

std::vector<FactData> flow_samples() {
  return {
      FlowPlaced{.token_id = 5, .scope_id = 3, .limit_key = {}, .previous_instance_id = {}},
      FlowPlaced{.token_id = 5,
                 .scope_id = 3,
                 .priority = 7,
                 .limit_key = "c-1",
                 .previous_instance_id = 99,
                 .queued = true},
      FlowInherited{.worker_id = "restart of 99",
                    .entries = Array{Object{{"doing", "begun"}, {"number", std::int64_t{-5}}}}},
      FlowAdmitted{},
      FlowCompletionQueued{},
      FlowBegun{.worker_id = "node:7", .seed = -5},
      FlowHosted{.worker_id = "node:8"},
      FlowStepOpened{.step_id = 4,
                     .name = "charge",
                     .type = StepType::run,
                     .parent_step_id = 3,
                     .max_attempts = 3,
                     .worker_id = "node:7",
                     .timer = {},
                     .subscription = {},
                     .target = {},
                     .called_instance_id = {}},
      FlowStepOpened{
          .step_id = 6,
          .name = "paid",
          .type = StepType::wait,
          .parent_step_id = {},
          .worker_id = {},
          .timer = TimerPart{.timer_id = 7, .due_at = kAt},
          .subscription =
              FlowSubscriptionPart{.subscription_id = 8, .name = "payment", .correlation_key = "1"},
          .target = "payment",
          .called_instance_id = {}},
      FlowStepOpened{.step_id = 9,
                     .name = "child",
                     .type = StepType::call_activity,
                     .parent_step_id = {},
                     .worker_id = {},
                     .timer = {},
                     .subscription = {},
                     .target = "ship",
                     .called_instance_id = 77},
      FlowStepEnded{.step_id = 4,
                    .ending = FlowEnding::succeeded,
                    .output = Value(nullptr),
                    .error_name = {},
                    .error_message = {},
                    .heard = true},
      FlowStepEnded{.step_id = 6,
                    .ending = FlowEnding::timed_out,
                    .output = {},
                    .error_name = "TimedOut",
                    .error_message = "Nothing came."},
  };
}

std::vector<FactData> flow_trouble_samples() {
  return {
      FlowStepHeard{.name = "paid"},
      FlowAttemptFailed{.step_id = 4,
                        .number = 1,
                        .error_name = "E",
                        .error_message = "m",
                        .timer = TimerPart{.timer_id = 7, .due_at = kAt}},
      FlowAttemptDue{.step_id = 4, .timer_id = 7},
      FlowAttemptStarted{.step_id = 4, .number = 2, .worker_id = "node:7"},
      FlowStepDropped{.name = "paid", .step_id = 6, .busy = false},
      FlowStepDropped{.name = "slow", .step_id = {}, .busy = true},
      FlowStepReleased{.name = "slow"},
      FlowTimeRead{.time = kAt},
      FlowPatchTaken{.name = "careful"},
      FlowAttributeSet{.scope_id = 3, .name = "customer", .value = "c-1"},
      FlowCancelRequested{.reason = "enough"},
      FlowCancelHeard{},
      FlowEnded{.status = InstanceStatus::completed, .output = Value(7), .reason = {}},
      FlowEnded{.status = InstanceStatus::failed, .output = {}, .reason = "E: m"},
  };
}

std::vector<FactData> samples() {
  auto all = token_samples();
  for (const auto& more :
       {step_samples(), trouble_samples(), armed_samples(), event_samples(), call_samples(),
        listener_samples(), migration_samples(), flow_samples(), flow_trouble_samples()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

std::vector<std::string> frozen_lines() {
  std::ifstream file(PERDURE_SOURCE_DIR "/tests/frozen/facts_v1.txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}

std::string line_of(const FactData& data) {
  return std::string(type_of(data)) + " " + payload_of(data);
}

TEST(Facts, EveryTypeHasASample) {
  std::set<std::size_t> seen;
  for (const auto& data : samples())
    seen.insert(data.index());
  EXPECT_EQ(seen.size(), std::variant_size_v<FactData>);
}

TEST(Facts, AreWrittenAsTheyWereFrozen) {
  const auto frozen = frozen_lines();
  std::size_t found = 0;
  for (const auto& data : samples()) {
    const auto line = line_of(data);
    const bool is_frozen = std::ranges::find(frozen, line) != frozen.end();
    // A new fact is frozen by adding its line; a changed one needs a new name.
    EXPECT_TRUE(is_frozen) << "not frozen: " << line;
    if (is_frozen) ++found;
  }
  EXPECT_EQ(found, frozen.size());
}

TEST(Facts, AreReadAsTheyWereFrozen) {
  ASSERT_FALSE(frozen_lines().empty());
  for (const auto& line : frozen_lines()) {
    const auto space = line.find(' ');
    const auto data = read_fact(line.substr(0, space), line.substr(space + 1));
    ASSERT_TRUE(data) << line << ": " << data.error().message;
    EXPECT_EQ(line_of(*data), line);
  }
}

TEST(Facts, KeepJsonNullAndNoOutputApart) {
  const auto null = read_fact("step_completed", R"({"step_id":"4","output":null})");
  ASSERT_TRUE(null);
  ASSERT_TRUE(std::get<StepCompleted>(*null).output.has_value());
  EXPECT_TRUE(std::get<StepCompleted>(*null).output->is_null());
  const auto none = read_fact("step_completed", R"({"step_id":"4"})");
  ASSERT_TRUE(none);
  EXPECT_FALSE(std::get<StepCompleted>(*none).output.has_value());
}

struct Misfit {
  const char* type;
  const char* payload;
  const char* where;
};

TEST(Facts, ThatDoNotFitAreRefusedWithTheirPlace) {
  const Misfit misfits[] = {
      {"no_such_fact", "{}", "no_such_fact"},
      {"", "{}", ""},
      {"token_completed", "[]", "/"},
      {"token_completed", "{}", "/token_id"},
      {"token_completed", R"({"token_id":5})", "/token_id"},
      {"token_completed", R"({"token_id":"05"})", "/token_id"},
      {"token_completed", R"({"token_id":"-5"})", "/token_id"},
      {"token_completed", R"({"token_id":"99999999999999999999"})", "/token_id"},
      {"token_completed", R"({"token_id":"5","more":1})", "/more"},
      {"token_moved", R"({"token_id":"5","flow_id":1,"node_id":"a"})", "/flow_id"},
      {"step_retried", R"({"step_id":"4","task_id":"5","retries":1.5})", "/retries"},
      {"step_retried", R"({"step_id":"4","task_id":"5","retries":"1"})", "/retries"},
      {"scope_closed", R"({"scope_id":"4","state":"closed"})", "/state"},
      {"lock_extended", R"({"task_id":"5","lock_expires_at":"soon"})", "/lock_expires_at"},
      {"incident_resolved", R"({"incident_id":"9","reenter":1})", "/reenter"},
      {"incident_resolved", R"({"incident_id":"9","by":null,"reenter":true})", "/by"},
      {"variables_set", R"({"scope_id":"4"})", "/variables"},
  };
  for (const auto& misfit : misfits) {
    const auto data = read_fact(misfit.type, misfit.payload);
    ASSERT_FALSE(data) << misfit.payload;
    EXPECT_EQ(data.error().code, ErrorCode::invalid_input);
    EXPECT_EQ(data.error().where, misfit.where) << misfit.payload;
  }
}

TEST(Facts, InsidePartsAreRefusedWithTheirPlace) {
  const auto data = read_fact("step_opened",
                              R"({"step_id":"4","token_id":"3","slug":"a","node_id":"a","name":"",)"
                              R"("type":"sleep","max_attempts":1,"timer":{"timer_id":"7"}})");
  ASSERT_FALSE(data);
  EXPECT_EQ(data.error().where, "/timer/due_at");
}

TEST(Facts, BrokenTextIsAnError) {
  EXPECT_FALSE(read_fact("token_completed", ""));
  EXPECT_FALSE(read_fact("token_completed", R"({"token_id":"5")"));
}

TEST(Facts, TakeValuesThatWereAsDeepAsAllowed) {
  std::string deep = "1";
  for (int i = 0; i < 63; ++i)
    deep = "{\"a\":" + deep + "}";
  const auto payload = R"({"scope_id":"4","variables":)" + deep + "}";
  const auto data = read_fact("variables_set", payload);
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(payload_of(*data), payload);
}

} // namespace
} // namespace perdure::facts
