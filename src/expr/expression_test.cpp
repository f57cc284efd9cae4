// Expressions end to end: tables of text, variables and what comes out, and where errors point to.
#include "expr/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/json.h"

namespace perdure::expr {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Large enough for every case below.
constexpr std::string_view kVariables = R"({
  "a": 5, "b": 2.5, "name": "Ada", "empty": "", "yes": true, "no": false, "nothing": null,
  "list": [1, 2, 3, 4], "words": ["x", "y"],
  "order": {"id": "o-1", "total": 120.5, "paid": true, "lines": [
     {"sku": "A", "count": 2, "price": 10}, {"sku": "B", "count": 1, "price": 100.5}]},
  "in-reply-to": "mail", "big": 9007199254740993, "real": 2.0, "umlaut": "Ärger😀"
})";

std::string shown(const std::expected<Evaluation, EvaluationError>& result) {
  if (!result) {
    return "error at " + std::to_string(result.error().column) + ": " + result.error().reason;
  }
  auto text = json::write(result->value);
  for (const auto& warning : result->warnings) {
    text += " | " + std::to_string(warning.column) + ": " + warning.reason;
  }
  return text;
}

std::string result_of(const std::expected<Expression, Diagnostic>& expression,
                      std::string_view variables = kVariables) {
  if (!expression) {
    return "refused at " + std::to_string(expression.error().column) + ": " +
           expression.error().message;
  }
  const auto value = json::parse(variables);
  if (!value) return value.error().message;
  return shown(evaluate(*expression, ObjectScope(*value->as<Object>())));
}

std::string feel(std::string_view text) { return result_of(compile(text, Dialect::feel)); }
std::string juel(std::string_view text) { return result_of(compile(text, Dialect::juel)); }

struct Case {
  std::string_view text, result;
};

void expect_feel(std::initializer_list<Case> cases) {
  for (const auto& c : cases)
    EXPECT_EQ(feel(c.text), c.result) << c.text;
}
void expect_juel(std::initializer_list<Case> cases) {
  for (const auto& c : cases)
    EXPECT_EQ(juel(c.text), c.result) << c.text;
}

TEST(Feel, Literals) {
  expect_feel({
      {"1", "1"},
      {"1.50", "1.5"},
      {".5", "0.5"},
      {"1e3", "1000"},
      {"-7", "-7"},
      {"true", "true"},
      {"false", "false"},
      {"null", "null"},
      {R"("a b")", R"("a b")"},
      {R"("say \"hi\"\n\t\\")", R"("say \"hi\"\n\t\\")"},
      {R"("\u00e4\uD83D\uDE00\U01F600")", "\"ä😀😀\""},
      {R"("\d+")", R"("\\d+")"},
      {"[]", "[]"},
      {"[1, \"a\", [null]]", R"([1,"a",[null]])"},
      {"{}", "{}"},
      {R"({x: 1, "y z": x + 1, if: 3})", R"({"x":1,"y z":2,"if":3})"},
      {"( 1 )", "1"},
      {"1 // one\n + /* two */ 2", "3"},
      {"\t\r\n1\xC2\xA0", "1"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"9223372036854775808", "9223372036854775808.0"},
  });
}

TEST(Feel, ArithmeticIsDecimal) {
  expect_feel({
      {"0.1 + 0.2", "0.3"},
      {"0.1 + 0.2 = 0.3", "true"},
      {"1.1 * 1.1", "1.21"},
      {"1 / 3 * 3", "1.0"},
      {"10 / 4", "2.5"},
      {"10 / 5", "2"},
      {"2 ** 10", "1024"},
      {"2 ** -2", "0.25"},
      {"3 ** 4 ** 5", "3486784401"},
      {"-3 ** 2", "9"},
      {"9 ** 0.5", "3"},
      {"0 ** 0", "1"},
      {"1.05 ** 10 = 1.62889462677744140625", "true"},
      {"1 + 2 * 3 - 4 / 2", "5"},
      {"(1 + 2) * 3", "9"},
      {"2 - 3 - 4", "-5"},
      {"16 / 4 / 2", "2"},
      {"- - 3", "3"},
      {"5 - -2", "7"},
      {"big + 0", "9007199254740993"},
      {"big * 10 - big * 9", "9007199254740993"},
      {"real", "2"},
      {"a * b", "12.5"},
      {R"("a" + "b" + "c")", R"("abc")"},
      {"1e300 * 1e300", "error at 7: The number 1E+600 is too large to be kept."},
      {"1e300 * 1e300 > 1e599", "true"},
      {"9223372036854775807 + 1 - 1", "9223372036854775807"},
  });
}

