// Reading: versions, references, imports, types, and every way in which a model is refused.
#include "dmn/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dmn/model_for_tests.h"

namespace perdure::dmn {
namespace {

using for_tests::decide;
using for_tests::decision;
using for_tests::feel;
using for_tests::file;
using for_tests::input;
using for_tests::problems;
using for_tests::read_all;
using for_tests::requires_decision;
using for_tests::requires_input;
using for_tests::requires_knowledge;
using for_tests::sound;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> names_of(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries)
    names.push_back(entry.name);
  return names;
}

TEST(ReadDmn, EveryVersionOfTheNamespace) {
  for (const auto* version : {"http://www.omg.org/spec/DMN/20151101/dmn.xsd",
                              "http://www.omg.org/spec/DMN/20151101/dmn11.xsd",
                              "http://www.omg.org/spec/DMN/20180521/MODEL/",
                              "https://www.omg.org/spec/DMN/20191111/MODEL/",
                              "https://www.omg.org/spec/DMN/20211108/MODEL/",
                              "https://www.omg.org/spec/DMN/20230324/MODEL/"}) {
    const auto document = "<x:definitions xmlns:x=\"" + std::string(version) +
                          "\" namespace=\"n\"><x:decision name=\"d\"><x:literalExpression>"
                          "<x:text>1 + 1</x:text></x:literalExpression></x:decision>"
                          "</x:definitions>";
    EXPECT_EQ(decide(sound({document}), "d").value, "2") << version;
  }
}

TEST(ReadDmn, WhatTheModelOffers) {
  const auto model = sound({file(input("a", "number") + decision("b", feel("1")) +
                                 decision("c", requires_decision("b") + feel("b")) +
                                 "<decisionService id='s' name='s'><outputDecision href='#c'/>"
                                 "</decisionService>")});
  EXPECT_EQ(model->name(), "M");
  EXPECT_EQ(model->id(), "m");
  EXPECT_EQ(model->model_namespace(), "urn:m");
  EXPECT_THAT(names_of(model->inputs()), ElementsAre("a"));
  EXPECT_THAT(names_of(model->decisions()), ElementsAre("b", "c"));
  EXPECT_THAT(names_of(model->services()), ElementsAre("s"));
  EXPECT_THAT(names_of(model->results()), ElementsAre("c"));
}

TEST(ReadDmn, WhatIsNoDmn) {
  EXPECT_THAT(problems(read_all({""})), ElementsAre("empty_file 1:1 "));
  EXPECT_THAT(problems(read_all({"<a/>"})), ElementsAre("not_dmn 1:1 "));
  EXPECT_THAT(problems(read_all({"<definitions id='x' xmlns='urn:other'/>"})),
              ElementsAre("not_dmn 1:1 x"));
  EXPECT_THAT(problems(read_all({"<!DOCTYPE a><a/>"})), ElementsAre("doctype_refused 1:12 "));
  EXPECT_EQ(read_all({"<a/>"}).model, nullptr);
  EXPECT_FALSE(read_all({"<a/>"}).is_sound());
  EXPECT_EQ(read({}).model, nullptr);
}

TEST(ReadDmn, ReferencesAreResolvedOrNamed) {
  const auto broken = read_all(
      {file("<decision id='d' name='d'>\n" + requires_decision("x") + "\n" + requires_input("e") +
            feel("1") + "</decision>\n" + decision("e", feel("2")))});
  EXPECT_THAT(problems(broken),
              ElementsAre("unknown_reference 3:25 d", "unknown_reference 4:25 d"));
  EXPECT_EQ(decide(broken.model, "d").value, "1");
}

TEST(ReadDmn, NamesAndIdsAreUnique) {
  const auto twice =
      read_all({file("<inputData id='a' name='x'/>\n<inputData id='a' name='x'/>\n"
                     "<inputData/>\n<itemDefinition name='t'/>\n"
                     "<itemDefinition name='t'/>\n<itemDefinition/>")});
  EXPECT_THAT(problems(twice),
              ElementsAre("duplicate_id 3:1 a", "duplicate_name 3:1 a", "missing_name 4:1 ",
                          "duplicate_name 6:1 ", "missing_name 7:1 "));
}

TEST(ReadDmn, CirclesAreNamedOnceAndTheRestWorks) {
  const auto model = read_all(
      {file(decision("a", requires_decision("b") + feel("b")) + "\n" +
            decision("b", requires_decision("c") + feel("c")) + "\n" +
            decision("c", requires_decision("b") + feel("b")) + "\n" + decision("d", feel("7")))});
  EXPECT_THAT(problems(model), ElementsAre("requirement_cycle 3:1 b"));
  EXPECT_THAT(model.diagnostics[0].message,
              HasSubstr("`b` requires `c` requires `b`; remove one of them."));
  EXPECT_EQ(decide(model.model, "d").value, "7");
  const auto in_circle = decide(model.model, "a");
  EXPECT_EQ(in_circle.value, "null");
  EXPECT_THAT(in_circle.reasons, ElementsAre(HasSubstr("go in a circle")));
}

TEST(ReadDmn, ADecisionThatRequiresItself) {
  const auto model = read_all({file(decision("a", requires_decision("a") + feel("a")))});
  EXPECT_THAT(problems(model), ElementsAre("requirement_cycle 2:1 a"));
  EXPECT_EQ(decide(model.model, "a").value, "null");
}

TEST(ReadDmn, BadExpressionsAreLocatedAndOnlyTheyFail) {
  const auto model = read_all(
      {file(decision("good", feel("1")) +
            "\n<decision id='bad' name='bad'>\n<literalExpression id='le'>\n<text>1 +</text>"
            "</literalExpression></decision>\n" +
            decision("user", requires_decision("bad") + feel("bad = null")))});
  EXPECT_THAT(problems(model), ElementsAre("bad_expression 5:1 le"));
  EXPECT_FALSE(model.is_sound());
  EXPECT_EQ(decide(model.model, "good").value, "1");
  const auto user = decide(model.model, "user");
  EXPECT_EQ(user.value, "true");
  EXPECT_THAT(user.reasons, ElementsAre(HasSubstr("`1 +` is wrong at its column")));
}

TEST(ReadDmn, EmptyPartsAreNamed) {
  const auto model = read_all(
      {file(decision("a", "<literalExpression/>") + decision("b", "<conditional id='i'/>") +
            decision("c", "<context><contextEntry><variable name='x'/></contextEntry></context>") +
            decision("d", "<invocation/>") + "<businessKnowledgeModel id='k' name='k'/>")});
  EXPECT_EQ(model.diagnostics.size(), 7U);
  for (const auto& found : model.diagnostics)
    EXPECT_EQ(found.code, "missing_expression") << found.message;
  for (const auto* name : {"a", "b", "d"})
    EXPECT_EQ(decide(model.model, name).value, "null") << name;
  EXPECT_EQ(decide(model.model, "c").value, "{\"x\":null}");
}

TEST(ReadDmn, EntriesOfAContextHaveTheirOwnNames) {
  const auto entry = "<contextEntry><variable name='a'/>" + feel("1") + "</contextEntry>";
  const auto model = read_all({file(decision("d", "<context>" + entry + entry + "</context>"))});
  ASSERT_EQ(model.diagnostics.size(), 1U);
  EXPECT_EQ(model.diagnostics[0].code, "duplicate_name");
  EXPECT_EQ(decide(model.model, "d").value, "null");
}

TEST(ReadDmn, ForeignFunctionsAndLanguagesAreRefusedByName) {
  const auto model = read_all({file(
      decision("j",
               "<functionDefinition id='f' kind='Java'>" + feel("1") + "</functionDefinition>") +
      decision("p", "<functionDefinition kind='PMML'>" + feel("1") + "</functionDefinition>") +
      decision("l",
               "<literalExpression expressionLanguage='groovy'><text>1</text>"
               "</literalExpression>"))});
  ASSERT_EQ(model.diagnostics.size(), 3U);
  EXPECT_EQ(model.diagnostics[0].code, "unsupported_function");
  EXPECT_THAT(model.diagnostics[0].message, HasSubstr("`Java`"));
  EXPECT_THAT(model.diagnostics[1].message, HasSubstr("`PMML`"));
  EXPECT_EQ(model.diagnostics[2].code, "unsupported_language");
  EXPECT_THAT(model.diagnostics[2].message, HasSubstr("`groovy`"));
  EXPECT_THAT(decide(model.model, "l").reasons, ElementsAre(HasSubstr("`groovy`")));
}

TEST(ReadDmn, ImportsGiveTypesDecisionsAndKnowledge) {
  const auto imported =
      file("<itemDefinition name='tAge'><typeRef>number</typeRef></itemDefinition>" +
               input("age", "tAge") + decision("older", requires_input("age") + feel("age + 1")) +
               "<businessKnowledgeModel id='twice' name='twice'><encapsulatedLogic>"
               "<formalParameter name='x' typeRef='tAge'/>" +
               feel("x * 2") + "</encapsulatedLogic></businessKnowledgeModel>",
           "urn:base");
  const auto main = file(
      "<import namespace='urn:base' name='base' "
      "importType='https://www.omg.org/spec/DMN/20230324/MODEL/'/>" +
      decision("d",
               "<informationRequirement><requiredDecision href='urn:base#older'/>"
               "</informationRequirement><knowledgeRequirement><requiredKnowledge "
               "href='urn:base#twice'/></knowledgeRequirement>" +
                   feel("base.twice(base.older)"),
               "base.tAge"));
  const auto model = sound({main, imported});
  EXPECT_EQ(decide(model, "d", "{\"age\": 20}").value, "42");
  EXPECT_THAT(names_of(model->decisions()), ElementsAre("d"));
}

TEST(ReadDmn, ImportsThatAreNotThereAreNamed) {
  const auto main = file(
      "<import id='i' namespace='urn:base' name='base' "
      "importType='https://www.omg.org/spec/DMN/20230324/MODEL/'/>\n<import namespace='urn:x' "
      "importType='http://www.w3.org/2001/XMLSchema'/>\n" +
      decision("d",
               "<informationRequirement><requiredDecision href='urn:base#older'/>"
               "</informationRequirement>" +
                   feel("1")));
  const auto reading = read_all({main});
  EXPECT_THAT(problems(reading), ElementsAre("missing_import 2:1 i", "ignored_extension 3:1 ",
                                             HasSubstr("unknown_reference 4:")));
}

TEST(ReadDmn, ModelsMayImportEachOther) {
  const auto one = file(
      "<import namespace='urn:b' name='b' "
      "importType='https://www.omg.org/spec/DMN/20230324/MODEL/'/>" +
          decision("x",
                   "<informationRequirement><requiredDecision href='urn:b#y'/>"
                   "</informationRequirement>" +
                       feel("b.y")),
      "urn:a");
  const auto two = file(
      "<import namespace='urn:a' name='a' "
      "importType='https://www.omg.org/spec/DMN/20230324/MODEL/'/>" +
          decision("y",
                   "<informationRequirement><requiredDecision href='urn:a#x'/>"
                   "</informationRequirement>" +
                       feel("a.x")),
      "urn:b");
  const auto reading = read_all({one, two});
  ASSERT_EQ(reading.diagnostics.size(), 1U);
  EXPECT_EQ(reading.diagnostics[0].code, "requirement_cycle");
  EXPECT_EQ(decide(reading.model, "x").value, "null");
}

TEST(ReadDmn, NamesOfElementsWithoutVariable) {
  const auto model =
      sound({file("<inputData id='in_1' name='the input'/>"
                  "<decision id='d' name='the decision'>" +
                  requires_input("in_1") + feel("the input + in_1") + "</decision>")});
  EXPECT_EQ(decide(model, "the decision", "{\"the input\": 4}").value, "8");
  EXPECT_EQ(decide(model, "d", "{\"the input\": 4}").value, "8");
}

TEST(ReadDmn, OutputsOfTablesWithoutVariableHaveNamesToo) {
  const auto table = [](const std::string& outputs, const std::string& entries) {
    return "<decisionTable><input><inputExpression><text>temperature</text></inputExpression>"
           "</input>" +
           outputs + "<rule><inputEntry><text>> 20</text></inputEntry>" + entries +
           "</rule></decisionTable>";
  };
  const auto model = sound({file(
      "<decision id='one' name='One'>" +
      table("<output name='season'/>", "<outputEntry><text>\"summer\"</text></outputEntry>") +
      "</decision><decision id='two' name='Two'>" +
      table("<output name='x'/><output name='y'/>",
            "<outputEntry><text>1</text></outputEntry><outputEntry><text>2</text></outputEntry>") +
      "</decision>" +
      decision("d", requires_decision("one") + requires_decision("two") +
                        feel("[season, One, one, x, y, Two.x]")))});
  EXPECT_EQ(decide(model, "d", "{\"temperature\": 30}").value,
            R"(["summer","summer","summer",1,2,1])");
}

TEST(ReadDmn, KnowledgeRequiresKnowledge) {
  const auto knowledge = [](std::string_view name, const std::string& content) {
    return "<businessKnowledgeModel id='" + std::string(name) + "' name='" + std::string(name) +
           "'>" + content + "</businessKnowledgeModel>";
  };
  const auto model = sound(
      {file(knowledge("one", "<encapsulatedLogic><formalParameter name='x'/>" + feel("x + 1") +
                                 "</encapsulatedLogic>") +
            knowledge("two", "<encapsulatedLogic><formalParameter name='x'/>" + feel("one(x) * 2") +
                                 "</encapsulatedLogic>" + requires_knowledge("one")) +
            decision("d", requires_knowledge("two") + feel("two(4)")))});
  EXPECT_EQ(decide(model, "d").value, "10");
}

TEST(ReadDmn, TypesThatAreUnknownOrDefinedByThemselves) {
  const auto reading = read_all(
      {file("<itemDefinition id='1' name='a'><typeRef>b</typeRef></itemDefinition>\n"
            "<itemDefinition id='2' name='b'><typeRef>a</typeRef></itemDefinition>\n"
            "<itemDefinition id='3' name='c'><typeRef>nothing</typeRef></itemDefinition>\n" +
            decision("d", feel("1"), "other"))});
  ASSERT_EQ(reading.diagnostics.size(), 3U);
  EXPECT_EQ(reading.diagnostics[0].code, "bad_type");
  EXPECT_EQ(reading.diagnostics[1].code, "unknown_type");
  EXPECT_EQ(reading.diagnostics[2].code, "unknown_type");
  EXPECT_EQ(decide(reading.model, "d").value, "1");
}

TEST(ReadDmn, LongChainsOfTypesEnd) {
  std::string content;
  for (int i = 0; i < 500; ++i) {
    content += "<itemDefinition name='t" + std::to_string(i) + "'><typeRef>t" +
               std::to_string(i + 1) + "</typeRef></itemDefinition>";
  }
  const auto reading = read_all({file(content + decision("d", feel("1"), "t0"))});
  EXPECT_FALSE(reading.is_sound());
  EXPECT_EQ(decide(reading.model, "d").value, "1");
}

TEST(ReadDmn, TreesOfOneType) {
  const auto model = sound({file(
      "<itemDefinition name='tTree'><itemComponent name='value'><typeRef>number</typeRef>"
      "</itemComponent><itemComponent name='children' isCollection='true'><typeRef>tTree</typeRef>"
      "</itemComponent></itemDefinition>" +
      input("tree", "tTree") +
      decision("d", requires_input("tree") + feel("tree.children[1].value")))});
  EXPECT_EQ(
      decide(model, "d", R"({"tree": {"value": 1, "children": [{"value": 2, "children": []}]}})")
          .value,
      "2");
  const auto wrong =
      decide(model, "d", R"({"tree": {"value": 1, "children": [{"value": "x", "children": []}]}})");
  EXPECT_EQ(wrong.value, "null");
  EXPECT_THAT(wrong.reasons, Not(IsEmpty()));
}

} // namespace
} // namespace perdure::dmn
