// JSON shapes: keys as text, times in UTC, absent as null, names as the API promises them.
#include "api/json_shapes.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace perdure::api {
namespace {

const Instant kNoon = from_ms(1'767'268'800'000); // 2026-01-01T12:00:00.000Z

TEST(JsonShapes, InstanceShowsItsInputOnlyInFull) {
  const facts::ProcessInstance instance{.id = 9'007'199'254'740'993,
                                        .definition_id = 5,
                                        .process_id = "order",
                                        .status = facts::InstanceStatus::running,
                                        .version = 3,
                                        .last_sequence = 12,
                                        .input = Object{{"total", 125.5}},
                                        .created_at = kNoon,
                                        .started_at = kNoon,
                                        .updated_at = kNoon};
  std::string list;
  append_json(list, instance, Detail::list);
  EXPECT_EQ(list,
            R"({"id":"9007199254740993","process_def_id":"5","tenant_id":"","process_id":"order",)"
            R"("business_key":null,"unique_business_key":false,"status":"running","version":3,)"
            R"("last_sequence":12,"end_reason":null,"created_at":"2026-01-01T12:00:00.000Z",)"
            R"("started_at":"2026-01-01T12:00:00.000Z","ended_at":null,)"
            R"("updated_at":"2026-01-01T12:00:00.000Z","parent_instance_id":null,)"
            R"("parent_token_id":null})");
  std::string full;
  append_json(full, instance, Detail::full);
  list.pop_back();
  EXPECT_EQ(full, list + R"(,"input":{"total":125.5}})");
}

TEST(JsonShapes, DefinitionShowsItsSourceOnlyInFull) {
  const facts::ProcessDefinition definition{
      .id = 1, .process_id = "p", .version = 2, .source = "<x/>", .deployed_at = kNoon};
  std::string list;
  append_json(list, definition, Detail::list);
  EXPECT_EQ(list, R"({"id":"1","tenant_id":"","process_id":"p","version":2,"kind":"bpmn",)"
                  R"("state":"active","name":"","version_tag":null,"resource_name":null,)"
                  R"("digest":null,"deployed_at":"2026-01-01T12:00:00.000Z",)"
                  R"("deployment_id":null})");
  std::string full;
  append_json(full, definition, Detail::full);
  list.pop_back();
  EXPECT_EQ(full, list + R"(,"xml":"<x/>"})");
}

TEST(JsonShapes, StepHasItsOwnAttemptsOnly) {
  const facts::StepRecord step{.instance_id = 1, .id = 7, .slug = "pay", .created_at = kNoon};
  const std::vector<facts::StepAttempt> attempts{
      {.step_id = 6, .number = 1},
      {.step_id = 7, .number = 1, .state = facts::AttemptState::failed, .error_message = "no"},
      {.step_id = 7, .number = 2, .result_type = facts::OutputType::json, .result = Value(nullptr)},
      {.step_id = 8, .number = 1},
  };
  std::string out;
  append_json(out, step, attempts);
  const auto value = json::parse(out);
  ASSERT_TRUE(value) << out;
  const auto* list = value->find("attempts")->as<Array>();
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->size(), 2U);
  EXPECT_EQ(*(*list)[0].find("error_message"), Value("no"));
  EXPECT_EQ(*(*list)[1].find("number"), Value(2));
  EXPECT_EQ(*(*list)[1].find("result_type"), Value("json"));
  EXPECT_EQ((*list)[0].find("step_id"), nullptr);
}

TEST(JsonShapes, TasksTellTheirKind) {
  const facts::ExternalTask external{.id = 3, .type = "payment", .variables = Object{}};
  std::string out;
  append_json(out, external);
  const auto value = json::parse(out);
  ASSERT_TRUE(value) << out;
  EXPECT_EQ(*value->find("type"), Value("external"));
  EXPECT_EQ(*value->find("task_type"), Value("payment"));
  EXPECT_EQ(*value->find("id"), Value("3"));
  EXPECT_TRUE(value->find("lock_expires_at")->is_null());

  std::string user;
  append_json(user, facts::UserTask{.id = 4, .candidate_groups = Array{"clerks"}});
  const auto shown = json::parse(user);
  ASSERT_TRUE(shown) << user;
  EXPECT_EQ(*shown->find("type"), Value("user"));
  EXPECT_EQ(*shown->find("candidate_groups"), Value(Array{"clerks"}));
}

TEST(JsonShapes, JobIsWhatAWorkerNeeds) {
  std::string out;
  append_json(out, engine::Job{.task_id = 1,
                               .instance_id = 2,
                               .definition_id = 3,
                               .type = "payment",
                               .process_id = "order",
                               .node_id = "pay",
                               .node_name = "Pay",
                               .business_key = "A-1",
                               .worker_id = "w",
                               .lock_expires_at = kNoon,
                               .attempt = 1,
                               .retries = 3,
                               .variables = Object{{"n", 1}},
                               .headers = Object{}});
  EXPECT_EQ(out, R"({"id":"1","instance_id":"2","process_def_id":"3","process_id":"order",)"
                 R"("business_key":"A-1","node_id":"pay","node_name":"Pay","task_type":"payment",)"
                 R"("worker_id":"w","lock_expires_at":"2026-01-01T12:00:00.000Z","attempt":1,)"
                 R"("retries":3,"priority":0,"variables":{"n":1},"headers":{},"listener":null})");
}

} // namespace
} // namespace perdure::api