TEST(Feel, NoResultIsNullWithTheReason) {
  expect_feel({
      {"1 + \"a\"", "null | 3: \"+\" has no meaning between a number and a text."},
      {"\"a\" + 1", "null | 5: \"+\" has no meaning between a text and a number."},
      {"\"a\" - \"b\"", "null | 5: \"-\" has no meaning between a text and a text."},
      {"1 / 0", "null | 3: Division by zero."},
      {"null + 1", "null | 6: \"+\" has no meaning between null and a number."},
      {"-\"a\"", "null | 1: \"-\" has no meaning before a text."},
      {"1 = \"1\"", "null | 3: \"=\" has no meaning between a number and a text."},
      {"1 < \"2\"", "null | 3: \"<\" has no meaning between a number and a text."},
      {"true < false", "null | 6: \"<\" has no meaning between a boolean and a boolean."},
      {"missing", "null | 1: There is no variable \"missing\"."},
      {"missing = null", "true | 1: There is no variable \"missing\"."},
      {"order.nix", "null | 6: There is no entry \"nix\"."},
      {"name.x", "null | 5: \".x\" has no meaning for a text."},
      {"nothing.x", "null | 8: \".x\" has no meaning for null."},
      {"list[9]", "null | 5: There is no item 9 in a list of 4."},
      {"list[0]", "null | 5: There is no item 0 in a list of 4."},
      {"list[1.5]", "null | 5: There is no item 1.5 in a list of 4."},
      {"nothing[1]", "null | 8: null has no items."},
      {"(-8) ** 0.5", "null | 6: The result is too large or no number."},
      {"0 ** -1", "null | 3: The result is too large or no number."},
      {"ä = 1", "false | 1: There is no variable \"ä\"."},
      {"\"äö\" + 1", "null | 6: \"+\" has no meaning between a text and a number."},
      {"[1..2]", "error at 1: The result is a range, which cannot be kept as a value."},
  });
}

TEST(Feel, Comparison) {
  expect_feel({
      {"1 = 1.0", "true"},
      {"1 != 2", "true"},
      {"a >= 5 and a <= 5 and a > 4 and a < 6", "true"},
      {R"("a" < "b")", "true"},
      {R"("Z" < "a")", "true"},
      {"null = null", "true"},
      {"1 = null", "false"},
      {"null != \"x\"", "true"},
      {"[1, 2] = [1, 2.0]", "true"},
      {"[1, 2] = [2, 1]", "false"},
      {"[1] = [\"a\"]", "false"},
      {"{a: 1, b: 2} = {b: 2, a: 1}", "true"},
      {"order.lines[1] = {sku: \"A\", count: 2, price: 10}", "true"},
      {"[1..5] = [1..5]", "true"},
      {"[1..5] = [1..5)", "false"},
      {"a between 1 and 5", "true"},
      {"a between 6 and 9 or a = 5", "true"},
      {"a between 1 and 2 and yes", "false"},
      {"1 + 1 = 2 = true", "true"},
      {"a in 5", "true"},
      {"a in (1, 5)", "true"},
      {"a in [1, 2]", "false"},
      {"a in list", "false"},
      {"list in [[1, 2, 3, 4]]", "true"},
      {"a in > 4", "true"},
      {"a in (< 4, > 5)", "false"},
      {"a in [1..5]", "true"},
      {"a in [1..5)", "false"},
      {"a in [1..5[", "false"},
      {"a in ]5..9]", "false"},
      {"a in (5..9)", "false"},
      {"a in (4..9)", "true"},
      {"a in ([1..2], [5..6])", "true"},
      {"a in [[1..2], [5..6]]", "true"},
      {"a in [list[1]..list[4] + 1]", "true"},
      {"name in (\"Bob\", \"Ada\")", "true"},
      {"\"b\" in [\"a\"..\"c\"]", "true"},
      {"a in \"x\"", "null | 3: \"=\" has no meaning between a number and a text."},
  });
}

TEST(Feel, LogicHasThreeValues) {
  const std::string_view values[] = {"true", "false", "null"};
  const std::string_view conjunction[3][3] = {
      {"true", "false", "null"}, {"false", "false", "false"}, {"null", "false", "null"}};
  const std::string_view disjunction[3][3] = {
      {"true", "true", "true"}, {"true", "false", "null"}, {"true", "null", "null"}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const auto left = std::string(values[i]);
      const auto right = std::string(values[j]);
      EXPECT_EQ(feel(left + " and " + right), conjunction[i][j]) << left << " and " << right;
      EXPECT_EQ(feel(left + " or " + right), disjunction[i][j]) << left << " or " << right;
    }
  }
  expect_feel({
      {"not(true)", "false"},
      {"not(null)", "null"},
      {"not(1)", "null | 1: not has no meaning for a number."},
      {"not(a = 1) and yes", "true"},
      {"true or false and false", "true"},
      {"(true or false) and false", "false"},
      {"false and 1 / 0 = 1", "false"},
      {"true or missing", "true"},
      {"true and 5", "null | 6: and has no meaning for a number."},
      {"5 or true", "true | 3: or has no meaning for a number."},
  });
}

