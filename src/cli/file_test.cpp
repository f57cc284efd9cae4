#include "cli/file.h"

#include <gtest/gtest.h>

namespace perdure::cli {
namespace {

TEST(File, MissingFilesAndFoldersAreToldApart) {
  EXPECT_EQ(read_file("/no/such/file").error().code, ErrorCode::not_found);
  EXPECT_EQ(read_file("/tmp").error().code, ErrorCode::invalid_input);
  EXPECT_EQ(read_file("/dev/zero").error().code, ErrorCode::invalid_input);
  EXPECT_EQ(*read_file("/dev/null"), "");
}

TEST(File, NameIsWhatFollowsTheLastSlash) {
  EXPECT_EQ(file_name("a/b/c.bpmn"), "c.bpmn");
  EXPECT_EQ(file_name("c.bpmn"), "c.bpmn");
}

TEST(File, ShellWordsAreQuotedWhenTheyNeedIt) {
  EXPECT_EQ(shell_quoted("/data/orders-1"), "/data/orders-1");
  EXPECT_EQ(shell_quoted("my data"), "'my data'");
  EXPECT_EQ(shell_quoted("it's; rm"), "'it'\\''s; rm'");
  EXPECT_EQ(shell_quoted(""), "''");
}

} // namespace
} // namespace perdure::cli
