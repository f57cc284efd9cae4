#include "cli/text_table.h"

#include <gtest/gtest.h>

namespace perdure::cli {
namespace {

TEST(TextTable, AlignsByCodePointsAndLeavesNoSpacesAtTheEnd) {
  TextTable table({{"NAME"}, {"N", Align::right}, {"STATUS"}});
  table.add({"Größe", "7", "running"});
  table.add({"a", "1200", ""});
  EXPECT_EQ(table.text(),
            "NAME      N  STATUS\n"
            "Größe     7  running\n"
            "a      1200\n");
}

TEST(TextTable, DataCannotMoveTheCursor) {
  TextTable table({{"A"}});
  table.add({"x\x1b[2J\n\ty\x7f"});
  EXPECT_EQ(table.text(), "A\nx [2J  y\n");
  EXPECT_EQ(printable("a\xC2\x9B"
                      "b"),
            "a\xC2\xA0"
            "b");
}

TEST(TextTable, EmptyTableHasItsTitles) { EXPECT_EQ(TextTable({{"A"}, {"B"}}).text(), "A  B\n"); }

TEST(Shortened, CutsCodePoints) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefg", 6), "abc...");
  EXPECT_EQ(shortened("äöüäöüä", 6), "äöü...");
  EXPECT_EQ(shortened("abcd", 2), "..");
}

} // namespace
} // namespace perdure::cli