TEST(Feel, Choice) {
  expect_feel({
      {"if a > 3 then \"big\" else \"small\"", R"("big")"},
      {"if false then 1 else if true then 2 else 3", "2"},
      {"if null then 1 else 2", "2 | 1: The condition is null, not a boolean; it counts as false."},
      {"(if yes then 1 else 2) + 1", "2"},
      {"if yes then 1 else 2 + 1", "1"},
  });
}

TEST(Feel, PathsItemsAndFilters) {
  expect_feel({
      {"order.total", "120.5"},
      {"order.lines[1].sku", R"("A")"},
      {"order.lines[-1].sku", R"("B")"},
      {"order.lines.sku", R"(["A","B"])"},
      {"order.lines[price > 50].sku", R"(["B"])"},
      {"order.lines[item.count = 2][1].price", "10"},
      {"order.lines[sku = \"Z\"]", "[]"},
      {"order.lines[sku = \"A\"] != []", "true"},
      {"list[item > 2]", "[3,4]"},
      {"list[item > a]", "[]"},
      {"list[a - 3]", "2"},
      {"[][1]", "null | 3: There is no item 1 in a list of 0."},
      {"[][item > 1]", "[] | 9: \">\" has no meaning between null and a number."},
      {"a[1]", "5"},
      {"a[item > 7]", "[]"},
      {"[{item: 1}, {item: 2}][item = 2]", R"([{"item":2}])"},
      {"[[1, 2], [3]][1][2]", "2"},
      {"{x: {y: [7]}}.x.y[1]", "7"},
      {"`in-reply-to`", R"("mail")"},
      {"{`a b`: 1}.`a b`", "1"},
      {"order.`total`", "120.5"},
      {"order.lines[count > 0].count", "[2,1]"},
  });
}

TEST(Feel, LoopsAndQuantifiers) {
  expect_feel({
      {"for x in list return x * 2", "[2,4,6,8]"},
      {"for i in 1..3 return i", "[1,2,3]"},
      {"for i in 3..1 return i", "[3,2,1]"},
      {"for x in [1, 2], y in [x, 10] return x * y", "[1,10,4,20]"},
      {"for x in [] return x", "[]"},
      {"for x in null return x", "null | 1: null has no items."},
      {"some x in list satisfies x > 3", "true"},
      {"every x in list satisfies x > 3", "false"},
      {"every x in [] satisfies x > 3", "true"},
      {"some x in [] satisfies true", "false"},
      {"some x in order.lines satisfies not(x.count = 2)", "true"},
      {"every x in [null, true] satisfies x", "null"},
      {"for i in 1..10000000 return i",
       "error at 1: The expression takes too long; make it simpler or its data smaller."},
  });
}

