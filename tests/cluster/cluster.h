// Cluster: a PostgreSQL of the test's own with nodes on it, in one temporary folder.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cluster/effects.h"
#include "cluster/nodes.h"
#include "store/postgres_cluster.h"

namespace perdure::cluster_test {

/// Skips where no PostgreSQL is installed.
class ClusterTest : public testing::Test {
protected:
  explicit ClusterTest(std::size_t nodes) : addresses_(nodes) {}
  void SetUp() override;
  /// Ends the nodes before their database.
  void TearDown() override { nodes_.clear(); }
  void kill_all_for_good() const;

  /// Makes the nodes, not yet started, on that database.
  void add_nodes(const std::string& url);
  void start_nodes();
  void stop_nodes();
  /// Deploys the model at the first node.
  void deploy(const std::string& model);
  /// What `perdure check` says of the database; a test failure unless it is clean.
  void expect_clean(const std::string& url) const;
  /// Every node says that it is ready.
  void expect_all_ready() const;
  /// No node met a bug or a sanitizer's complaint.
  void expect_no_bugs() const;

  [[nodiscard]] test::PostgresCluster& postgres() { return *postgres_; }
  [[nodiscard]] const cli_test::TemporaryFolder& folder() const { return folder_; }

  Addresses addresses_;
  std::vector<std::unique_ptr<Node>> nodes_;

private:
  cli_test::TemporaryFolder folder_;
  std::unique_ptr<test::PostgresCluster> postgres_;
};

} // namespace perdure::cluster_test
