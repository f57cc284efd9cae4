// eval and decide: FEEL and DMN without a database.
#include <gtest/gtest.h>

#include <sstream>

#include "base/json.h"
#include "program.h"

namespace perdure::cli_test {
namespace {

/// A table over the number "the amount", and a decision that makes a text of its result.
std::string discount_model() {
  return R"(<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" namespace="urn:shop">
  <inputData id="amount" name="the amount">
    <variable name="the amount" typeRef="number"/>
  </inputData>
  <decision id="discount_id" name="discount">
    <variable name="discount" typeRef="number"/>
    <informationRequirement><requiredInput href="#amount"/></informationRequirement>
    <decisionTable hitPolicy="UNIQUE">
      <input><inputExpression><text>the amount</text></inputExpression></input>
      <output/>
      <rule id="small">
        <inputEntry><text>&lt; 100</text></inputEntry><outputEntry><text>0</text></outputEntry>
      </rule>
      <rule id="large">
        <inputEntry><text>&gt;= 100</text></inputEntry><outputEntry><text>0.1</text></outputEntry>
      </rule>
    </decisionTable>
  </decision>
  <decision id="answer" name="answer">
    <variable name="answer"/>
    <informationRequirement><requiredDecision href="#discount_id"/></informationRequirement>
    <literalExpression><text>string(discount * 100) + " %"</text></literalExpression>
  </decision>
</definitions>
)";
}

std::vector<Value> lines_of(const std::string& text) {
  std::vector<Value> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const auto value = json::parse(line);
    EXPECT_TRUE(value) << line;
    if (value) lines.push_back(*value);
  }
  return lines;
}

TEST(Eval, PrintsValueTypeAndWarnings) {
  const auto plain = perdure({"eval", "1 + 2"});
  EXPECT_EQ(plain.code, 0);
  EXPECT_EQ(plain.out, "3\ntype: number\n");
  EXPECT_EQ(plain.error, "");
  const auto warned = perdure({"eval", "1 + null"});
  EXPECT_EQ(warned.code, 0);
  EXPECT_TRUE(warned.out.starts_with("null\ntype: Null\nwarning at column ")) << warned.out;
}

TEST(Eval, ShowsEveryDigit) {
  EXPECT_EQ(perdure({"eval", "1 / 3"}).out, "0." + std::string(34, '3') + "\ntype: number\n");
  EXPECT_EQ(perdure({"eval", "[12345678901234567890.12, {a: 2 ** 100}]"}).out,
            "[12345678901234567890.12,{\"a\":1267650600228229401496703205376}]\ntype: list\n");
  EXPECT_TRUE(perdure({"eval", "2 / 3", "--json"})
                  .out.starts_with("{\"value\":0." + std::string(33, '6') + "7,\"type\""));
}

TEST(Eval, AnswersForPrograms) {
  const auto answer = perdure({"eval", "missing", "--json"}).json();
  EXPECT_EQ(at(answer, "value"), Value());
  EXPECT_EQ(at(answer, "type"), Value("Null"));
  EXPECT_EQ(at(answer, "error"), Value());
  EXPECT_EQ(at(answer, "warnings", 0, "kind"), Value("unknown_name"));
  EXPECT_EQ(at(answer, "warnings", 0, "column"), Value(1));
}

TEST(Eval, ReadsVariablesFromAFileAndTheLine) {
  const TemporaryFolder folder;
  const auto file = folder.write("context.json", R"({"the order": {"net total": 40}, "rate": 1})");
  const auto ended =
      perdure({"eval", "the order.net total * rate", "--context", file, "--var", "rate=2"});
  EXPECT_EQ(ended.out, "80\ntype: number\n") << ended.error;
}

TEST(Eval, UnaryTests) {
  EXPECT_EQ(perdure({"eval", "[1..5], > 10", "--unary", "12"}).out, "true\ntype: boolean\n");
  EXPECT_EQ(perdure({"eval", "not(\"a\")", "--unary", "a"}).out, "false\ntype: boolean\n");
}

TEST(Eval, RangesAndFunctionsAreShownAsFeel) {
  const auto range = perdure({"eval", "[1..5]", "--json"}).json();
  EXPECT_EQ(at(range, "value"), Value("[1..5]"));
  EXPECT_EQ(at(range, "type"), Value("range"));
}