TEST(Feel, TextFunctions) {
  expect_feel({
      {"string length(umlaut)", "6"},
      {"upper case(\"aäßœчω\")", "\"AÄSSŒЧΩ\""},
      {"lower case(\"AÄŒЧΩΣĹŹ\")", "\"aäœчωσĺź\""},
      {"contains(\"foobar\", \"ob\")", "true"},
      {"contains(\"foobar\", \"\")", "true"},
      {"contains(\"foobar\", \"x\")", "false"},
      {"starts with(\"foobar\", \"foo\")", "true"},
      {"ends with(\"foobar\", \"bar\")", "true"},
      {"substring(\"foobar\", 3)", R"("obar")"},
      {"substring(\"foobar\", 3, 2)", R"("ob")"},
      {"substring(\"foobar\", -2, 1)", R"("a")"},
      {"substring(\"foobar\", 3, 99)", R"("obar")"},
      {"substring(\"foobar\", 7)", R"("")"},
      {"substring(umlaut, -1)", "\"😀\""},
      {"substring(\"a\", 0)", "null | 1: substring: the first character is 1, the last -1."},
      {"substring(\"a\", \"b\")", "null | 1: substring: argument 2 must be a number, not a text."},
      {"substring before(\"a=b\", \"=\")", R"("a")"},
      {"substring after(\"a=b\", \"=\")", R"("b")"},
      {"substring after(\"a\", \"=\")", R"("")"},
      {"string join(words)", R"("xy")"},
      {"string join(words, \", \")", R"("x, y")"},
      {"string(1.50)", R"("1.5")"},
      {"string(1e30)", R"("1000000000000000000000000000000")"},
      {"string(0.0000001)", R"("0.0000001")"},
      {"string(\"a\")", R"("a")"},
      {"string(null)", "null"},
      {"string(true)", R"("true")"},
      {"string([1, \"a\", {b: null}])", R"("[1, \"a\", {b: null}]")"},
      {"\"PT\" + string(a) + \"S\"", R"("PT5S")"},
      {"number(\"1.5\") + 1", "2.5"},
      {"number(\"1e3\")", "1000"},
      {"number(\"x\")", "null | 1: number: the text is no number; write it as -12.5."},
      {"number(\" 1\")", "null | 1: number: the text is no number; write it as -12.5."},
      {"upper case(5)", "null | 1: upper case: argument 1 must be a text, not a number."},
  });
}

TEST(Feel, NumberFunctions) {
  expect_feel({
      {"abs(-5.5)", "5.5"},
      {"floor(-1.5)", "-2"},
      {"floor(1.59, 1)", "1.5"},
      {"ceiling(1.2)", "2"},
      {"ceiling(-1.2)", "-1"},
      {"round half up(2.5, 0)", "3"},
      {"round half up(-2.5, 0)", "-3"},
      {"round half up(1.005, 2)", "1.01"},
      {"round half down(2.5, 0)", "2"},
      {"round half down(2.51, 0)", "3"},
      {"round up(1.1, 0)", "2"},
      {"round down(-1.9, 0)", "-1"},
      {"decimal(2.5, 0)", "2"},
      {"decimal(3.5, 0)", "4"},
      {"decimal(1 / 3, 2)", "0.33"},
      {"decimal(1250, -2)", "1200"},
      {"round up(0, -2)", "0"},
      {"round half up(5, -2)", "0"},
      {"round half up(50, -2)", "100"},
      {"round up(1, -2)", "100"},
      {"decimal(1, 99999)", "null | 1: decimal: the scale must be from -6111 to 6176."},
      {"modulo(12, 5)", "2"},
      {"modulo(-12, 5)", "3"},
      {"modulo(12, -5)", "-3"},
      {"modulo(10.1, 4.5)", "1.1"},
      {"modulo(1, 0)", "null | 1: modulo: division by zero."},
  });
}

TEST(Feel, ListAndContextFunctions) {
  expect_feel({
      {"count(list)", "4"},
      {"count([])", "0"},
      {"count(5)", "1"},
      {"count(nothing)", "null | 1: count: argument 1 must be a list, not null."},
      {"min(list)", "1"},
      {"max(3, 9, 4)", "9"},
      {"min(words)", R"("x")"},
      {"min([])", "null"},
      {"max([1, \"a\"])", "null | 1: \">\" has no meaning between a text and a number."},
      {"sum(list)", "10"},
      {"sum(0.1, 0.2)", "0.3"},
      {"sum([])", "null"},
      {"sum([1, \"a\"])", "null | 1: \"+\" has no meaning between a number and a text."},
      {"list contains(list, 3)", "true"},
      {"list contains([1, null], null)", "true"},
      {"list contains(list, \"3\")", "false"},
      {"append(list, 5, 6)", "[1,2,3,4,5,6]"},
      {"append(5, 6)", "[5,6]"},
      {"concatenate(list, [5], 6)", "[1,2,3,4,5,6]"},
      {"is empty([])", "true"},
      {"is empty(list)", "false"},
      {"get value(order, \"id\")", R"("o-1")"},
      {"get value(order, \"nix\")", "null | 1: get value: there is no entry \"nix\"."},
      {"sum(for l in order.lines return l.count * l.price) = order.total", "true"},
  });
}

TEST(Feel, IsDefinedAsksForTheNameNotTheValue) {
  expect_feel({
      {"is defined(a)", "true"},
      {"is defined(nothing)", "true"},
      {"is defined(missing)", "false"},
      {"is defined(missing.x.y)", "false"},
      {"is defined(order.paid)", "true"},
      {"is defined(order.nix)", "false"},
      {"is defined(1 + 1)", "true"},
      {"if is defined(missing.x) then 1 else 2", "2"},
  });
}

TEST(Feel, SyntaxErrorsPointToTheColumn) {
  const struct {
    std::string_view text;
    int column;
    std::string_view reason;
  } cases[] = {
      {"", 1, "ends too early"},
      {"  ", 3, "ends too early"},
      {"a +", 4, "ends too early"},
      {"a + * b", 5, "\"*\" cannot stand here"},
      {"(a", 3, "Expected \")\""},
      {"a)", 2, "\")\" cannot stand here"},
      {"a == b", 3, "written = in FEEL"},
      {"a && b", 3, "Write and"},
      {"!a", 1, "Write not("},
      {"a % b", 3, "Write modulo("},
      {"a = 'x'", 5, "double quotes"},
      {"a = \"x", 5, "not closed"},
      {"a = \"x\\\"", 5, "not closed"},
      {"`x", 1, "not closed"},
      {"``", 1, "name is empty"},
      {"a /* b", 3, "comment is not closed"},
      {"\"\\u12\"", 2, "hexadecimal"},
      {"\"ä\\uD800\"", 3, "hexadecimal"},
      {"1abc", 2, "followed by a letter"},
      {"1e999999", 1, "number is too large"},
      {"Monthly Salary", 9, "between \"Monthly\" and \"Salary\""},
      {"not a", 5, "Write not("},
      {"a instance of", 14, "Expected the name of a type"},
      {"a instance number", 12, "Expected \"of\""},
      {"a instance of foo", 15, "no type \"foo\""},
      {"@\"2020-13-01\"", 1, "no date, time or duration"},
      {"@2020", 1, "written @"},
      {"foo(1)", 1, "no function \"foo\""},
      {"1 + foo bar(1)", 5, "no function \"foo bar\""},
      {"abs()", 1, "takes 1 argument, not 0"},
      {"substring(\"a\")", 1, "takes 2 to 3 arguments, not 1"},
      {"append([])", 1, "takes 2 or more arguments, not 1"},
      {"not(1, 2)", 1, "takes 1 argument, not 2"},
      {"abs(x: 1)", 1, "no parameters of these names"},
      {"substring(string: \"a\", 1)", 24, "names to all arguments or to none"},
      {"modulo(dividend: 1)", 1, "needs the argument \"divisor\""},
      {"a.", 3, "name after the point"},
      {"a.1", 2, "cannot stand here"},
      {"a[1", 4, "Expected \"]\""},
      {"[1, 2", 6, "Expected \",\" or \"]\""},
      {"[1,]", 4, "\"]\" cannot stand here"},
      {"{a 1}", 5, "Expected \":\""},
      {"{a: 1,}", 7, "Expected a key"},
      {"{a: 1, a: 2}", 8, "appears twice"},
      {"if a then b", 12, "Expected \"else\""},
      {"if a else b", 6, "Expected \"then\""},
      {"a between 1", 12, "Expected \"and\""},
      {"for x return x", 15, "Expected \"in\""},
      {"for x in y", 11, "Expected \"return\""},
      {"[1..5", 6, "Expected the end of the range"},
      {"]1, 2[", 3, "Expected \"..\""},
      {"> 5", 1, "cannot stand here"},
      {"a ? b : c", 3, "cannot stand here"},
      {"? > 5", 1, "input of unary tests"},
      {"a; b", 2, "no meaning in FEEL"},
      {"äöü ~", 5, "no meaning in FEEL"},
  };
  for (const auto& c : cases) {
    const auto expression = compile(c.text, Dialect::feel);
    ASSERT_FALSE(expression) << c.text;
    EXPECT_EQ(expression.error().column, c.column) << c.text << ": " << expression.error().message;
    EXPECT_THAT(expression.error().message, HasSubstr(c.reason)) << c.text;
  }
}

TEST(Juel, MapsToTheSameTree) {
  expect_juel({
      {"a == 5", "true"},
      {"a eq 5 and b ne 5", "true"},
      {"a != 5 || b < 3", "true"},
      {"a lt 6 && a le 5 && a gt 4 && a ge 5", "true"},
      {"!yes", "false"},
      {"not yes or yes", "true"},
      {"!(a == 5)", "false"},
      {"name == 'Ada' && name == \"Ada\"", "true"},
      {"'it\\'s'", R"("it's")"},
      {"a > 3 ? 'big' : 'small'", R"("big")"},
      {"no ? 1 : yes ? 2 : 3", "2"},
      {"1 + 2 * 3 - 4 div 2", "5"},
      {"7 % 4 + 7 mod 4", "6"},
      {"-7 % 4", "-3"},
      {"-a", "-5"},
      {"0.1 + 0.2 == 0.3", "true"},
      {"'a' + 'b'", R"("ab")"},
      {"order.lines[0].sku", R"("A")"},
      {"order['total']", "120.5"},
      {"order['lines'][1]['sku']", R"("B")"},
      {"empty nothing && empty empty1", "error at 24: There is no variable \"empty1\"."},
      {"empty nothing", "true"},
      {"empty list", "false"},
      {"not empty name", "true"},
      {"!empty order.lines", "true"},
      {"nothing == null", "true"},
      {"1 < 2 == true", "true"},
      {"a == 5 == true", "true"},
      {"true", "true"},
      {"missing > 1", "error at 1: There is no variable \"missing\"."},
      {"yes || missing", "true"},
      {"list[4]", "null | 5: There is no item 4 in a list of 4; the first is 0."},
      {"list['x']", "null | 5: a list has no part named by a text."},
      {"a == '5'", "null | 3: \"=\" has no meaning between a number and a text."},
      {"order.nix", "null | 6: There is no entry \"nix\"."},
      {"order.empty", "null | 6: There is no entry \"empty\"."},
  });
}

TEST(Juel, RefusesCallsWithTheFeelSpelling) {
  const struct {
    std::string_view text;
    int column;
    std::string_view reason;
  } cases[] = {
      {"list.size() > 1", 6, "\"size\"; write it in FEEL: = count(list)."},
      {"name.equals('x')", 6, "= a = b"},
      {"execution.getVariable('x')", 11, "= name"},
      {"S(x).prop('y')", 1, "cannot call \"S\"; compute it in a task"},
      {"(a)(b)", 4, "Only FEEL has functions"},
      {"a = 5", 3, "written ==, not ="},
      {"a &", 3, "no meaning"},
      {"a ==", 5, "ends too early"},
      {"a ? b", 6, "Expected \":\""},
      {"a == 'x", 6, "not closed"},
      {"a[0", 4, "Expected \"]\""},
      {"[1]", 1, "cannot stand here"},
      {"{a: 1}", 1, "no meaning"},
      {"a } b", 3, "\"}\" cannot stand here"},
      {"if a then b else c", 4, "between \"if\" and \"a\""},
      {"a ** 2", 4, "\"*\" cannot stand here"},
  };
  for (const auto& c : cases) {
    const auto expression = compile(c.text, Dialect::juel);
    ASSERT_FALSE(expression) << c.text;
    EXPECT_EQ(expression.error().column, c.column) << c.text << ": " << expression.error().message;
    EXPECT_THAT(expression.error().message, HasSubstr(c.reason)) << c.text;
  }
}

TEST(Attributes, TellExpressionsFromText) {
  for (const std::string_view text : {"=a", " = a", "${a}", "#{a}", "x ${a} y", "=", "${"}) {
    EXPECT_TRUE(is_expression(text)) << text;
  }
  for (const std::string_view text :
       {"", "a", "a = b", "$a", "$ {a}", "\\${a}", "\\#{a}", "{a}", "$", "100$"}) {
    EXPECT_FALSE(is_expression(text)) << text;
  }
}

TEST(Attributes, FollowTheConventionOfModels) {
  const struct {
    std::string_view text, result;
  } cases[] = {
      {"=a + 1", "6"},
      {"  = a + 1\n", "6"},
      {"${a + 1}", "6"},
      {"#{a + 1}", "6"},
      {" ${a} ", "5"},
      {"${'}'}", R"("}")"},
      {"plain", R"("plain")"},
      {"", R"("")"},
      {"\\${a}", R"("${a}")"},
      {"x ${a} y", R"("x 5 y")"},
      {"${a}${b}", R"("52.5")"},
      {"${name} is #{yes}", R"("Ada is true")"},
      {"[${nothing}]", R"("[]")"},
      {"\\${a} ${a}", R"("${a} 5")"},
      {"total: ${list}", "error at 10: A list cannot be put into a text."},
      {"x ${missing}", "error at 5: There is no variable \"missing\"."},
      {"=a +", "refused at 5: The expression ends too early; something is missing here."},
      {"x ${a", "refused at 3: The expression is not closed; add }."},
      {"x ${a b}",
       "refused at 7: An operator is missing between \"a\" and \"b\"; a name with "
       "spaces is written in backticks."},
      {"ä ${a.size()}",
       "refused at 7: ${...} cannot call \"size\"; write it in FEEL: = "
       "count(list)."},
      {"${}", "refused at 3: The expression ends too early; something is missing here."},
  };
  for (const auto& c : cases)
    EXPECT_EQ(result_of(compile_attribute(c.text)), c.result) << c.text;
}

TEST(Attributes, BareConditionsAreFeel) {
  EXPECT_EQ(result_of(compile_condition("a <= 30 and a > 2")), "true");
  EXPECT_EQ(result_of(compile_condition("= a > 2")), "true");
  EXPECT_EQ(result_of(compile_condition("\n  ${a > 2}\n")), "true");
  EXPECT_EQ(compile_condition("").error().column, 1);
}

TEST(Expression, NamesItsRootVariables) {
  const struct {
    std::string_view text;
    std::vector<std::string> names;
  } cases[] = {
      {"b + a * b", {"a", "b"}},
      {"order.total > limit.max", {"limit", "order"}},
      {"items[item.price > max]", {"items", "max"}},
      {"for x in items return x + y", {"items", "y"}},
      {"some x in a, y in x satisfies y = z", {"a", "z"}},
      {"{p: a, q: p}", {"a"}},
      {"is defined(x)", {"x"}},
      {"1 + 2", {}},
  };
  for (const auto& c : cases) {
    const auto expression = compile(c.text, Dialect::feel);
    ASSERT_TRUE(expression) << c.text;
    EXPECT_EQ(expression->variables(), c.names) << c.text;
  }
  EXPECT_TRUE(compile_attribute("plain")->is_constant());
  EXPECT_EQ(compile_attribute(" = a")->text(), " = a");
  EXPECT_THAT(Expression().variables(), IsEmpty());
}

TEST(Expression, DefaultIsTheConstantNull) {
  const Object none;
  EXPECT_EQ(shown(evaluate(Expression(), ObjectScope(none))), "null");
  EXPECT_EQ(Expression().text(), "");
}

TEST(Expression, ErrorsCarryWhatWasSeen) {
  const Object variables{
      {"a", 5}, {"long", std::string(500, 'x')}, {"many", Array(2000, Value(1))}, {"other", 1}};
  const auto result =
      evaluate(*compile("a + nix + (empty long ? 1 : empty many ? 2 : 3)", Dialect::juel),
               ObjectScope(variables));
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().seen,
              ElementsAre(std::pair(std::string("a"), Value(5)),
                          std::pair(std::string("long"), Value(std::string(200, 'x') + "...")),
                          std::pair(std::string("many"), Value("(list of 2000)"))));
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i)
    all += text;
  return all;
}

