// Tasks over HTTP, as people see them.
#include "api/server_fixture.h"

namespace perdure::api {
namespace {

using ::testing::HasSubstr;

class TasksTest : public ServerTest {};

TEST_F(TasksTest, ListsShowBothKindsInOneOrder) {
  deploy(fork_model());
  const auto id = start("fork");
  start("fork");
  const auto all = get("/api/v1/tasks");
  ASSERT_EQ(all.count("items"), 6U) << all.text;
  for (std::size_t i = 1; i < 6; ++i) {
    EXPECT_LT(std::stoll(all.text_at("items/" + std::to_string(i - 1) + "/id")),
              std::stoll(all.text_at("items/" + std::to_string(i) + "/id")));
  }
  EXPECT_EQ(get("/api/v1/tasks?type=user").count("items"), 4U);
  const auto external = get("/api/v1/tasks?type=external&instance_id=" + id);
  ASSERT_EQ(external.count("items"), 1U);
  EXPECT_EQ(external.text_at("items/0/type"), "external");
  EXPECT_EQ(external.text_at("items/0/task_type"), "work");
  EXPECT_EQ(external.text_at("items/0/state"), "ready");
  EXPECT_EQ(get("/api/v1/tasks?task_type=work").count("items"), 2U);
  EXPECT_EQ(get("/api/v1/tasks?task_type=other").count("items"), 0U);
  EXPECT_EQ(get("/api/v1/tasks?assignee=ada").count("items"), 0U);

  // Pages over both kinds neither lose nor repeat a task.
  std::vector<std::string> ids;
  std::string after;
  for (int page = 0; page < 3; ++page) {
    const auto reply = get("/api/v1/tasks?limit=2" + after);
    ASSERT_EQ(reply.count("items"), 2U);
    ids.push_back(reply.text_at("items/0/id"));
    ids.push_back(reply.text_at("items/1/id"));
    after = "&after=" + reply.text_at("next_after");
  }
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(ids[i], all.text_at("items/" + std::to_string(i) + "/id"));
  }
}

TEST_F(TasksTest, WrongFiltersAreRefused) {
  for (const std::string query :
       {"type=people", "type=external&assignee=ada", "type=user&task_type=x",
        "assignee=a&task_type=x", "open=yes", "instance_id=x", "kind=user"}) {
    EXPECT_EQ(get("/api/v1/tasks?" + query).status, 400) << query;
  }
}

TEST_F(TasksTest, AUserTaskIsCompletedOnce) {
  deploy(order_model());
  const auto id = start("order");
  const auto payment = fetch_one("payment");
  ASSERT_EQ(post("/api/v1/external-tasks/" + payment + "/complete", R"({"worker_id":"w1"})").status,
            200);
  const auto task = get("/api/v1/tasks?type=user").text_at("items/0/id");
  const auto path = "/api/v1/tasks/" + task + "/complete";
  EXPECT_EQ(post(path, R"({"variables":7})").status, 400);
  EXPECT_EQ(post(path, R"({"outcome":"ok"})").status, 400);
  const auto reply = post(path, R"({"variables":{"approved":true},"actor":"ada"})",
                          {{"Idempotency-Key", "review-1"}});
  ASSERT_EQ(reply.status, 200) << reply.text;
  EXPECT_EQ(reply.text, R"({"id":")" + task + R"(","state":"completed"})");
  const auto instance = get("/api/v1/process-instances/" + id);
  EXPECT_EQ(instance.text_at("status"), "completed");
  EXPECT_EQ(instance.at("variables/approved"), Value(true));

  const auto before = all_of(id);
  // The same request again is answered as before; a new one is refused.
  EXPECT_EQ(post(path, R"({"variables":{"approved":true},"actor":"ada"})",
                 {{"Idempotency-Key", "review-1"}})
                .status,
            200);
  EXPECT_EQ(post(path, "{}", {{"Idempotency-Key", "review-1"}}).status, 422);
  const auto twice = post(path);
  EXPECT_EQ(twice.status, 409) << twice.text;
  EXPECT_EQ(twice.header("X-Invariant-Violation"), "TokenFinalizedTwice");
  EXPECT_EQ(all_of(id), before);
  EXPECT_EQ(get("/api/v1/tasks").count("items"), 0U);
  EXPECT_EQ(get("/api/v1/tasks?open=false").count("items"), 2U);
}

TEST_F(TasksTest, AnExternalTaskMayBeCompletedByHandUnlessItIsLocked) {
  deploy(work_model());
  const auto id = start("work");
  const auto task = get("/api/v1/tasks?type=external").text_at("items/0/id");
  const auto reply = post("/api/v1/tasks/" + task + "/complete", R"({"variables":{"by":"hand"}})",
                          {{"Idempotency-Key", "by-hand"}});
  ASSERT_EQ(reply.status, 200) << reply.text;
  EXPECT_EQ(get("/api/v1/process-instances/" + id).at("variables/by"), Value("hand"));
  EXPECT_EQ(post("/api/v1/tasks/" + task + "/complete", R"({"variables":{"by":"hand"}})",
                 {{"Idempotency-Key", "by-hand"}})
                .status,
            200);

  const auto locked_instance = start("work");
  const auto locked = fetch_one("work");
  const auto before = all_of(locked_instance);
  const auto refused = post("/api/v1/tasks/" + locked + "/complete");
  EXPECT_EQ(refused.status, 409) << refused.text;
  EXPECT_EQ(refused.header("X-Invariant-Violation"), "ExternalTaskLeaseConflict");
  EXPECT_EQ(all_of(locked_instance), before);
}

TEST_F(TasksTest, UnknownTasksAreNotFound) {
  EXPECT_EQ(post("/api/v1/tasks/999999/complete").status, 404);
  EXPECT_EQ(post("/api/v1/tasks/x/complete").status, 400);
}

} // namespace
} // namespace perdure::api
