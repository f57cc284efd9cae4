// Each house rule fires on a small bad sample and keeps quiet on its good twin.
#include "tidy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace perdure::tidy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kRooms = R"(
room base
room facts         base
room store         base facts
room store/sqlite  base facts store
room app           base facts store store/sqlite
pure facts
front perdure/value.h  any
front perdure/engine.h app
header boost/json      base
header sqlite3.h       store/sqlite
header gtest           tests
)";

constexpr const char* kBuild = R"(
perdure_room(base)
perdure_room(facts DEPS base)
perdure_room(store DEPS base facts)
perdure_room(store/sqlite DEPS base facts store
             LIBS sqlite3)
perdure_room(app DEPS base facts store store_sqlite)
)";

/// Findings of a small tree: the rooms above and the given files.
Findings check(std::vector<SourceFile> files) {
  const auto has = [&](std::string_view path) {
    return std::ranges::find(files, path, &SourceFile::path) != files.end();
  };
  if (!has("src/rooms.txt")) files.push_back({"src/rooms.txt", kRooms});
  if (!has("CMakeLists.txt")) files.push_back({"CMakeLists.txt", kBuild});
  std::erase_if(files, [](const SourceFile& file) { return file.text.empty(); });
  Findings findings = check_tree(files);
  // The two files above begin with an empty line so as to read well here; that is no matter.
  std::erase_if(findings, [](const Finding& finding) {
    return finding.rule == "white-space" && finding.path == "src/rooms.txt";
  });
  return findings;
}

/// "path:line rule" of each finding.
std::vector<std::string> places(const Findings& findings) {
  std::vector<std::string> texts;
  for (const Finding& finding : findings) {
    texts.push_back(finding.path + ":" + std::to_string(finding.line) + " " + finding.rule);
  }
  return texts;
}

/// Places of the findings for one file with a head comment in line 1; `body` starts in line 2.
std::vector<std::string> judge(const std::string& path, const std::string& body) {
  const std::string head = path.ends_with(".sql") ? "-- Head.\n"
                           : path.ends_with(".h") ? "// Head.\n#pragma once\n"
                                                  : "// Head.\n";
  return places(check({{path, head + body}}));
}

std::string lines(std::size_t count, const std::string& line) {
  std::string text;
  for (std::size_t at = 0; at < count; ++at)
    text += line + "\n";
  return text;
}

TEST(TidyRooms, AcceptsWhatTheRowSays) {
  EXPECT_THAT(judge("src/store/a.cpp", "#include <vector>\n#include \"facts/fact.h\"\n"),
              IsEmpty());
  EXPECT_THAT(judge("src/store/sqlite/a.cpp", "#include <sqlite3.h>\n#include \"store/b.h\"\n"),
              IsEmpty());
  EXPECT_THAT(judge("src/facts/a.h", "#include \"perdure/value.h\"\n"), IsEmpty());
  EXPECT_THAT(judge("src/facts/a_test.cpp", "#include <gtest/gtest.h>\n#include <thread>\n"),
              IsEmpty());
  EXPECT_THAT(judge("src/facts/test_a.h", "#include <gtest/gtest.h>\n"), IsEmpty());
}

TEST(TidyRooms, RefusesOtherRooms) {
  EXPECT_THAT(judge("src/facts/a.cpp", "#include \"store/b.h\"\n"),
              ElementsAre("src/facts/a.cpp:2 rooms"));
  EXPECT_THAT(judge("src/store/a.cpp", "#include \"store/sqlite/b.h\"\n"),
              ElementsAre("src/store/a.cpp:2 rooms"));
  EXPECT_THAT(judge("src/facts/a.cpp", "#include \"b.h\"\n"),
              ElementsAre("src/facts/a.cpp:2 rooms"));
  EXPECT_THAT(judge("src/facts/a.cpp", "#include \"perdure/engine.h\"\n"),
              ElementsAre("src/facts/a.cpp:2 rooms"));
  EXPECT_THAT(judge("src/attic/a.cpp", "#include <vector>\n"),
              ElementsAre("src/attic/a.cpp:1 rooms"));
  EXPECT_THAT(judge("include/perdure/flow.h", "#include \"base/json.h\"\n"),
              ElementsAre("include/perdure/flow.h:3 rooms"));
}

TEST(TidyRooms, RefusesLibrariesOfOtherRooms) {
  EXPECT_THAT(judge("src/store/a.cpp", "#include <sqlite3.h>\n"),
              ElementsAre("src/store/a.cpp:2 rooms"));
  EXPECT_THAT(judge("src/base/a.cpp", "#include <curl/curl.h>\n"),
              ElementsAre("src/base/a.cpp:2 rooms"));
  EXPECT_THAT(judge("src/base/a.cpp", "#include <gtest/gtest.h>\n"),
              ElementsAre("src/base/a.cpp:2 rooms"));
  EXPECT_THAT(judge("include/perdure/flow.h", "#include <sqlite3.h>\n"),
              ElementsAre("include/perdure/flow.h:3 rooms"));
}

