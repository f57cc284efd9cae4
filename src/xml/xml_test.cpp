// XML: places, namespaces, encodings, and every way in which a hostile or broken file ends.
#include "xml/xml.h"

#include <gtest/gtest.h>

#include <string>

#include "base/enum_text.h"

namespace perdure::xml {
namespace {

using definition::Code;

std::string repeat(std::string_view text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i)
    all += text;
  return all;
}

/// "code line:column" of the problem, or "fine".
std::string outcome(std::string_view document) {
  const auto root = parse(document);
  if (root) return "fine";
  EXPECT_TRUE(root.error().message.ends_with('.')) << root.error().message;
  return std::string(name_of(root.error().code)) + " " + std::to_string(root.error().place.line) +
         ":" + std::to_string(root.error().place.column);
}

TEST(Xml, TreeWithPlaces) {
  const auto root = parse(
      "<?xml version=\"1.0\"?>\n"
      "<m:a xmlns:m=\"http://www.omg.org/spec/BPMN/20100524/MODEL\"\n"
      "     xmlns:z=\"http://camunda.org/schema/zeebe/1.0\" x=\"1\" z:x=\"2\">one\n"
      "  <m:b/><!-- no --><z:c>&lt;&#228;<![CDATA[<raw>]]></z:c>two</m:a>");
  ASSERT_TRUE(root.has_value());
  EXPECT_TRUE(root->is(Vocabulary::bpmn, "a"));
  EXPECT_EQ(root->place.line, 2);
  EXPECT_EQ(root->place.column, 1);
  EXPECT_EQ(root->get("x"), "1");
  EXPECT_EQ(*root->find(Vocabulary::zeebe, "x"), "2");
  EXPECT_EQ(root->find(Vocabulary::camunda, "x"), nullptr);
  EXPECT_EQ(root->get("y"), "");
  ASSERT_EQ(root->children.size(), 2U);
  EXPECT_EQ(root->children[0].place.line, 4);
  EXPECT_EQ(root->children[0].place.column, 3);
  EXPECT_EQ(root->child(Vocabulary::zeebe, "c")->text, "<\u00e4<raw>");
  EXPECT_EQ(root->child(Vocabulary::bpmn, "c"), nullptr);
  EXPECT_EQ(root->text, "one\n  two");
}

TEST(Xml, Vocabularies) {
  EXPECT_EQ(parse("<a/>")->vocabulary, Vocabulary::none);
  EXPECT_EQ(parse("<a xmlns='x'/>")->vocabulary, Vocabulary::foreign);
  EXPECT_EQ(parse("<o:a xmlns:o='http://operaton.org/schema/1.0/bpmn'/>")->vocabulary,
            Vocabulary::camunda);
  EXPECT_EQ(parse("<a xmlns='https://perdure.dev/schema/1.0'/>")->vocabulary, Vocabulary::perdure);
  EXPECT_EQ(parse("<a xmlns='http://activiti.org/bpmn'/>")->vocabulary, Vocabulary::foreign);
}

TEST(Xml, Encodings) {
  EXPECT_EQ(parse("<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe4</a>")->text, "\u00e4");
  const std::string utf8_mark = "\xef\xbb\xbf<a>\u00e4</a>";
  EXPECT_EQ(parse(utf8_mark)->text, "\u00e4");
  std::string utf16 = "\xff\xfe";
  for (const char letter : std::string_view("<a>x</a>"))
    utf16 += std::string{letter, '\0'};
  EXPECT_EQ(parse(utf16)->text, "x");
}

TEST(Xml, BadEncodings) {
  EXPECT_EQ(outcome("<a>\n <b>\xff</b></a>"), "bad_encoding 2:5");
  EXPECT_EQ(outcome("<a x='\xc3('/>"), "bad_encoding 1:7");
  EXPECT_EQ(outcome("<?xml version='1.0' encoding='klingon'?><a/>"), "bad_encoding 1:31");
  EXPECT_EQ(outcome(std::string_view("\xff\xfe\x00\xd8", 4)), "bad_encoding 1:2");
}

TEST(Xml, Empty) {
  EXPECT_EQ(outcome(""), "empty_file 1:1");
  EXPECT_EQ(outcome(" \r\n\t"), "empty_file 1:1");
  EXPECT_EQ(outcome("<?xml version='1.0'?>\n<!-- nothing -->"), "bad_xml 2:17");
}

TEST(Xml, CutOffOrMalformed) {
  EXPECT_EQ(outcome("<a>\n<b>"), "bad_xml 2:4");
  EXPECT_EQ(outcome("<a>\n<b"), "bad_xml 2:1");
  EXPECT_EQ(outcome("<a>\n<![CDATA[x"), "bad_xml 2:11");
  EXPECT_EQ(outcome("<a>\n</b>"), "bad_xml 2:3");
  EXPECT_EQ(outcome("<a/><b/>"), "bad_xml 1:5");
  EXPECT_EQ(outcome("<a x='1' x='2'/>"), "bad_xml 1:10");
  EXPECT_EQ(outcome("<p:a/>"), "bad_xml 1:1");
  EXPECT_EQ(outcome("<a>&nothing;</a>"), "bad_xml 1:4");
  EXPECT_EQ(outcome("hello"), "bad_xml 1:1");
  EXPECT_EQ(outcome(std::string_view("<a>\0</a>", 8)), "bad_xml 1:4");
}

TEST(Xml, TruncationSaysSo) {
  const auto root = parse("<a><b>");
  ASSERT_FALSE(root.has_value());
  EXPECT_EQ(root.error().message,
            "The file ends in the middle of the document (2 elements are still open): it was cut "
            "off, save or copy it again.");
}

TEST(Xml, EveryCutOfADocumentIsRefused) {
  const std::string whole = "<?xml version='1.0'?><a x='1'><b>t&amp;</b><!-- c --><c/></a>";
  ASSERT_EQ(outcome(whole), "fine");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(outcome(whole.substr(0, length)), "fine") << length;
  }
}

