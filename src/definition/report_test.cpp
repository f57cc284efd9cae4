// Reports: order, bound, and the text that a person reads.
#include "definition/report.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/enum_text.h"

namespace perdure::definition {
namespace {

TEST(Report, InDocumentOrderAndStable) {
  Report report;
  report.error(Code::no_start, {5, 1}, "c", "c.");
  report.warning(Code::unreachable_node, {2, 9}, "b", "b.");
  report.error(Code::missing_id, {2, 3}, "a1", "a.");
  report.error(Code::bad_timer, {2, 3}, "a2", "a.");
  EXPECT_TRUE(report.has_errors());
  const auto found = std::move(report).take("x.bpmn");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].element_id, "a1");
  EXPECT_EQ(found[1].element_id, "a2");
  EXPECT_EQ(found[2].element_id, "b");
  EXPECT_EQ(found[3].element_id, "c");
  EXPECT_EQ(found[2].severity, Severity::warning);
  EXPECT_EQ(found[3].file, "x.bpmn");
}

TEST(Report, WarningsAreNoErrors) {
  Report report;
  report.warning(Code::unreachable_node, {1, 1}, "a", "a.");
  EXPECT_FALSE(report.has_errors());
}

TEST(Report, AHundredAtMostAndTheRestIsCounted) {
  Report report;
  for (int line = 1; line <= 150; ++line)
    report.error(Code::no_start, {line, 1}, "x", "x.");
  const auto found = std::move(report).take({});
  ASSERT_EQ(found.size(), Report::kMaxDiagnostics);
  EXPECT_EQ(found[98].line, 99);
  EXPECT_EQ(found[99].code, "more_diagnostics");
  EXPECT_EQ(found[99].message,
            "51 more diagnostics were left out: mend these first and deploy again.");
  EXPECT_EQ(found[99].severity, Severity::warning);
}

TEST(Report, AnErrorBehindManyWarningsStaysVisible) {
  Report report;
  for (int line = 1; line <= 150; ++line) {
    report.warning(Code::unreachable_node, {line, 1}, "x", "x.");
  }
  report.error(Code::no_start, {200, 1}, "x", "x.");
  const auto found = std::move(report).take({});
  ASSERT_EQ(found.size(), Report::kMaxDiagnostics);
  EXPECT_EQ(found.back().severity, Severity::error);
}

TEST(Diagnostic, Text) {
  const Diagnostic full{.code = "unsupported_element",
                        .message = "Remove it.",
                        .element_id = "Task_1",
                        .line = 12,
                        .column = 5,
                        .file = "order.bpmn",
                        .severity = Severity::error};
  EXPECT_EQ(to_text(full), "order.bpmn:12:5: error unsupported_element [Task_1]: Remove it.");
  const Diagnostic bare{.code = "empty_file",
                        .message = "Empty.",
                        .element_id = {},
                        .line = 0,
                        .column = 0,
                        .file = {},
                        .severity = Severity::warning};
  EXPECT_EQ(to_text(bare), "model: warning empty_file: Empty.");
}

TEST(Quoted, ShortensBetweenCharacters) {
  EXPECT_EQ(in_quotes("a"), "`a`");
  std::string text = "x";
  while (text.size() < 300)
    text += "\u00e4";
  const auto shown = in_quotes(text);
  EXPECT_EQ(shown, "`" + text.substr(0, 199) + "...`");
}

TEST(Code, NamesAreDistinct) {
  const auto names = enum_names(Code{});
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Code::more_diagnostics) + 1);
  EXPECT_EQ(std::set<std::string_view>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(name_of(Code::unreachable_node), "unreachable_node");
  EXPECT_EQ(name_of(Code::unsupported_element), "unsupported_element");
}

} // namespace
} // namespace perdure::definition