TEST(TidyRooms, RefusesImpureHeadersInPureRooms) {
  EXPECT_THAT(judge("src/facts/a.cpp", "#include <random>\n"),
              ElementsAre("src/facts/a.cpp:2 rooms"));
  EXPECT_THAT(judge("src/store/a.cpp", "#include <random>\n"), IsEmpty());
}

TEST(TidyRooms, ComparesWithTheBuild) {
  const std::string build = "perdure_room(base)\nperdure_room(facts)\nperdure_room(attic)\n";
  const Findings findings = check(
      {{"src/rooms.txt", "room base\nroom facts base\nroom net\n"}, {"CMakeLists.txt", build}});
  EXPECT_THAT(places(findings), ElementsAre("CMakeLists.txt:2 rooms", "CMakeLists.txt:3 rooms",
                                            "src/rooms.txt:1 rooms"));
  EXPECT_THAT(findings[0].message, HasSubstr("says base"));
}

TEST(TidyRooms, RefusesALineItCannotRead) {
  EXPECT_THAT(places(check({{"src/rooms.txt", "chamber base\n"}, {"CMakeLists.txt", ""}})),
              ElementsAre("src/rooms.txt:1 rooms"));
}

TEST(TidyCpp, WantsTheOwnHeaderFirst) {
  const SourceFile header{"src/base/a.h", "// Head.\n#pragma once\n"};
  const std::string own = "#include \"base/a.h\"\n";
  EXPECT_THAT(check({header, {"src/base/a.cpp", own + "#include <vector>\n"}}), IsEmpty());
  EXPECT_THAT(places(check({header, {"src/base/a.cpp", "#include <vector>\n" + own}})),
              ElementsAre("src/base/a.cpp:1 own-header"));
  const SourceFile front{"include/perdure/value.h", "// Head.\n#pragma once\n"};
  EXPECT_THAT(check({front, {"src/base/value.cpp", "#include \"perdure/value.h\"\n"}}), IsEmpty());
  EXPECT_THAT(places(check({front, {"src/base/value.cpp", "int a;\n"}})),
              ElementsAre("src/base/value.cpp:1 own-header"));
}

TEST(TidyCpp, WantsAHeadCommentAndPragmaOnce) {
  EXPECT_THAT(places(check({{"src/base/a.h", "int a();\n"}})),
              ElementsAre("src/base/a.h:1 head-comment", "src/base/a.h:1 pragma-once"));
  EXPECT_THAT(places(check({{"tests/a.cpp", "int a;\n"}})),
              ElementsAre("tests/a.cpp:1 head-comment"));
  const SourceFile header{"src/base/a.h", "// Head.\n#pragma once\n"};
  EXPECT_THAT(check({header, {"src/base/a_test.cpp", "int a;\n"}}), IsEmpty());
}

TEST(TidyCpp, BoundsLinesInCharacters) {
  EXPECT_THAT(judge("src/base/a.cpp", "// " + std::string(97, 'x') + "\n"), IsEmpty());
  EXPECT_THAT(judge("src/base/a.cpp", "// " + std::string(98, 'x') + "\n"),
              ElementsAre("src/base/a.cpp:2 line-length"));
  std::string umlauts = "// ";
  for (int count = 0; count < 97; ++count)
    umlauts += "\u00e4";
  EXPECT_THAT(judge("src/base/a.cpp", umlauts + "\n"), IsEmpty());
}

TEST(TidyCpp, BoundsFiles) {
  EXPECT_THAT(judge("src/base/a.cpp", lines(799, "int a;")), IsEmpty());
  EXPECT_THAT(judge("src/base/a.cpp", lines(800, "int a;")),
              ElementsAre("src/base/a.cpp:1 file-length"));
}

TEST(TidyCpp, BoundsFunctions) {
  const std::string fits = "void f() {\n" + lines(68, "  g();") + "}\n";
  const std::string grown = "void f() {\n" + lines(69, "  g();") + "}\n";
  EXPECT_THAT(judge("src/base/a.cpp", fits + fits), IsEmpty());
  EXPECT_THAT(judge("src/base/a.cpp", "namespace a {\nclass B {\npublic:\n" + grown + "};\n}\n"),
              ElementsAre("src/base/a.cpp:5 function-length"));
  EXPECT_THAT(judge("tests/a.cpp", "TEST(A, B) {\n" + lines(70, "  g('{', \"}\");") + "}\n"),
              ElementsAre("tests/a.cpp:2 function-length"));
}