TEST(Xml, DocumentTypesAreRefusedAtOnce) {
  std::string bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY e0 \"ha\">";
  for (int i = 1; i < 30; ++i) {
    const auto previous = "&e" + std::to_string(i - 1) + ";";
    bomb += "<!ENTITY e" + std::to_string(i) + " \"" + repeat(previous, 10) + "\">";
  }
  bomb += "]><a>&e29;</a>";
  EXPECT_EQ(outcome(bomb), "doctype_refused 2:13");
  EXPECT_EQ(outcome("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>"), "doctype_refused 1:40");
}

TEST(Xml, Depth) {
  EXPECT_EQ(outcome(repeat("<a>", kMaxDepth) + repeat("</a>", kMaxDepth)), "fine");
  EXPECT_EQ(outcome(repeat("<a>", kMaxDepth + 1) + repeat("</a>", kMaxDepth + 1)),
            "xml_too_deep 1:769");
  EXPECT_EQ(outcome(repeat("<a>", 1'000'000)), "xml_too_deep 1:769");
}

TEST(Xml, Sizes) {
  EXPECT_EQ(outcome("<a>" + std::string(kMaxBytes, 'x') + "</a>"), "file_too_large 1:1");
  EXPECT_EQ(outcome(std::string(50 * 1024 * 1024, '<')), "file_too_large 1:1");
  EXPECT_EQ(outcome("<a>" + repeat("<b/>", kMaxElements - 1) + "</a>"), "fine");
  EXPECT_EQ(outcome("<a>" + repeat("<b/>", kMaxElements) + "</a>"), "too_many_elements 1:800000");
  std::string attributes;
  for (std::size_t i = 0; i < kMaxAttributes; ++i)
    attributes += " a" + std::to_string(i) + "=''";
  EXPECT_EQ(outcome("<a" + attributes + "/>"), "fine");
  EXPECT_EQ(outcome("<a" + attributes + " z=''/>"), "too_many_attributes 1:1");
}

TEST(Trim, BothSides) {
  EXPECT_EQ(trim(" \n a b\t"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(IsTrue, AsXmlSchemaSpellsIt) {
  EXPECT_TRUE(is_true("true"));
  EXPECT_TRUE(is_true(" 1 "));
  EXPECT_FALSE(is_true("TRUE"));
  EXPECT_FALSE(is_true("false"));
  EXPECT_FALSE(is_true(""));
}

} // namespace
} // namespace perdure::xml
