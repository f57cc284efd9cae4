// Runs every *.case file. PERDURE_REFRESH=1 writes what is found now into the files: read the
// difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cases/case_file.h"

namespace perdure::cases {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Cases : public testing::TestWithParam<fs::path> {};

TEST_P(Cases, GivesTheFactsItSays) {
  const auto expected = read_file(GetParam());
  const auto found = run_case(expected);
  EXPECT_EQ(found.find("\n  !"), std::string::npos) << found;
  if (std::getenv("PERDURE_REFRESH") != nullptr) {
    std::ofstream(GetParam(), std::ios::binary) << found;
    return;
  }
  EXPECT_EQ(expected, found);
}

std::vector<fs::path> case_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(PERDURE_SOURCE_DIR "/tests/cases")) {
    if (entry.path().extension() == ".case") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string test_name(const testing::TestParamInfo<fs::path>& info) {
  auto name = info.param.stem().string();
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Cases, testing::ValuesIn(case_files()), test_name);

} // namespace
} // namespace perdure::cases