TEST(TidyCpp, ExceptionsOnlyShrink) {
  const std::string grown = "// Head.\nvoid f() {\n" + lines(69, "  g();") + "}\n";
  const auto with = [&](const std::string& exception) {
    return check({{"src/base/a.cpp", grown}, {"tools/tidy_exceptions.txt", exception + "\n"}});
  };
  EXPECT_THAT(with("function-length src/base/a.cpp f 71"), IsEmpty());
  EXPECT_THAT(with("function-length src/base/a.cpp f 70"),
              ElementsAre(testing::Field(&Finding::message, HasSubstr("exceptions only shrink"))));
  EXPECT_THAT(with("function-length src/base/a.cpp f 90"),
              ElementsAre(testing::Field(&Finding::message, HasSubstr("lower its exception"))));
  EXPECT_THAT(
      places(with("function-length src/base/a.cpp h 71")),
      ElementsAre("src/base/a.cpp:2 function-length", "tools/tidy_exceptions.txt:1 exceptions"));
  EXPECT_THAT(places(with("function-length src/base/a.cpp f 71\nsleep")),
              ElementsAre("tools/tidy_exceptions.txt:2 exceptions"));
}

TEST(TidyCpp, RefusesSleepUnlessExcepted) {
  const std::string sleeps = "// Head.\nvoid f() { std::this_thread::sleep_for(1s); }\n";
  EXPECT_THAT(places(check({{"tests/a.cpp", sleeps}})), ElementsAre("tests/a.cpp:2 sleep"));
  EXPECT_THAT(
      check({{"tests/a.cpp", sleeps}, {"tools/tidy_exceptions.txt", "sleep tests/a.cpp\n"}}),
      IsEmpty());
  EXPECT_THAT(
      judge("src/base/a.cpp", "// this_thread::sleep_for\nInstant sleep_until(Instant now);\n"),
      IsEmpty());
}

TEST(TidyCpp, RefusesClocksOutputAndUsingStd) {
  EXPECT_THAT(judge("src/store/a.cpp", "auto a = std::chrono::system_clock::now();\n"),
              ElementsAre("src/store/a.cpp:2 clock"));
  EXPECT_THAT(judge("src/facts/a.cpp", "auto a = std::chrono::steady_clock::now();\n"),
              ElementsAre("src/facts/a.cpp:2 clock"));
  EXPECT_THAT(judge("src/store/a.cpp", "auto a = std::chrono::steady_clock::now();\n"), IsEmpty());
  EXPECT_THAT(judge("src/store/a.cpp", "void f() { std::cout << 1; }\n"),
              ElementsAre("src/store/a.cpp:2 stdout"));
  EXPECT_THAT(judge("src/app/a.cpp", "void f() { std::cout << 1; }\n"), IsEmpty());
  EXPECT_THAT(judge("tests/a.cpp", "using namespace std;\n"),
              ElementsAre("tests/a.cpp:2 using-std"));
  EXPECT_THAT(judge("src/store/a.cpp", "boost::json::value a;\n"),
              ElementsAre("src/store/a.cpp:2 json"));
}

TEST(TidyCpp, RefusesMemoryInPureRooms) {
  EXPECT_THAT(judge("src/facts/a.cpp", "static int counter = 0;\n"),
              ElementsAre("src/facts/a.cpp:2 static"));
  EXPECT_THAT(judge("src/facts/a.cpp", "struct A { mutable int cache; };\n"),
              ElementsAre("src/facts/a.cpp:2 static"));
  EXPECT_THAT(judge("src/facts/a.cpp", "thread_local int counter;\n"),
              ElementsAre("src/facts/a.cpp:2 static"));
  EXPECT_THAT(judge("src/facts/a.cpp",
                    "static constexpr int kA = 1;\nstatic int f(int a);\n"
                    "auto g = [a]() mutable { return a; };\nstatic_assert(true);\n"),
              IsEmpty());
  EXPECT_THAT(judge("src/store/a.cpp", "static int counter = 0;\n"), IsEmpty());
}

TEST(TidyCpp, RefusesSqlInStrings) {
  for (const char* sql : {"SELECT a FROM b", "INSERT INTO a VALUES (1)", "UPDATE a SET b = 1",
                          "DELETE FROM a", "CREATE TABLE a (b)", "PRAGMA foreign_keys = ON"}) {
    EXPECT_THAT(judge("src/store/a.cpp", "auto a = \"" + std::string(sql) + "\";\n"),
                ElementsAre("src/store/a.cpp:2 sql"));
    EXPECT_THAT(judge("src/store/a.cpp", "\nauto a = R\"(\n" + std::string(sql) + ")\";\n"),
                ElementsAre("src/store/a.cpp:3 sql"));
    EXPECT_THAT(judge("src/store/a.cpp", "// " + std::string(sql) + "\n"), IsEmpty());
    EXPECT_THAT(judge("src/store/a_test.cpp", "auto a = \"" + std::string(sql) + "\";\n"),
                IsEmpty());
  }
  EXPECT_THAT(judge("src/store/a.cpp", "auto a = \"Select another one from the list.\";\n"),
              IsEmpty());
}

