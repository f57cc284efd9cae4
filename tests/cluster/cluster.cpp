#include "cluster/cluster.h"

#include "cluster/client.h"

namespace perdure::cluster_test {

void ClusterTest::SetUp() {
  auto started = test::PostgresCluster::start();
  if (!started) GTEST_SKIP() << "Skipped: " << started.error();
  postgres_ = std::move(*started);
  add_nodes(postgres_->url());
}

void ClusterTest::add_nodes(const std::string& url) {
  nodes_.clear();
  for (std::size_t i = 0; i < addresses_.count(); ++i) {
    nodes_.push_back(std::make_unique<Node>(i, std::vector<std::string>{"--database", url},
                                            folder_.path("log" + std::to_string(i)), addresses_));
  }
}

void ClusterTest::start_nodes() {
  for (const auto& node : nodes_)
    node->start();
}

void ClusterTest::stop_nodes() {
  for (const auto& node : nodes_)
    node->stop();
}

void ClusterTest::deploy(const std::string& model) {
  ASSERT_EQ(Client(nodes_.front()->url()).deploy(model).status, 201);
}

void ClusterTest::expect_clean(const std::string& url) const {
  const auto checked = cli_test::perdure({"check", "--database", url});
  EXPECT_EQ(checked.code, 0) << checked.out << checked.error;
}

void ClusterTest::expect_all_ready() const {
  for (const auto& node : nodes_) {
    const auto ready = net::Client(node->url()).request("GET", "/readyz");
    ASSERT_TRUE(ready) << ready.error().message;
    EXPECT_EQ(ready->status, 200) << ready->body;
  }
}

void ClusterTest::kill_all_for_good() const {
  for (const auto& node : nodes_)
    node->kill_for_good();
}

void ClusterTest::expect_no_bugs() const {
  for (const auto& node : nodes_) {
    for (const auto* complaint : {"bug_found", "commit_refused", "Sanitizer", "runtime error"}) {
      EXPECT_EQ(node->log_lines(complaint), "");
    }
  }
}

} // namespace perdure::cluster_test
