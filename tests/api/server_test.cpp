// The server as a whole: health, figures, and requests that are none.
#include "api/server_fixture.h"

namespace perdure::api {
namespace {

using ::testing::HasSubstr;

class ServerAsWholeTest : public ServerTest {};

TEST_F(ServerAsWholeTest, TellsItsHealth) {
  for (const std::string prefix : {"", "/api/v1"}) {
    EXPECT_EQ(get(prefix + "/livez").text, R"({"status":"alive"})");
    EXPECT_EQ(get(prefix + "/readyz").text, R"({"status":"ready"})");
  }
  const auto welcome = get("/");
  EXPECT_EQ(welcome.status, 200);
  EXPECT_THAT(welcome.text, HasSubstr("Perdure 1.2.3"));
}

TEST_F(ServerAsWholeTest, CountsForPrometheus) {
  deploy(gateway_model());
  start("gateway", R"({"ok":true})");
  const auto reply = get("/metrics");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(reply.text, HasSubstr("\nperdure_instances_completed_total 1\n"));
  EXPECT_THAT(reply.text, HasSubstr("perdure_build_info{version=\"1.2.3\"} 1\n"));
  EXPECT_THAT(reply.text, HasSubstr("# TYPE perdure_facts_total counter\n"));
  EXPECT_THAT(reply.text, HasSubstr("# TYPE perdure_fetches_waiting gauge\n"));
}

TEST_F(ServerAsWholeTest, CountsWhatTheStateRefused) {
  deploy(order_model());
  start("order");
  const auto task = fetch_one("payment", "w1");
  ASSERT_EQ(post("/api/v1/external-tasks/" + task + "/complete", R"({"worker_id":"w2"})").status,
            409);
  const auto figures = get("/metrics").text;
  EXPECT_THAT(figures, HasSubstr("\nperdure_refusals_total 1\n"));
  EXPECT_THAT(figures, HasSubstr("\nperdure_fenced_total 1\n"));
  for (int i = 0; i < 2; ++i) {
    ASSERT_LT(post("/api/v1/process-instances", R"({"process_def_id":"order"})",
                   {{"Idempotency-Key", "k"}})
                  .status,
              300);
  }
  EXPECT_THAT(get("/metrics").text, HasSubstr("\nperdure_repeated_total 1\n"));
}

TEST_F(ServerAsWholeTest, GivesItsContract) {
  const auto reply = get("/api/v1/openapi.yaml");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Content-Type"), "application/yaml; charset=utf-8");
  EXPECT_THAT(reply.text, ::testing::StartsWith("openapi: "));
  EXPECT_THAT(reply.text, HasSubstr("\n  /api/v1/openapi.yaml:\n"));
}

TEST_F(ServerAsWholeTest, UnknownRoutesAndWrongMethodsAreProblems) {
  const auto unknown = get("/api/v1/nothing");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.header("Content-Type"), "application/problem+json");
  const auto wrong = post("/api/v1/tasks");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_THAT(wrong.header("Allow"), HasSubstr("GET"));
  EXPECT_EQ(get("/api/v1/tasks/1/complete").status, 405);
}

TEST_F(ServerAsWholeTest, APageOfAnotherSiteMayNotChangeAnything) {
  deploy(work_model());
  const auto reply = post("/api/v1/process-instances", R"({"process_def_id":"work"})",
                          {{"Origin", "http://evil.example"}});
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(get("/api/v1/process-instances").count("items"), 0U);
}

TEST_F(ServerAsWholeTest, LargeBodiesAreReadBesideTheOthers) {
  deploy(work_model());
  const auto id = start("work", R"({"text":")" + std::string(500'000, 'x') + "\"}");
  EXPECT_EQ(get("/api/v1/process-instances/" + id).text_at("status"), "running");
}

} // namespace
} // namespace perdure::api
