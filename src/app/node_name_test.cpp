#include "app/node_name.h"

#include <gtest/gtest.h>

#include <set>

namespace perdure::app {
namespace {

TEST(NodeName, IsAnotherOneEachTime) {
  std::set<std::string> names;
  for (int i = 0; i < 1'000; ++i)
    names.insert(unique_node_name());
  EXPECT_EQ(names.size(), 1'000U);
  EXPECT_TRUE(unique_node_name("pod-0").starts_with("pod-0-"));
}

} // namespace
} // namespace perdure::app
