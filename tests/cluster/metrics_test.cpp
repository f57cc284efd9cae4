// Two nodes that were given one name, and what they say of themselves: figures, schema, health.
#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "cluster/client.h"
#include "cluster/cluster.h"
#include "cluster/effects.h"

namespace perdure::cluster_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

/// What stands behind each `before`, up to a blank or quote.
std::set<std::string> names_in(const std::string& text, const std::string& before) {
  std::set<std::string> names;
  for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
    const auto start = at + before.size();
    names.insert(text.substr(start, text.find_first_of(" `", start) - start));
  }
  return names;
}

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class NodesTest : public ClusterTest {
protected:
  NodesTest() : ClusterTest(2) {}

  void SetUp() override {
    ClusterTest::SetUp();
    if (IsSkipped()) return;
    const auto config = folder().write("perdure.toml", "node_name = \"pod-0\"\n");
    nodes_.clear();
    for (std::size_t i = 0; i < 2; ++i) {
      nodes_.push_back(std::make_unique<Node>(
          i, std::vector<std::string>{"--database", postgres().url(), "--config", config},
          folder().path("log" + std::to_string(i)), addresses_));
    }
    start_nodes();
  }
  void TearDown() override {
    if (IsSkipped()) return;
    stop_nodes();
    expect_no_bugs();
    nodes_.clear();
  }
};

TEST_F(NodesTest, ANameThatALiveNodeHasIsTakenWithASuffix) {
  EXPECT_EQ(nodes_[0]->log_lines("node_name_in_use"), "");
  EXPECT_THAT(nodes_[1]->log_lines("node_name_in_use"), HasSubstr("pod-0-"));
  Effects rows(postgres().url());
  EXPECT_EQ(rows.value("SELECT count(DISTINCT application_name) FROM pg_stat_activity WHERE "
                       "application_name LIKE 'perdure pod-0%'"),
            "2");
  // It is free again as soon as its node has ended.
  nodes_[0]->stop();
  nodes_[0]->start();
  EXPECT_EQ(nodes_[0]->log_lines("node_name_in_use"), "");
}

TEST_F(NodesTest, EveryFigureIsDocumentedAndEveryDocumentedOneIsThere) {
  const auto metrics = net::Client(nodes_[0]->url()).request("GET", "/metrics");
  ASSERT_TRUE(metrics) << metrics.error().message;
  const auto shown = names_in(metrics->body, "# HELP ");
  EXPECT_EQ(shown, names_in(read(PERDURE_SOURCE_DIR "/docs/metrics.md"), "\n| `"));
  EXPECT_THAT(shown, IsSupersetOf({"perdure_postgres_connections_lost_total",
                                   "perdure_store_statements_total"}));
}

TEST_F(NodesTest, ConnectionsThatAreLostAreCounted) {
  Client client(nodes_[0]->url());
  ASSERT_NO_FATAL_FAILURE(deploy(cli_test::ask_model()));
  const auto opened = client.figure("perdure_postgres_connections_opened_total");
  EXPECT_GT(opened, 0);
  EXPECT_EQ(client.figure("perdure_postgres_connections_lost_total"), 0);
  Effects rows(postgres().url());
  EXPECT_THAT(rows.value("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
                         "application_name = 'perdure pod-0'"),
              Not(IsEmpty()));
  static_cast<void>(
      client.post_until_served("/process-instances", Object{{"process_def_id", "ask"}}));
  EXPECT_GT(client.figure("perdure_postgres_connections_lost_total"), 0);
  EXPECT_GT(client.figure("perdure_postgres_connections_opened_total"), opened);
}

TEST_F(NodesTest, AMigrationByAnotherNodeShowsInReadyz) {
  Client client(nodes_[0]->url());
  const auto version = [&] {
    const auto value = cli_test::at(client.get("/readyz").body, "db_schema_version");
    const auto* number = value.as<std::int64_t>();
    return number ? *number : 0;
  };
  const auto before = version();
  Effects rows(postgres().url());
  static_cast<void>(rows.value(
      "INSERT INTO perdure.schema_migration VALUES (9999, 'later', repeat('a', 64), now()) "
      "RETURNING version"));
  EXPECT_LT(before, 9999);
  while (version() == before)
    std::this_thread::yield();
  EXPECT_EQ(version(), 9999);
  static_cast<void>(
      rows.value("DELETE FROM perdure.schema_migration WHERE version = 9999 RETURNING version"));
}

} // namespace
} // namespace perdure::cluster_test
