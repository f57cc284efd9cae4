// sqlgen on small folders: what it writes, and the place it names for each mistake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// A folder of .sql files and what sqlgen makes of it.
class SqlGen : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sqlgen_test_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }

  /// The header, or the error text when sqlgen refuses.
  std::string run() {
    const fs::path header = folder_ / "generated" / "sql.h";
    const std::string command =
        std::string(PERDURE_SQLGEN) + " " + folder_.string() + " " + header.string() + " 2>&1";
    std::FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    std::array<char, 4096> chunk{};
    while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), pipe)) {
      output.append(chunk.data(), count);
    }
    if (pclose(pipe) != 0) return output;
    std::ifstream in(header);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
};

TEST_F(SqlGen, WritesQueriesWithoutCommentsAndMigrationsWithThem) {
  write("schema/0001_core.sql", "-- Core.\nCREATE TABLE a (b) STRICT;\n");
  write("queries/a.sql",
        "-- About a.\n\n-- name: a_all\n-- columns: b\nSELECT b -- why\n  FROM a\n"
        " WHERE b <> '--'\n\n-- name: a_add\nINSERT INTO a VALUES (?1)\n");
  const std::string header = run();
  EXPECT_THAT(header, HasSubstr("/// columns: b\ninline constexpr Query a_all{\"a_all\", "
                                "R\"sql(SELECT b\n  FROM a\n WHERE b <> '--')sql\"};"));
  EXPECT_THAT(header, HasSubstr("std::array<Query, 2> kQueries"));
  EXPECT_THAT(header, HasSubstr("Migration{1, \"core\", R\"sql(-- Core.\nCREATE TABLE a"));
  EXPECT_THAT(header, Not(HasSubstr("postgres")));
}

TEST_F(SqlGen, GivesEachDialectItsOwnText) {
  write("schema/0001_core.sqlite.sql", "-- Core.\nCREATE TABLE a (b) STRICT;\n");
  write("schema/0001_core.postgres.sql", "-- Core.\nCREATE TABLE a (b bigint);\n");
  write("queries/a.sqlite.sql", "-- name: a_all\nSELECT 1\n");
  write("queries/a.postgres.sql", "-- name: a_all\nSELECT 2\n");
  write("queries/b.sql", "-- name: b_all\nSELECT 3\n");
  const std::string header = run();
  const std::size_t second = header.find("namespace sqlite");
  ASSERT_NE(second, std::string::npos) << header;
  const std::string postgres = header.substr(0, second);
  const std::string sqlite = header.substr(second);
  EXPECT_THAT(postgres, HasSubstr("SELECT 2"));
  EXPECT_THAT(postgres, HasSubstr("SELECT 3"));
  EXPECT_THAT(postgres, HasSubstr("kPostgresMigrations"));
  EXPECT_THAT(sqlite, HasSubstr("SELECT 1"));
  EXPECT_THAT(sqlite, HasSubstr("SELECT 3"));
  EXPECT_THAT(sqlite, Not(HasSubstr("SELECT 2")));
}

TEST_F(SqlGen, CutsLongTextsIntoSeveralLiterals) {
  std::string text = "-- Long.\n";
  for (int line = 0; line < 1000; ++line)
    text += "-- twenty characters\n";
  write("schema/0001_long.sql", text);
  EXPECT_THAT(run(), HasSubstr(")sql\"\nR\"sql("));
}

TEST_F(SqlGen, NamesThePlaceOfAMistake) {
  write("queries/a.sql", "-- Head.\nSELECT 1\n");
  EXPECT_THAT(run(), HasSubstr("queries/a.sql:2: error: query without a name"));
  write("queries/a.sql", "-- name: First\nSELECT 1\n");
  EXPECT_THAT(run(), HasSubstr("queries/a.sql:1: error: \"First\" is no query name"));
  write("queries/a.sql", "-- name: one\nSELECT 1\n-- name: one\nSELECT 2\n");
  EXPECT_THAT(run(), HasSubstr("queries/a.sql:3: error: query one is already defined"));
  write("queries/a.sql", "-- name: one\n-- only words\n\n-- name: two\nSELECT 2\n");
  EXPECT_THAT(run(), HasSubstr("queries/a.sql:1: error: query one has no text"));
  write("queries/a.sql", "-- name: one\nSELECT 'open\n");
  EXPECT_THAT(run(), HasSubstr("queries/a.sql:1: error: a quote is never closed"));
}

TEST_F(SqlGen, RefusesGapsTwinsAndUnknownDialects) {
  write("schema/0002_late.sql", "-- Late.\n");
  EXPECT_THAT(run(), HasSubstr("0002_late.sql:1: error: schema number 1 is missing before 2"));
  write("schema/0001_core.sql", "-- Core.\n");
  write("schema/0002_twin.sql", "-- Twin.\n");
  EXPECT_THAT(run(), HasSubstr("0002_twin.sql:1: error: schema number 2 is used twice"));
  fs::remove(folder_ / "schema/0002_twin.sql");
  write("schema/0003_x.oracle.sql", "-- No.\n");
  EXPECT_THAT(run(), HasSubstr("unknown dialect \"oracle\""));
  fs::remove(folder_ / "schema/0003_x.oracle.sql");
  write("schema/three.sql", "-- No.\n");
  EXPECT_THAT(run(), HasSubstr("three.sql:1: error: a schema file is named"));
}

} // namespace
