// The table of routes and openapi.yaml name the same paths and methods.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "api/api.h"

namespace perdure::api {
namespace {

/// "POST /api/v1/tasks/{id}/complete" for every operation of the section `paths`. The file keeps to
/// one layout: paths are indented by two spaces, methods by four.
std::set<std::string> described() {
  std::ifstream file(std::string(PERDURE_SOURCE_DIR) + "/src/api/openapi.yaml");
  EXPECT_TRUE(file);
  std::set<std::string> operations;
  std::string line;
  std::string path;
  bool in_paths = false;
  while (std::getline(file, line)) {
    if (!line.empty() && line[0] != ' ') in_paths = line == "paths:";
    if (!in_paths) continue;
    if (line.starts_with("  /")) path = line.substr(2, line.find(':') - 2);
    for (std::string method : {"get", "post", "put", "patch", "delete"}) {
      if (!line.starts_with("    " + method + ":")) continue;
      std::ranges::transform(method, method.begin(), ::toupper);
      operations.insert(method + " " + path);
    }
  }
  return operations;
}

TEST(Routes, AreThoseOfTheDescription) {
  std::set<std::string> served;
  for (const auto& [method, pattern] : route_names()) {
    served.insert(std::string(method) + " " + std::string(pattern));
  }
  EXPECT_EQ(served, described());
  EXPECT_EQ(served.size(), route_names().size());
}

} // namespace
} // namespace perdure::api
