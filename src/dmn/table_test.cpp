// Decision tables: every hit policy and aggregator, and what tables do with wrong values.
#include "dmn/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dmn/model_for_tests.h"

namespace perdure::dmn {
namespace {

using for_tests::decide;
using for_tests::decision;
using for_tests::file;
using for_tests::input;
using for_tests::read_all;
using for_tests::requires_input;
using for_tests::Result;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string cell(std::string_view element, std::string_view text) {
  return "<" + std::string(element) + "><text><![CDATA[" + std::string(text) + "]]></text></" +
         std::string(element) + ">";
}

/// A table over the number `n`; the rules are pairs of input entry and output entry.
std::string table(std::string_view attributes,
                  const std::vector<std::pair<std::string, std::string>>& rules,
                  std::string_view output = "<output/>") {
  std::string text = "<decisionTable " + std::string(attributes) + "><input>" +
                     cell("inputExpression", "n") + "</input>" + std::string(output);
  int number = 0;
  for (const auto& [test, result] : rules) {
    text += "<rule id='r" + std::to_string(++number) + "'>" + cell("inputEntry", test) +
            cell("outputEntry", result) + "</rule>";
  }
  return file(input("n", "number") +
              decision("d", requires_input("n") + text + "</decisionTable>"));
}

Result run(const std::string& document, int n) {
  const auto reading = read_all({document});
  for (const auto& found : reading.diagnostics)
    ADD_FAILURE() << definition::to_text(found);
  return decide(reading.model, "d", "{\"n\": " + std::to_string(n) + "}");
}

std::vector<std::string> matched(const Result& result) {
  std::vector<std::string> rules;
  for (const auto& rule : result.trace.back().rules)
    rules.push_back(std::to_string(rule.number) + rule.id);
  return rules;
}

const std::vector<std::pair<std::string, std::string>> kRules = {
    {"> 1", "\"b\""}, {"> 10", "\"a\""}, {"> 100", "\"b\""}};

TEST(Table, Unique) {
  const auto document = table("hitPolicy='UNIQUE'", kRules);
  EXPECT_EQ(run(document, 5).value, "\"b\"");
  EXPECT_THAT(matched(run(document, 5)), ElementsAre("1r1"));
  EXPECT_EQ(run(document, 0).value, "null");
  EXPECT_THAT(run(document, 0).reasons, IsEmpty());
  const auto twice = run(document, 50);
  EXPECT_EQ(twice.value, "null");
  EXPECT_THAT(twice.reasons, ElementsAre(HasSubstr("The rules 1 and 2 both match")));
  EXPECT_THAT(matched(twice), ElementsAre("1r1", "2r2"));
}

TEST(Table, UniqueIsTheDefault) { EXPECT_EQ(run(table("", kRules), 50).value, "null"); }

TEST(Table, Any) {
  const auto document = table("hitPolicy='ANY'", {{"> 1", "1 + 1"}, {"> 2", "2"}, {"> 3", "3"}});
  EXPECT_EQ(run(document, 3).value, "2");
  const auto different = run(document, 4);
  EXPECT_EQ(different.value, "null");
  EXPECT_THAT(different.reasons, ElementsAre(HasSubstr("The rules 1 and 3 both match")));
}

TEST(Table, First) {
  const auto document = table("hitPolicy='FIRST'", kRules);
  EXPECT_EQ(run(document, 500).value, "\"b\"");
  EXPECT_THAT(matched(run(document, 500)), ElementsAre("1r1"));
}

TEST(Table, PriorityAndOutputOrder) {
  const auto output = "<output>" + cell("outputValues", "\"a\", \"b\"") + "</output>";
  EXPECT_EQ(run(table("hitPolicy='PRIORITY'", kRules, output), 500).value, "\"a\"");
  EXPECT_EQ(run(table("hitPolicy='OUTPUT ORDER'", kRules, output), 500).value, R"(["a","b","b"])");
}

TEST(Table, RuleOrderAndCollect) {
  EXPECT_EQ(run(table("hitPolicy='RULE ORDER'", kRules), 500).value, R"(["b","a","b"])");
  EXPECT_EQ(run(table("hitPolicy='COLLECT'", kRules), 500).value, R"(["b","a","b"])");
}

TEST(Table, Aggregators) {
  const std::vector<std::pair<std::string, std::string>> rules = {
      {"> 1", "20"}, {"> 2", "0.5"}, {"> 3", "7"}};
  const auto collect = [&](const std::string& aggregation, int n) {
    return run(table("hitPolicy='COLLECT' aggregation='" + aggregation + "'", rules), n).value;
  };
  EXPECT_EQ(collect("SUM", 9), "27.5");
  EXPECT_EQ(collect("MIN", 9), "0.5");
  EXPECT_EQ(collect("MAX", 9), "20");
  EXPECT_EQ(collect("COUNT", 9), "3");
  EXPECT_EQ(collect("SUM", 2), "20");
  EXPECT_EQ(collect("SUM", 0), "null");
  EXPECT_EQ(collect("COUNT", 0), "0");
}

TEST(Table, AggregatorsOfWhatIsNoNumber) {
  const auto mixed =
      run(table("hitPolicy='COLLECT' aggregation='SUM'", {{"-", "1"}, {"-", "\"x\""}}), 1);
  EXPECT_EQ(mixed.value, "null");
  EXPECT_THAT(mixed.reasons, Not(IsEmpty()));
}

TEST(Table, DefaultOutput) {
  const auto output = "<output>" + cell("defaultOutputEntry", "\"none\"") + "</output>";
  EXPECT_EQ(run(table("", kRules, output), 0).value, "\"none\"");
  EXPECT_EQ(run(table("", kRules, output), 5).value, "\"b\"");
}

TEST(Table, OutputsThatAreNotAllowed) {
  const auto output = "<output>" + cell("outputValues", "\"a\"") + "</output>";
  const auto wrong = run(table("", kRules, output), 5);
  EXPECT_EQ(wrong.value, "null");
  EXPECT_THAT(wrong.reasons, ElementsAre(HasSubstr("none of the allowed output values")));
}

TEST(Table, OutputsOfTheWrongType) {
  const auto wrong = run(table("", kRules, "<output typeRef='number'/>"), 5);
  EXPECT_EQ(wrong.value, "null");
  EXPECT_THAT(wrong.reasons, ElementsAre(HasSubstr("The table's output is a text")));
}

TEST(Table, InputsThatAreNotAllowed) {
  const auto document =
      file(input("n", "number") +
           decision("d", requires_input("n") + "<decisionTable><input>" +
                             cell("inputExpression", "n") + cell("inputValues", "1, 2, [5..9]") +
                             "</input><output/><rule>" + cell("inputEntry", "-") +
                             cell("outputEntry", "n") + "</rule></decisionTable>"));
  EXPECT_EQ(run(document, 2).value, "2");
  EXPECT_EQ(run(document, 7).value, "7");
  const auto wrong = run(document, 3);
  EXPECT_EQ(wrong.value, "null");
  EXPECT_THAT(wrong.reasons, ElementsAre(HasSubstr("`n` is none of its allowed values")));
}

TEST(Table, SeveralOutputsMakeAContext) {
  const auto document =
      file(input("n", "number") +
           decision("d", requires_input("n") + "<decisionTable hitPolicy='COLLECT'><input>" +
                             cell("inputExpression", "n") +
                             "</input><output name='x'/><output name='the y'/><rule>" +
                             cell("inputEntry", "1") + cell("outputEntry", "n + 1") +
                             cell("outputEntry", "") + "</rule><rule>" + cell("inputEntry", "") +
                             cell("outputEntry", "true") + cell("outputEntry", "\"z\"") +
                             "</rule></decisionTable>"));
  EXPECT_EQ(run(document, 1).value, R"([{"x":2,"the y":null},{"x":true,"the y":"z"}])");
  EXPECT_THAT(read_all({document}).model->decisions()[0].outputs, ElementsAre("x", "the y"));
}

TEST(Table, PrioritiesOfSeveralOutputsCountFromTheLeft) {
  const auto document = file(
      input("n", "number") +
      decision("d", requires_input("n") + "<decisionTable hitPolicy='OUTPUT ORDER'><input>" +
                        cell("inputExpression", "n") + "</input><output name='x'>" +
                        cell("outputValues", "1, 2") + "</output><output name='y'>" +
                        cell("outputValues", "\"b\", \"a\"") + "</output><rule>" +
                        cell("inputEntry", "-") + cell("outputEntry", "2") +
                        cell("outputEntry", "\"b\"") + "</rule><rule>" + cell("inputEntry", "-") +
                        cell("outputEntry", "1") + cell("outputEntry", "\"a\"") + "</rule><rule>" +
                        cell("inputEntry", "-") + cell("outputEntry", "1") +
                        cell("outputEntry", "\"b\"") + "</rule></decisionTable>"));
  EXPECT_EQ(run(document, 1).value, R"([{"x":1,"y":"b"},{"x":1,"y":"a"},{"x":2,"y":"b"}])");
}

/// The same input against constants, which are compared directly, and against expressions.
TEST(Table, ConstantsAndExpressionsMatchAlike) {
  const std::vector<std::string> tests = {"\"a\"",  "\"a\", \"b\"", "1",      "-1",   "1, 2",
                                          "[1..5]", "]1..5[",       "(1..5]", "< 3",  "<= 1",
                                          "> 3",    ">= 5, 1",      "true",   "null", "[1, 2]",
                                          "1.0",    "\"\"",         "!= 1",   "= 1"};
  const std::vector<std::string> inputs = {"\"a\"", "\"b\"",  "\"\"", "0",    "1",
                                           "1.0",   "3",      "5",    "-1",   "true",
                                           "null",  "[1, 2]", "[1]",  "\"1\""};
  std::string rules;
  for (const auto& test : tests) {
    rules += "<rule>" + cell("inputEntry", test) + cell("inputEntry", "-") +
             cell("outputEntry", "1") + "</rule><rule>" + cell("inputEntry", "-") +
             cell("inputEntry", "? in (" + test + ")") + cell("outputEntry", "2") + "</rule>";
  }
  const auto input_element = "<input>" + cell("inputExpression", "v") + "</input>";
  const auto model = read_all({file(
      input("v", "Any") +
      decision("d", requires_input("v") + "<decisionTable hitPolicy='COLLECT'>" + input_element +
                        input_element + "<output/>" + rules + "</decisionTable>"))});
  ASSERT_TRUE(model.is_sound()) << definition::to_text(model.diagnostics[0]);
  for (const auto& value : inputs) {
    const auto result = decide(model.model, "d", "{\"v\": " + value + "}");
    std::vector<bool> matched(tests.size() * 2);
    for (const auto& rule : result.trace.back().rules)
      matched[static_cast<std::size_t>(rule.number) - 1] = true;
    for (std::size_t i = 0; i < tests.size(); ++i)
      EXPECT_EQ(matched[2 * i], matched[2 * i + 1]) << value << " against " << tests[i];
  }
}

TEST(Table, WhatDoesNotFitTogetherIsRefused) {
  const auto refused = [](const std::string& document) {
    const auto reading = read_all({document});
    EXPECT_FALSE(reading.diagnostics.empty());
    for (const auto& found : reading.diagnostics)
      EXPECT_TRUE(found.code == "bad_table" || found.code == "missing_name") << found.code;
    const auto result = decide(reading.model, "d", "{\"n\": 1}");
    EXPECT_EQ(result.value, "null");
    EXPECT_FALSE(result.reasons.empty());
  };
  refused(table("hitPolicy='LAST'", kRules));
  refused(table("hitPolicy='COLLECT' aggregation='AVERAGE'", kRules));
  refused(table("hitPolicy='PRIORITY'", kRules));
  refused(table("", kRules, ""));
  refused(table("", kRules, "<output name='a'/><output name='b'/>"));
  refused(table("", kRules, "<output name='a'/><output/>"));
}

TEST(Table, OneBadEntryRefusesTheTable) {
  const auto reading = read_all({table("", {{"1", "1"}, {"2 +", "2"}})});
  ASSERT_EQ(reading.diagnostics.size(), 1U);
  EXPECT_EQ(reading.diagnostics[0].code, "bad_expression");
  EXPECT_EQ(decide(reading.model, "d", "{\"n\": 1}").value, "null");
}

} // namespace
} // namespace perdure::dmn