TEST(TidySql, RefusesLongInListsInChecks) {
  const std::string path = "src/store/sql/schema/0001_a.sql";
  EXPECT_THAT(judge(path, "CREATE TABLE a (b TEXT,\n  CHECK (b in ('x', 'y', 'z')));\n"),
              ElementsAre(path + ":3 check-in"));
  EXPECT_THAT(judge(path, "CREATE TABLE a (b TEXT CHECK (b IN ('x', 'y')), c, d);\n"), IsEmpty());
  EXPECT_THAT(judge(path, "SELECT 1 WHERE a IN (1, 2, 3); -- CHECK (a IN (1, 2, 3))\n"), IsEmpty());
  EXPECT_THAT(places(check({{path, "CREATE TABLE a (b);\n"}})),
              ElementsAre(path + ":1 head-comment"));
}

TEST(TidyText, RefusesStrayWhiteSpace) {
  EXPECT_THAT(judge("src/base/a.cpp", "int a; \n"), ElementsAre("src/base/a.cpp:2 white-space"));
  EXPECT_THAT(judge("src/base/a.cpp", "\tint a;\n"), ElementsAre("src/base/a.cpp:2 white-space"));
  EXPECT_THAT(judge("src/base/a.cpp", "int a;"), ElementsAre("src/base/a.cpp:2 white-space"));
  EXPECT_THAT(judge("src/base/a.cpp", "int a;\n\n"), ElementsAre("src/base/a.cpp:3 white-space"));
  EXPECT_THAT(judge("src/base/a.cpp", "int a;\r\n"), SizeIs(1));
  EXPECT_THAT(check({{"Makefile", "a:\n\techo\n"}}), IsEmpty());
}

TEST(TidyText, RefusesMarksOfUnfinishedWork) {
  EXPECT_THAT(judge("src/base/a.cpp",
                    "// TO"
                    "DO: later\n"),
              ElementsAre("src/base/a.cpp:2 unfinished"));
  EXPECT_THAT(judge("src/base/a.cpp", "const char* a = \"/tmp/aXXXXXX\";\n"), IsEmpty());
}

TEST(TidyText, RefusesMachinePathsAndRegistries) {
  EXPECT_THAT(places(check({{"docs/a.json",
                             "\"/ho"
                             "me/somebody\"\n"}})),
              ElementsAre("docs/a.json:1 machine-path"));
  EXPECT_THAT(check({{"docs/a.json",
                      "\"src/ho"
                      "me/somebody\"\n"}}),
              IsEmpty());
  EXPECT_THAT(places(check({{"package-lock.json",
                             "https://registry.npm"
                             "js.org/a\n"}})),
              ElementsAre("package-lock.json:1 registry"));
}

TEST(TidyText, FollowsLocalLinks) {
  const SourceFile target{"docs/elements.md", "Elements\n"};
  EXPECT_THAT(
      check({target, {"README.md", "[a](docs/elements.md#x) [b](docs) [c](https://x.org)\n"}}),
      IsEmpty());
  EXPECT_THAT(check({target, {"docs/a.md", "[a](../README.md)\n"}, {"README.md", "Read\n"}}),
              IsEmpty());
  EXPECT_THAT(places(check({{"README.md", "One\n[a](docs/gone.md)\n```\n[b](gone)\n```\n"}})),
              ElementsAre("README.md:2 link"));
}

TEST(TidySource, FindsFunctionsByTheirBraces) {
  const Scan scanned = scan(R"(
namespace a {
struct B : C {
  B(int x) : x_{x}, y_(1) {
    for (;;) { g(); }
  }
  int get() const { return x_; }
  std::vector<int> list = {1, 2};
};
enum class E { one, two };
template <class T>
T Named::twice(T value) {
  auto inner = [&] { return value; };
  return inner() + 1'000 + '"';
}
TEST(Suite, Name) {
}
#define MACRO { (
} // namespace a
)");
  std::vector<std::string> found;
  for (const Function& function : functions(scanned)) {
    found.push_back(function.name + " " + std::to_string(function.first_line) + "-" +
                    std::to_string(function.last_line));
  }
  EXPECT_THAT(found,
              ElementsAre("B 4-6", "get 7-7", "Named::twice 11-15", "TEST(Suite, Name) 16-17"));
}

} // namespace
} // namespace perdure::tidy
