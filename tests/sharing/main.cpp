// The server of all tests here; without one they are skipped.
#include <gtest/gtest.h>

#include <iostream>
#include <memory>

#include "sharing/database.h"
#include "store/postgres_cluster.h"

namespace perdure::sharing {
namespace {

std::unique_ptr<test::PostgresCluster>& server() {
  static std::unique_ptr<test::PostgresCluster> one;
  return one;
}

} // namespace

const std::string& server_folder() { return server()->folder(); }

} // namespace perdure::sharing

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  auto started = perdure::test::PostgresCluster::start();
  if (!started) {
    std::cout << "Skipped: " << started.error() << ".\n";
    return 77; // ctest counts it as skipped
  }
  perdure::sharing::server() = std::move(*started);
  const int code = RUN_ALL_TESTS();
  perdure::sharing::server().reset();
  return code;
}