TEST(Hostile, DeepNestingIsRefusedNotACrash) {
  const std::string deep[] = {
      repeated("(", 60'000),
      repeated("[", 60'000),
      repeated("{a:", 20'000),
      repeated("-", 60'000) + "1",
      repeated("not(", 15'000),
      repeated("abs(", 15'000),
      repeated("if a then ", 6'000),
      "if a then 1 else " + repeated("if a then 1 else ", 3'000) + "2",
      "a" + repeated("[1", 30'000),
      "a" + repeated("[1]", 20'000),
      "a" + repeated(".b", 30'000),
      repeated("a in (", 10'000),
      repeated("a between ", 6'000),
      "1" + repeated(" between 1 and 2", 4'000),
      repeated("[1..", 15'000),
      repeated("]1..", 15'000),
      repeated("for x in ", 7'000),
      "for " + repeated("x in y, ", 8'000) + "z in y return 1",
      repeated("some x in y satisfies ", 2'900),
  };
  for (const auto& text : deep) {
    ASSERT_LE(text.size(), 64u * 1024) << text.substr(0, 20);
    EXPECT_FALSE(compile(text, Dialect::feel)) << text.substr(0, 20);
    static_cast<void>(compile(text, Dialect::juel));
  }
  EXPECT_FALSE(compile(repeated("!", 60'000) + "a", Dialect::juel));
  EXPECT_FALSE(compile(repeated("empty ", 10'000) + "a", Dialect::juel));
  EXPECT_FALSE(compile(repeated("a ? ", 15'000), Dialect::juel));
  EXPECT_FALSE(compile("a" + repeated("?b:c", 15'000), Dialect::juel));
}

TEST(Hostile, TheDeepestAllowedNestingEvaluates) {
  EXPECT_EQ(feel(repeated("(", 190) + "1" + repeated(")", 190)), "1");
  EXPECT_EQ(feel(repeated("-", 190) + "1"), "1");
  EXPECT_EQ(feel(repeated("[", 60) + "1" + repeated("]", 60)),
            repeated("[", 60) + "1" + repeated("]", 60));
  EXPECT_THAT(feel(repeated("[", 61) + "1" + repeated("]", 61)), HasSubstr("nested too deep"));
}

TEST(Hostile, LongFlatExpressionsAreFine) {
  EXPECT_EQ(feel("0" + repeated("+1", 30'000)), "30000");
  EXPECT_EQ(feel("true" + repeated(" and true", 7'000)), "true");
  EXPECT_EQ(feel("count([1" + repeated(",1", 30'000) + "])"), "30001");
}

TEST(Hostile, SizeIsBounded) {
  EXPECT_THAT(compile(std::string(70'000, ' '), Dialect::feel).error().message,
              HasSubstr("more than 65536 bytes"));
  EXPECT_FALSE(compile_attribute(std::string(70'000, 'x')));
}

TEST(Hostile, BytesThatAreNoText) {
  for (const std::string_view text : {"\"\xFF\"", "\xC3", "a = \"\xED\xA0\x80\"", "\x80"}) {
    EXPECT_EQ(compile(text, Dialect::feel).error().message, "The expression is not valid UTF-8.");
    EXPECT_FALSE(compile_attribute(text));
  }
  EXPECT_FALSE(compile(std::string_view("a\0b", 3), Dialect::feel));
}

TEST(Hostile, WorkIsBounded) {
  const Object variables{{"s", std::string(1 << 20, 'a')}, {"l", Array(20'000, Value(1))}};
  const ObjectScope scope(variables);
  for (const std::string& text : std::initializer_list<std::string>{
           "string length(s" + repeated("+s", 20'000) + ")",
           "[s" + repeated(",s", 20'000) + "]",
           "string([s" + repeated(",s", 20'000) + "])",
           "concatenate(l" + repeated(",l", 20'000) + ")",
           "l[l[l[item = 2] = []] = []]",
           "for x in l, y in l return x",
           "some x in l, y in l, z in l satisfies x + y + z = 0",
           "count(for x in l return list contains(l, 2))",
       }) {
    const auto expression = compile(text, Dialect::feel);
    ASSERT_TRUE(expression) << text.substr(0, 30) << expression.error().message;
    const auto result = evaluate(*expression, scope);
    ASSERT_FALSE(result) << text.substr(0, 30);
    EXPECT_THAT(result.error().reason, HasSubstr("takes too long"));
  }
}

TEST(Hostile, ValuesThatGrowInsideEachOtherAreBounded) {
  const auto types = repeated("list<", 150) + "number" + repeated(">", 150);
  for (const std::string& text : std::initializer_list<std::string>{
           "string(for i in 1..100 return [partial, partial])",
           "(for i in 1..100 return [partial, partial])[-1] instance of " + types,
           "{f: function(x: " + types +
               ") 1, r: f((for i in 1..100 return [partial, partial])[-1])}",
           "(for i in 1..100 return [partial, partial]) = (for i in 1..100 return [partial, "
           "partial])",
           "count(for i in 1..2500 return [partial])",
           "count(for i in 1..2500 return partial)",
           "count(for i in 1..2500 return {a: partial})",
           "count(for i in 1..2500 return function() partial)",
           "count(for i in 1..2500 return [partial..partial])",
           "count(for i in 1..2500 return append([], partial))",
           "count(for i in 1..100000 return matches(\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\", "
           "\"^(a+)+$\"))",
           "flatten(for i in 1..100 return [partial, partial])",
       }) {
    const auto expression = compile(text, Dialect::feel);
    ASSERT_TRUE(expression) << text.substr(0, 60) << expression.error().message;
    const auto result = evaluate(*expression, ObjectScope(Object()));
    EXPECT_FALSE(result) << text.substr(0, 60);
  }
}

TEST(Hostile, WarningsAreBounded) {
  const Object variables{{"l", Array(1000, Value("x"))}};
  const auto result =
      evaluate(*compile("for x in l return x + 1", Dialect::feel), ObjectScope(variables));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->warnings.size(), 20u);
}

TEST(Hostile, ValuesOutsideJsonDoNotSlipThrough) {
  const Object variables{{"inf", std::numeric_limits<double>::infinity()},
                         {"nan", std::numeric_limits<double>::quiet_NaN()},
                         {"tiny", 5e-324},
                         {"huge", 1.7976931348623157e308}};
  const ObjectScope scope(variables);
  EXPECT_FALSE(evaluate(*compile("inf", Dialect::feel), scope));
  EXPECT_FALSE(evaluate(*compile("[nan]", Dialect::feel), scope));
  EXPECT_EQ(shown(evaluate(*compile("tiny", Dialect::feel), scope)), "5e-324");
  EXPECT_EQ(shown(evaluate(*compile("huge", Dialect::feel), scope)), "1.7976931348623157e+308");
  EXPECT_FALSE(evaluate(*compile("huge * 10", Dialect::feel), scope));
}

} // namespace
} // namespace perdure::expr