TEST(Eval, WrongExpressionsAndFilesAreRefused) {
  const auto wrong = perdure({"eval", "1 +"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_EQ(wrong.out, "");
  EXPECT_TRUE(wrong.error.starts_with("perdure: column ")) << wrong.error;
  EXPECT_EQ(perdure({"eval", "1", "--context", "/no/such/file"}).code, 3);
  const TemporaryFolder folder;
  EXPECT_EQ(perdure({"eval", "1", "--context", folder.write("c.json", "[1]")}).code, 1);
  EXPECT_EQ(perdure({"eval", "1", "--context", folder.write("d.json", "{")}).code, 1);
  EXPECT_EQ(perdure({"eval"}).code, 2);
}

TEST(Eval, AnswersEachLineWithALine) {
  const TemporaryFolder folder;
  const auto input = folder.write("lines",
                                  "{\"expression\": \"a b + 1\", \"context\": {\"a b\": 4}}\n"
                                  "\n"
                                  "{\"expression\": \"1 +\"}\n"
                                  "no json\n"
                                  "{\"context\": {}}\n"
                                  "{\"expression\": \"> c\", \"input\": 3}");
  const auto ended = run_program(
      "/bin/sh", {"-c", "exec \"" + perdure_binary() + "\" eval --ndjson --var c=2 < " + input});
  EXPECT_EQ(ended.code, 0) << ended.error;
  const auto lines = lines_of(ended.out);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(
      lines[0],
      (Value(Object{{"value", 5}, {"type", "number"}, {"warnings", Array{}}, {"error", nullptr}})));
  for (const int index : {1, 2, 3}) {
    EXPECT_TRUE(at(lines[static_cast<std::size_t>(index)], "error").is_string()) << index;
    EXPECT_TRUE(at(lines[static_cast<std::size_t>(index)], "value").is_null()) << index;
  }
  EXPECT_EQ(at(lines[4], "value"), Value(true));
}

TEST(Decide, PrintsResultRulesAndTrace) {
  const TemporaryFolder folder;
  const auto file = folder.write("shop.dmn", discount_model());
  const auto ended = perdure({"decide", file, "--var", "the amount=250"});
  EXPECT_EQ(ended.code, 0) << ended.error;
  const auto result = ended.json();
  EXPECT_EQ(at(result, "decision"), Value("answer"));
  EXPECT_EQ(at(result, "value"), Value("10 %"));
  EXPECT_EQ(at(result, "evaluated", 0, "name"), Value("discount"));
  EXPECT_EQ(at(result, "evaluated", 0, "inputs", "the amount"), Value(250));
  EXPECT_EQ(at(result, "evaluated", 0, "matched_rules", 0, "id"), Value("large"));
  EXPECT_EQ(at(result, "warnings"), Value(Array{}));
  EXPECT_EQ(at(result, "error"), Value());
}

TEST(Decide, ByNameOrId) {
  const TemporaryFolder folder;
  const auto file = folder.write("shop.dmn", discount_model());
  for (const auto* name : {"discount", "discount_id"}) {
    const auto result =
        perdure({"decide", file, "--decision", name, "--var", "the amount=10"}).json();
    EXPECT_EQ(at(result, "value"), Value(0)) << name;
    EXPECT_EQ(at(result, "matched_rules", 0, "number"), Value(1)) << name;
  }
}

TEST(Decide, WhatCannotBeDecidedIsSaid) {
  const TemporaryFolder folder;
  const auto file = folder.write("shop.dmn", discount_model());
  const auto unknown = perdure({"decide", file, "--decision", "price"});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_EQ(unknown.error,
            "perdure: The model has no decision `price`; it has `discount`, `answer`.\n");
  EXPECT_EQ(perdure({"decide", folder.path("none.dmn")}).code, 3);
  const auto other = perdure({"decide", folder.write("a.dmn", "<a/>")});
  EXPECT_EQ(other.code, 1);
  EXPECT_NE(other.error.find("not_dmn"), std::string::npos) << other.error;
  EXPECT_EQ(other.out, "");
}

std::string example(const std::string& name) {
  return std::string(PERDURE_SOURCE_DIR) + "/examples/" + name;
}

TEST(DeployedDecision, IsCalledByTheProcessOfTheExample) {
  const TemporaryFolder folder;
  const auto data = folder.path("d");
  const auto deployed = perdure(
      {"deploy", example("discount.bpmn"), example("discount.dmn"), "--data", data, "--json"});
  ASSERT_EQ(deployed.code, 0) << deployed.error;
  EXPECT_EQ(size_of(at(deployed.json(), "definitions")), 1U);
  EXPECT_EQ(size_of(at(deployed.json(), "decisions")), 2U);
  const auto ended =
      perdure({"run", example("discount.bpmn"), "--with", example("discount.dmn"), "--data", data,
               "--var", "amount=200", "--var", R"(customer={"orders": 12})"});
  EXPECT_EQ(ended.code, 0) << ended.error;
  const auto shown = perdure({"ps", "--data", data, "--json"}).json();
  EXPECT_EQ(at(shown, "items", 0, "status"), Value("completed"));
  EXPECT_EQ(perdure({"check", "--data", data}).code, 0);
}

TEST(DeployedDecision, FilesAreListedByKindOrRefusedTogether) {
  const TemporaryFolder folder;
  const auto data = folder.path("d");
  const auto plain = perdure({"deploy", example("discount.dmn"), "--data", data});
  EXPECT_EQ(plain.code, 0) << plain.error;
  EXPECT_NE(plain.out.find("customer_class"), std::string::npos) << plain.out;
  EXPECT_NE(plain.out.find("decision"), std::string::npos) << plain.out;
  const auto bad = perdure(
      {"deploy", example("discount.bpmn"), folder.write("bad.dmn", "<nothing/>"), "--data", data});
  EXPECT_EQ(bad.code, 1) << bad.error;
  EXPECT_NE(bad.error.find("bad.dmn"), std::string::npos) << bad.error;
  EXPECT_EQ(perdure({"start", "discount", "--data", data}).code, 3);
}

} // namespace
} // namespace perdure::cli_test
