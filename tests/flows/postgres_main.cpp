// The same tests of flows on a PostgreSQL server of their own.
#include <gtest/gtest.h>

#include <iostream>
#include <memory>

#include "flows/backend.h"
#include "store/postgres_cluster.h"

namespace perdure::engine {
namespace {

std::unique_ptr<test::PostgresCluster>& server() {
  static std::unique_ptr<test::PostgresCluster> one;
  return one;
}

} // namespace

std::optional<store::postgres::Options> next_schema() {
  static int count = 0;
  return store::postgres::Options{.url = server()->url(),
                                  .schema = "flows" + std::to_string(++count)};
}

} // namespace perdure::engine

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  auto started = perdure::test::PostgresCluster::start();
  if (!started) {
    std::cout << "Skipped: " << started.error() << ".\n";
    return 77; // ctest counts it as skipped
  }
  perdure::engine::server() = std::move(*started);
  const int code = RUN_ALL_TESTS();
  perdure::engine::server().reset();
  return code;
}
