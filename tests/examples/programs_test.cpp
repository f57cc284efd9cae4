// The programs of examples/ as a person runs them.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "embedded/place.h"

namespace perdure::examples {
namespace {

using cli_test::run_program;
using cli_test::TemporaryFolder;

TEST(ExamplePrograms, TheSagaGivesBackWhatItBooked) {
  const TemporaryFolder folder;
  const auto first = run_program(SAGA_EXAMPLE, {folder.path("trips.db")});
  EXPECT_EQ(first.code, 0) << first.error;
  EXPECT_EQ(first.out,
            "booked: flight\nbooked: hotel\ncancelled: hotel of t-1\n"
            "cancelled: flight of t-1\n"
            "SoldOut: there is no car left in that city\n");
  const auto second = run_program(SAGA_EXAMPLE, {folder.path("trips.db")});
  EXPECT_EQ(second.out, "SoldOut: there is no car left in that city\n") << "it is the same trip";
}

TEST(ExamplePrograms, TheApprovalIsGiven) {
  const TemporaryFolder folder;
  const auto ended = run_program(APPROVAL_EXAMPLE, {folder.path("expenses.db")});
  EXPECT_EQ(ended.code, 0) << ended.error;
  EXPECT_EQ(ended.out, "to manager: please decide on e-1\npaid: e-1\napproved by manager\n");
}

TEST(ExamplePrograms, TheFanOutCountsWords) {
  const TemporaryFolder folder;
  const auto ended = run_program(FAN_OUT_EXAMPLE, {folder.path("pages.db")});
  EXPECT_EQ(ended.code, 0) << ended.error;
  EXPECT_EQ(ended.out, "10 pages, 40 words, 0 failed\n");
}

TEST(ExamplePrograms, TheAgentEndsWithItsInput) {
  const TemporaryFolder folder;
  const auto ended = run_program(AGENT_EXAMPLE, {folder.path("talks.db")});
  EXPECT_EQ(ended.code, 0) << ended.error;
}

TEST(ExamplePrograms, AllOfThemShareAPostgresDatabase) {
  std::string why;
  const auto url = test::new_database_url(why);
  if (url.empty()) GTEST_SKIP() << why;
  const auto expect = [&](const char* program, const std::string& out) {
    const auto ended = run_program(program, {url});
    EXPECT_EQ(ended.code, 0) << ended.error;
    EXPECT_EQ(ended.out, out);
  };
  expect(SAGA_EXAMPLE,
         "booked: flight\nbooked: hotel\ncancelled: hotel of t-1\ncancelled: flight of t-1\n"
         "SoldOut: there is no car left in that city\n");
  expect(SAGA_EXAMPLE, "SoldOut: there is no car left in that city\n");
  expect(APPROVAL_EXAMPLE, "to manager: please decide on e-1\npaid: e-1\napproved by manager\n");
  expect(FAN_OUT_EXAMPLE, "10 pages, 40 words, 0 failed\n");
  expect(AGENT_EXAMPLE, "");
}

} // namespace
} // namespace perdure::examples
