// Evaluation: boxed expressions, requirements, services, types, traces and limits.
#include "dmn/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dmn/model_for_tests.h"
#include "dmn/outcome_value.h"

namespace perdure::dmn {
namespace {

using for_tests::decide;
using for_tests::decide_one;
using for_tests::decision;
using for_tests::feel;
using for_tests::file;
using for_tests::input;
using for_tests::read_all;
using for_tests::requires_decision;
using for_tests::requires_input;
using for_tests::requires_knowledge;
using for_tests::sound;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string entry(std::string_view name, std::string_view expression,
                  std::string_view type = "Any") {
  return "<contextEntry><variable name='" + std::string(name) + "' typeRef='" + std::string(type) +
         "'/>" + std::string(expression) + "</contextEntry>";
}

TEST(Boxed, Context) {
  EXPECT_EQ(
      decide_one("<context>" + entry("a b", feel("1")) + entry("c", feel("a b + 1")) + "</context>")
          .value,
      R"({"a b":1,"c":2})");
  EXPECT_EQ(decide_one("<context>" + entry("a", feel("1")) + "<contextEntry>" + feel("a + 5") +
                       "</contextEntry></context>")
                .value,
            "6");
  const auto typed = decide_one("<context>" + entry("a", feel("1"), "string") + "</context>");
  EXPECT_EQ(typed.value, R"({"a":null})");
  EXPECT_THAT(typed.reasons, ElementsAre(HasSubstr("which is not of the type `string`")));
}

TEST(Boxed, InnerNamesHideOuterOnes) {
  EXPECT_EQ(decide_one("<context>" + entry("a", feel("1")) +
                       entry("b", "<context>" + entry("a", feel("a + 10")) + entry("c", feel("a")) +
                                      "</context>") +
                       entry("d", feel("a")) + "</context>")
                .value,
            R"({"a":1,"b":{"a":11,"c":11},"d":1})");
}

TEST(Boxed, RelationAndList) {
  EXPECT_EQ(
      decide_one("<relation><column name='a'/><column name='b'/><row>" + feel("1") + feel("\"x\"") +
                 "</row><row>" + feel("2") + feel("null") + "</row></relation>")
          .value,
      R"([{"a":1,"b":"x"},{"a":2,"b":null}])");
  EXPECT_EQ(decide_one("<list>" + feel("1") + "<list>" + feel("2") + "</list></list>").value,
            "[1,[2]]");
  EXPECT_EQ(decide_one("<list/>").value, "[]");
}

TEST(Boxed, FunctionsSeeWhatStandsAroundThem) {
  const auto function = "<functionDefinition><formalParameter name='x' typeRef='number'/>" +
                        feel("x * factor") + "</functionDefinition>";
  const auto with_result = [&](std::string_view expression) {
    return decide_one("<context>" + entry("factor", feel("3")) + entry("f", function) +
                      "<contextEntry>" + std::string(expression) + "</contextEntry></context>");
  };
  EXPECT_EQ(with_result(feel("f(4)")).value, "12");
  EXPECT_EQ(with_result(feel("f(x: 5)")).value, "15");
  const auto wrong = with_result(feel("f(\"a\")"));
  EXPECT_EQ(wrong.value, "null");
  EXPECT_THAT(wrong.reasons, Not(IsEmpty()));
  const std::string call = "<invocation>" + feel("f");
  EXPECT_EQ(
      with_result(call + "<binding><parameter name='x'/>" + feel("6") + "</binding></invocation>")
          .value,
      "18");
  const auto unknown =
      with_result(call + "<binding><parameter name='y'/>" + feel("6") + "</binding></invocation>");
  EXPECT_EQ(unknown.value, "null");
  EXPECT_THAT(unknown.reasons, ElementsAre(HasSubstr("no parameter `y`")));
}

TEST(Boxed, Conditional) {
  const auto choose = [](std::string_view condition) {
    return decide_one("<conditional><if>" + feel(condition) + "</if><then>" + feel("1") +
                      "</then><else>" + feel("2") + "</else></conditional>");
  };
  EXPECT_EQ(choose("1 < 2").value, "1");
  EXPECT_EQ(choose("1 > 2").value, "2");
  EXPECT_EQ(choose("null").value, "2");
  EXPECT_EQ(choose("7").value, "null");
  EXPECT_THAT(choose("7").reasons, ElementsAre(HasSubstr("a number where a boolean is needed")));
}

TEST(Boxed, Filter) {
  const auto filter = [](std::string_view list, std::string_view match) {
    return decide_one("<filter><in>" + feel(list) + "</in><match>" + feel(match) +
                      "</match></filter>");
  };
  EXPECT_EQ(filter("[1, 2, 3]", "item > 1").value, "[2,3]");
  EXPECT_EQ(filter("[{a: 1}, {a: 2}]", "a > 1").value, "[{\"a\":2}]");
  EXPECT_EQ(filter("[{a: 1}, {a: 2}]", "a > 1 and item.a = 2").value, "[{\"a\":2}]");
  EXPECT_EQ(filter("[1]", "\"x\"").value, "null");
  EXPECT_EQ(filter("7", "true").value, "null");
}

TEST(Boxed, FilterByEntriesWithSpacesAndNamesOutside) {
  const auto result = decide_one(
      "<context>" + entry("the limit", feel("1")) + entry("x", feel("100")) +
      entry("list", "<relation><column name='net total'/><column name='x'/><row>" + feel("1") +
                        feel("1") + "</row><row>" + feel("2") + feel("2") + "</row></relation>") +
      entry("found", "<filter><in>" + feel("list") + "</in><match>" +
                         feel("net total > the limit and x < 100") + "</match></filter>") +
      "<contextEntry>" + feel("found") + "</contextEntry></context>");
  EXPECT_EQ(result.value, R"([{"net total":2,"x":2}])");
}

TEST(Boxed, FunctionsOfFeelKeepWhatStandsAroundThem) {
  EXPECT_EQ(decide_one("<context>" + entry("factor", feel("3")) +
                       entry("f", feel("function(x) x * factor")) +
                       entry("all", feel("for i in [1, 2] return f(i)")) + "<contextEntry>" +
                       feel("all") + "</contextEntry></context>")
                .value,
            "[3,6]");
}

TEST(Boxed, Iterations) {
  const auto iterate = [](const std::string& kind, std::string_view list, std::string_view body) {
    const std::string part = kind == "for" ? "return" : "satisfies";
    return decide_one("<" + kind + " iteratorVariable='the item'><in>" + feel(list) + "</in><" +
                      part + ">" + feel(body) + "</" + part + "></" + kind + ">");
  };
  EXPECT_EQ(iterate("for", "[1, 2, 3]", "the item * 2").value, "[2,4,6]");
  EXPECT_EQ(iterate("for", "[1, 2, 3]", "count(partial)").value, "[0,1,2]");
  EXPECT_EQ(iterate("for", "7", "1").value, "null");
  EXPECT_EQ(iterate("some", "[1, 2]", "the item = 2").value, "true");
  EXPECT_EQ(iterate("some", "[]", "true").value, "false");
  EXPECT_EQ(iterate("every", "[1, 2]", "the item > 0").value, "true");
  EXPECT_EQ(iterate("every", "[1, 2]", "the item > 1").value, "false");
  EXPECT_EQ(iterate("every", "[]", "false").value, "true");
  EXPECT_EQ(iterate("some", "[1, 2]", "if the item = 2 then true else 7").value, "null");
}

TEST(Decide, EachDecisionOnceAndOnlyWhatIsNeeded) {
  const auto model =
      sound({file(input("n", "number") + decision("a", requires_input("n") + feel("n + 1")) +
                  decision("b", requires_decision("a") + feel("a * 2")) +
                  decision("c", requires_decision("a") + feel("a * 3")) +
                  decision("d", requires_decision("b") + requires_decision("c") + feel("b + c")) +
                  decision("other", feel("1")))});
  const auto result = decide(model, "d", "{\"n\": 1}");
  EXPECT_EQ(result.value, "10");
  std::vector<std::string> evaluated;
  for (const auto& step : result.trace)
    evaluated.push_back(step.name);
  EXPECT_THAT(evaluated, ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(result.trace[3].inputs, (Object{{"b", 4}, {"c", 6}}));
  EXPECT_EQ(result.trace[3].output, Value(10));
}

TEST(Decide, UnknownNamesSayWhichThereAre) {
  const auto model = sound({file(decision("a", feel("1")) + decision("b", feel("2")))});
  const auto outcome = evaluate(*model, "x", {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error(), "The model has no decision `x`; it has `a`, `b`.");
}

TEST(Decide, MissingInputsAreNull) {
  const auto model =
      sound({file(input("n", "number") + decision("d", requires_input("n") + feel("n = null")))});
  EXPECT_EQ(decide(model, "d").value, "true");
}

TEST(Decide, InputsOfTheWrongTypeAreNullWithAReason) {
  const auto model =
      sound({file(input("n", "number") + decision("d", requires_input("n") + feel("n = null")))});
  const auto result = decide(model, "d", "{\"n\": \"x\"}");
  EXPECT_EQ(result.value, "true");
  EXPECT_THAT(result.reasons, ElementsAre(HasSubstr("The input `n` is a text")));
}

TEST(Decide, TextsBecomeDatesWhereTheTypeDemandsIt) {
  const auto model =
      sound({file("<itemDefinition name='tTrip'><itemComponent name='days' isCollection='true'>"
                  "<typeRef>date</typeRef></itemComponent></itemDefinition>" +
                  input("day", "date") + input("trip", "tTrip") +
                  decision("d", requires_input("day") + requires_input("trip") +
                                    feel("day.year + trip.days[1].month")))});
  EXPECT_EQ(decide(model, "d", R"({"day": "2024-02-29", "trip": {"days": ["2030-05-01"]}})").value,
            "2029");
  const auto wrong = decide(model, "d", R"({"day": "soon", "trip": {"days": []}})");
  EXPECT_EQ(wrong.value, "null");
  EXPECT_THAT(wrong.reasons[0], HasSubstr("The input `day` is a text"));
}

TEST(Decide, VariablesThatNoInputDataNamesAreSeen) {
  const auto model = sound({file(input("known", "number") + decision("d", feel("amount + 1")) +
                                 decision("e", feel("known")))});
  EXPECT_EQ(decide(model, "d", "{\"amount\": 4}").value, "5");
  EXPECT_EQ(decide(model, "e", "{\"known\": 4}").value, "null"); // it is not required
}

TEST(Decide, GivenValuesDoNotReplaceDecisions) {
  const auto model =
      sound({file(decision("a", feel("1")) + decision("b", requires_decision("a") + feel("a")))});
  EXPECT_EQ(decide(model, "b", "{\"a\": 7}").value, "1");
}

TEST(Decide, ValuesOfTheWrongTypeAreNull) {
  const auto wrong = decide_one(feel("1"), "string");
  EXPECT_EQ(wrong.value, "null");
  EXPECT_THAT(wrong.reasons,
              ElementsAre("The value of the decision `d` is a number, which is not of the type "
                          "`string`, so it counts as null."));
  EXPECT_EQ(decide_one(feel("[1]"), "number").value, "1");
  EXPECT_EQ(decide_one(feel("date(\"2024-01-01\")"), "date and time").value,
            "\"2024-01-01T00:00:00Z\"");
}

TEST(Decide, AllowedValues) {
  const auto model = sound(
      {file("<itemDefinition name='tGrade'><typeRef>string</typeRef><allowedValues>"
            "<text>\"A\", \"B\"</text></allowedValues></itemDefinition>"
            "<itemDefinition name='tGrades' isCollection='true'><typeRef>tGrade</typeRef>"
            "</itemDefinition><itemDefinition name='tTwo' isCollection='true'>"
            "<typeRef>number</typeRef><allowedValues><text>&gt; 0</text></allowedValues>"
            "<typeConstraint><text>count(?) = 2</text></typeConstraint></itemDefinition>" +
            decision("good", feel("\"A\""), "tGrade") + decision("bad", feel("\"C\""), "tGrade") +
            decision("goods", feel("[\"A\", \"B\"]"), "tGrades") +
            decision("bads", feel("[\"A\", \"C\"]"), "tGrades") +
            decision("two", feel("[1, 2]"), "tTwo") + decision("three", feel("[1, 2, 3]"), "tTwo") +
            decision("zero", feel("[0, 1]"), "tTwo"))});
  EXPECT_EQ(decide(model, "good").value, "\"A\"");
  EXPECT_EQ(decide(model, "bad").value, "null");
  EXPECT_EQ(decide(model, "goods").value, "[\"A\",\"B\"]");
  EXPECT_EQ(decide(model, "bads").value, "null");
  EXPECT_EQ(decide(model, "two").value, "[1,2]");
  EXPECT_EQ(decide(model, "three").value, "null");
  EXPECT_EQ(decide(model, "zero").value, "null");
}

TEST(Decide, WarningsNameTheirPlace) {
  const auto model =
      sound({file("\n<decision id='d' name='d'>\n<literalExpression id='x'>\n"
                  "<text>1 + null</text></literalExpression></decision>")});
  const auto outcome = evaluate(*model, "d", {});
  ASSERT_TRUE(outcome);
  ASSERT_EQ(outcome->warnings.size(), 1U);
  const auto& warning = outcome->warnings[0];
  EXPECT_EQ(warning.element, "d");
  EXPECT_EQ(warning.element_id, "x");
  EXPECT_EQ(warning.place.line, 5);
  EXPECT_EQ(warning.file, "m0.dmn");
  EXPECT_GT(warning.warning.column, 0);
}

TEST(Service, TakesInputsAndDecisionsAsParameters) {
  const auto service =
      "<decisionService id='s' name='s'><outputDecision href='#c'/>"
      "<encapsulatedDecision href='#b'/><inputDecision href='#a'/>"
      "<inputData href='#n'/></decisionService>";
  const auto model = sound(
      {file(input("n", "number") + decision("a", feel("1"), "number") +
            decision("b", requires_decision("a") + requires_input("n") + feel("a * 100 + n")) +
            decision("c", requires_decision("b") + feel("b + 1")) + service +
            decision("user", requires_knowledge("s") + feel("s(5, 2)")) +
            decision("named", requires_knowledge("s") + feel("s(a: 3, n: 5)")))});
  EXPECT_EQ(decide(model, "user").value, "206");
  EXPECT_EQ(decide(model, "named").value, "306");
  EXPECT_EQ(decide(model, "s", "{\"n\": 5, \"a\": 4}").value, "406");
  EXPECT_EQ(decide(model, "c", "{\"n\": 5}").value, "106");
}

TEST(Service, SeveralOutputsMakeAContext) {
  const auto model = sound({file(decision("a", feel("1")) + decision("b", feel("2")) +
                                 "<decisionService id='s' name='s'><outputDecision href='#a'/>"
                                 "<outputDecision href='#b'/></decisionService>")});
  EXPECT_EQ(decide(model, "s").value, R"({"a":1,"b":2})");
}

TEST(Service, ThatNeedsItselfEndsInAFailure) {
  const auto model = sound({file(decision("a", requires_knowledge("s") + feel("s()")) +
                                 "<decisionService id='s' name='s'><outputDecision href='#a'/>"
                                 "</decisionService>")});
  const auto result = decide(model, "a");
  EXPECT_EQ(result.value, "null");
  EXPECT_THAT(result.failure, Not(IsEmpty()));
}

TEST(Knowledge, MayCallItselfAsFarAsTheLimitsGo) {
  const auto model = sound({file(
      "<businessKnowledgeModel id='f' name='f'><encapsulatedLogic><formalParameter name='n'/>" +
      feel("if n < 2 then n else f(n - 1) + f(n - 2)") +
      "</encapsulatedLogic></businessKnowledgeModel>"
      "<businessKnowledgeModel id='g' name='g'><encapsulatedLogic><formalParameter name='n'/>" +
      feel("g(n + 1)") + "</encapsulatedLogic></businessKnowledgeModel>" +
      decision("ten", requires_knowledge("f") + feel("f(10)")) +
      decision("endless", requires_knowledge("g") + feel("g(0)")))});
  EXPECT_EQ(decide(model, "ten").value, "55");
  const auto endless = decide(model, "endless");
  EXPECT_EQ(endless.value, "null");
  EXPECT_THAT(endless.failure, HasSubstr("nested too deep"));
}

TEST(Limits, LongChainsOfDecisionsNeedNoStack) {
  std::string content = decision("d0", feel("1"));
  constexpr int kLength = 5'000;
  for (int i = 1; i <= kLength; ++i) {
    const auto before = "d" + std::to_string(i - 1);
    content += decision("d" + std::to_string(i), requires_decision(before) + feel(before));
  }
  const auto model = sound({file(content)});
  EXPECT_EQ(decide(model, "d" + std::to_string(kLength)).value, "1");
}

TEST(Limits, HostileWorkEnds) {
  const auto result =
      decide_one("<for iteratorVariable='a'><in>" + feel("for i in 1..3000 return i") +
                 "</in><return><for iteratorVariable='b'><in>" + feel("for i in 1..3000 return i") +
                 "</in><return>" + feel("a + b") + "</return></for></return></for>");
  EXPECT_EQ(result.value, "null");
  EXPECT_THAT(result.failure, HasSubstr("takes too long"));
}

TEST(OutcomeValue, IsPlainData) {
  const auto model = sound({file(decision("d", feel("1 + null")))});
  const auto outcome = evaluate(*model, "d", {});
  ASSERT_TRUE(outcome);
  const auto value = to_value("d", *outcome);
  EXPECT_EQ(*value.find("decision"), Value("d"));
  EXPECT_EQ(*value.find("value"), Value());
  EXPECT_EQ(value.find("warnings")->as<Array>()->size(), 1U);
  EXPECT_EQ(value.find("evaluated")->as<Array>()->size(), 1U);
  EXPECT_TRUE(value.find("error")->is_null());
}

} // namespace
} // namespace perdure::dmn
