// Names with spaces and marks, unary tests, functions and types: what depends on the names known.
#include "expr/names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "expr/feel_for_tests.h"

namespace perdure::expr {
namespace {

TEST(Names, HaveANormalForm) {
  EXPECT_EQ(normalised("a"), "a");
  EXPECT_EQ(normalised("Monthly \t Salary"), "Monthly Salary");
  EXPECT_EQ(normalised("a + b"), "a+b");
  EXPECT_EQ(normalised("Jim's 1st/2nd car"), "Jim's 1st/2nd car");
  EXPECT_EQ(normalised("pre - bureau"), "pre-bureau");
  EXPECT_EQ(normalised("a(b"), "a(b");
}

Names known(std::initializer_list<std::string_view> names) {
  Names result;
  for (const auto name : names)
    result.add(name);
  return result;
}

TEST(Names, TheLongestKnownOneIsMeant) {
  const Object variables{{"a", 1},         {"b", 2},        {"a-b", 10},
                         {"a b", 20},      {"a b-c", 30},   {"Jim's car", 40},
                         {"in stock", 50}, {"x/y.z*w", 60}, {"date and time", 70},
                         {"🐎 horse", 80}};
  const auto names = known({"a", "b", "a-b", "a b", "a b-c", "Jim's car", "in stock", "x/y.z*w",
                            "date and time", "🐎 horse"});
  for (const auto& [text, result] : std::initializer_list<FeelCase>{
           {"a - b", "10"},
           {"a-b", "10"},
           {"(a) - b", "-1"},
           {"a b", "20"},
           {"a  b", "20"},
           {"a b - c", "30"},
           {"a + b", "3"},
           {"a b + b", "22"},
           {"Jim's car", "40"},
           {"in stock + 1", "51"},
           {"b in (1, 2)", "true"},
           {"x/y.z*w", "60"},
           {"x / y . z * w", "60"},
           {"date and time + 1", "71"},
           {"🐎 horse", "80"},
           {"`a b`", "20"},
           {"if in stock > 1 then a b else b", "20"},
       }) {
    EXPECT_EQ(shown(text, names, variables), result) << text;
  }
}

TEST(Names, MembersAreKnownAfterAPointAndInFilters) {
  Names names = known({"people"});
  names.add_member("first name");
  names.add_member("name");
  const Object variables{
      {"people", Array{Object{{"first name", "Ada"}, {"name", "L"}}, Object{{"name", "T"}}}}};
  EXPECT_EQ(shown("people[1].first name", names, variables), R"("Ada")");
  EXPECT_EQ(shown("people[first name = \"Ada\"].name", names, variables), R"(["L"])");
  EXPECT_EQ(shown("{a b: 1}.a b", names, variables), "1");
  EXPECT_EQ(shown("{a b: {c+d: 1}}.a b.c+d", names, variables), "1");
  EXPECT_EQ(shown("people.first name", names, variables), R"(["Ada", null])");
}

TEST(Names, OfTheExpressionItself) {
  expect_feel({
      {"{a b: 1, c: a b + 1}.c", "2"},
      {"for my item in [1, 2] return my item * 2", "[2, 4]"},
      {"for x in [1, 2], y in [x] return x + y", "[2, 4]"},
      {"for i in 1..3 return if i = 1 then 1 else i * partial[-1]", "[1, 2, 6]"},
      {"some the x in [1] satisfies the x = 1", "true"},
      {"{f: function(a b: number, c) a b + c, r: f(1, 2)}.r", "3"},
      {"{f: function(a b: number, c) a b - c, r: f(c: 1, a b: 2)}.r", "1"},
      {"{fact: function(n) if n < 2 then 1 else n * fact(n - 1), r: fact(20)}.r",
       "2432902008176640000"},
      {"{add: function(x) function(y) x + y, r: add(1)(2)}.r", "3"},
      {"{x: 1, f: function() x, x2: 2, r: f()}.r", "1"},
      {"[{v: 1, w: [1, 2]}, {v: 2, w: [3]}][count(w[item > v]) = 1].v", "[1, 2]"},
      {"[1, 2, 3][item > 1][item < 3]", "[2]"},
      {"{a: 1, b: {a: 2, c: a}}.b.c", "2"},
  });
}

TEST(Functions, ArgumentsThatDoNotFit) {
  expect_feel({
      {"{f: function(a: string) a, r: f(1)}.r", "null:"},
      {"{f: function(a: number) a, r: f([1])}.r", "1"},
      {"{f: function(a: list<number>) a, r: f(1)}.r", "[1]"},
      {"{f: function(a) a, r: f()}.r", "null:"},
      {"{f: function(a) a, r: f(b: 1)}.r", "null:"},
      {"1(2)", "null:"},
      {"null()", "null:"},
      {"function(a) external {java: {class: \"x\"}}",
       "refused at 13: External functions (Java, PMML) cannot be called; write it in FEEL."},
      {"{f: function(n) f(n + 1), r: f(1)}.r",
       "error: The calls are nested too deep; does a function call itself?"},
  });
}

TEST(Types, InstanceOf) {
  expect_feel({
      {"1 instance of number", "true"},
      {"1 instance of Any", "true"},
      {"null instance of Any", "false"},
      {"null instance of Null", "true"},
      {"[1, null] instance of list<number>", "true"},
      {"[1, \"a\"] instance of list<number>", "false"},
      {"[1] instance of list", "true"},
      {"{a: 1, b: 2} instance of context<a: number>", "true"},
      {"{b: 2} instance of context<a: number>", "false"},
      {"[1..2] instance of range<number>", "true"},
      {"[1..2] instance of range<string>", "false"},
      {"(function(a: number) a) instance of function<number>->Any", "true"},
      {"(function(a: string) a) instance of function<number>->number", "false"},
      {"@\"P1D\" instance of days and time duration", "true"},
      {"@\"2024-01-01T00:00:00\" instance of date and time", "true"},
      {"1 + 1 instance of number", "true"},
      {"[[1]] instance of list<list<number>>", "true"},
  });
}

struct TestCase {
  std::string_view tests;
  Value input;
  std::string_view result;
};

TEST(UnaryTests, SayTrueOrFalseOfTheInput) {
  const TestCase cases[] = {
      {"-", 1, "true"},
      {"1", 1, "true"},
      {"1, 2, 3", 3, "true"},
      {"> 1", 1, "false"},
      {"< 1, > 5", 6, "true"},
      {"[1..5]", 5, "true"},
      {"[1..5), ]6..7]", 6, "false"},
      {"not(1, 2)", 3, "true"},
      {"not(> 1)", 3, "false"},
      {"not(\"a\")", "b", "true"},
      {"not(? = 1) and true", 2, "true"},
      {"? > 1 and ? < 3", 2, "true"},
      {"? in [1..2]", 2, "true"},
      {"string length(?) = 3", "abc", "true"},
      {"count(?) = 2", Array{1, 2}, "true"},
      {"null", nullptr, "true"},
      {"true", true, "true"},
      {"false", false, "true"},
      {"[1, 2]", 2, "true"},
      {"[1, 2]", Array{1, 2}, "true"},
      {"(< 5)", 4, "true"},
      {"!= 5", 4, "true"},
      {"= 5", 4, "false"},
      {"\"a\"", 1, "null: \"=\" has no meaning between a number and a text."},
      {"> \"a\"", 1, "null: \">\" has no meaning between a number and a text."},
      {"5 - 1", 4, "true"},
      {"-1", -1, "true"},
      {"> -1, -5", -5, "true"},
  };
  for (const auto& [tests, input, result] : cases) {
    const auto compiled = compile_unary_tests(tests, {});
    ASSERT_TRUE(compiled) << tests << ": " << compiled.error().message;
    const auto datum = Datum::of(input);
    EXPECT_EQ(shown(*compiled, {}, &datum), result) << tests;
  }
  for (const std::string_view wrong : {"", "1,", "not(1", "> ", "1 2", "not()", "a:"}) {
    EXPECT_FALSE(compile_unary_tests(wrong, {})) << wrong;
  }
}

/// A function of the host.
class Twice final : public Callable {
public:
  [[nodiscard]] std::span<const Parameter> parameters() const override { return parameters_; }
  [[nodiscard]] Datum call(Work&, std::span<const Datum> arguments, std::uint32_t) const override {
    return *arguments[0].number() * Decimal(2);
  }

private:
  std::vector<Parameter> parameters_ = {{"the number", built_in_type("number")}};
};

TEST(Callables, OfTheHostAreCalledByName) {
  const auto names = known({"twice of"});
  const auto run = [&](std::string_view text) {
    const auto compiled = compile_feel(text, names);
    if (!compiled) return compiled.error().message;
    std::vector<Datum> values;
    for (const auto& name : compiled->variables()) {
      EXPECT_EQ(name, "twice of");
      values.emplace_back(std::shared_ptr<const Callable>(std::make_shared<const Twice>()));
    }
    Work work;
    const auto result = evaluate(*compiled, SlotVariables(values), work);
    return work.warnings().empty() ? text_of(work, 0, result) : work.warnings()[0].reason;
  };
  EXPECT_EQ(run("twice of(4) + 1"), "9");
  EXPECT_EQ(run("twice of(the number: 4)"), "8");
  EXPECT_EQ(run("twice of(\"a\")"), "The argument \"the number\" must be number, not a text.");
  EXPECT_EQ(run("twice of()"), "The function takes 1 argument, not 0.");
}

TEST(Warnings, HaveAKindAndAPlace) {
  const struct {
    std::string_view text;
    WarningKind kind;
    int column;
  } cases[] = {
      {"1 + null", WarningKind::null_operand, 3},
      {"1 + missing", WarningKind::unknown_name, 5},
      {"1 + \"a\"", WarningKind::type_mismatch, 3},
      {"[1][2]", WarningKind::out_of_range, 4},
      {"1 / 0", WarningKind::out_of_range, 3},
      {"{a: 1}.b", WarningKind::unknown_name, 7},
      {"date(\"x\")", WarningKind::invalid_argument, 1},
      {"\"ä\" + abs(null)", WarningKind::null_operand, 7},
  };
  for (const auto& [text, kind, column] : cases) {
    Work work;
    const auto compiled = compile_feel(text, {});
    ASSERT_TRUE(compiled) << text;
    static_cast<void>(evaluate(*compiled, ObjectScope(Object()), work));
    ASSERT_FALSE(work.warnings().empty()) << text;
    EXPECT_EQ(work.warnings()[0].kind, kind) << text;
    EXPECT_EQ(work.warnings()[0].column, column) << text;
  }
}

TEST(Limits, AreOfTheWholeWork) {
  const auto expression = compile_feel("for i in 1..100 return i", {});
  Work work(Limits{.steps = 1000});
  const Object nothing;
  const ObjectScope scope(nothing);
  int runs = 0;
  while (!work.failed() && runs < 100) {
    static_cast<void>(evaluate(*expression, scope, work));
    ++runs;
  }
  EXPECT_GT(runs, 1);
  EXPECT_LT(runs, 20);
}

} // namespace
} // namespace perdure::expr
