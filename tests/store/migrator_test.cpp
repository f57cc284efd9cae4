// The migrator on SQLite files: applied once, in order, whole or not at all.
#include "store/migrator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "base/digest.h"
#include "sqlite_fixture.h"
#include "store/sqlite/migration_target.h"
#include "store/sqlite/sqlite.h"
#include "temporary_folder.h"

namespace perdure::store::sqlite {
namespace {

constexpr Instant kNow = from_ms(1'800'000'000'000);

class FixedClock final : public Clock {
public:
  [[nodiscard]] Instant now() const override { return kNow; }
};

constexpr std::string_view kBook =
    "CREATE TABLE schema_migration (version INTEGER PRIMARY KEY, name TEXT, checksum TEXT, "
    "applied_at INTEGER);";
constexpr std::array kOne{sql::Migration{1, "book", kBook}};
constexpr std::array kTwo{sql::Migration{1, "book", kBook},
                          sql::Migration{2, "pears",
                                         "CREATE TABLE pear (id INTEGER); INSERT INTO "
                                         "pear VALUES (7);"}};
constexpr std::array kChanged{sql::Migration{1, "book", kBook},
                              sql::Migration{2, "pears", "CREATE TABLE pear (id TEXT);"}};
constexpr std::array kBroken{sql::Migration{1, "book", kBook},
                             sql::Migration{2, "pears",
                                            "CREATE TABLE pear (id INTEGER); INSERT "
                                            "INTO plum VALUES (7);"}};

class MigratorTest : public testing::Test {
protected:
  std::unique_ptr<Connection> open() {
    auto connection = Connection::open({.path = path_});
    EXPECT_TRUE(connection);
    return std::move(*connection);
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("perdure.db");
  FixedClock clock_;
};

TEST_F(MigratorTest, AppliesEachFileWithItsBookkeepingRow) {
  const auto connection = open();
  SqliteMigrationTarget target(*connection);
  EXPECT_EQ(store::migrate(target, kTwo, kNow).value(), 2);
  EXPECT_EQ(rows_of<std::int64_t>(*connection, "SELECT id FROM pear"),
            std::vector<std::int64_t>{7});
  const std::vector<AppliedMigration> expected{{1, "book", sha256_hex(kBook), kNow},
                                               {2, "pears", sha256_hex(kTwo[1].text), kNow}};
  EXPECT_EQ(target.applied().value(), expected);
}

TEST_F(MigratorTest, SecondRunChangesNothing) {
  const auto connection = open();
  SqliteMigrationTarget target(*connection);
  ASSERT_EQ(store::migrate(target, kTwo, kNow).value(), 2);
  EXPECT_EQ(store::migrate(target, kTwo, kNow + Duration(1000)).value(), 0);
  EXPECT_EQ(target.applied().value().back().applied_at, kNow);
  EXPECT_EQ(rows_of<std::int64_t>(*connection, "SELECT id FROM pear").size(), 1U);
}

TEST_F(MigratorTest, OldFileIsBroughtUpToDate) {
  {
    const auto connection = open();
    SqliteMigrationTarget target(*connection);
    ASSERT_EQ(store::migrate(target, kOne, kNow).value(), 1);
  }
  const auto connection = open();
  SqliteMigrationTarget target(*connection);
  EXPECT_EQ(store::migrate(target, kTwo, kNow + Duration(5)).value(), 1);
  EXPECT_EQ(target.applied().value().at(0).applied_at, kNow);
  EXPECT_EQ(target.applied().value().at(1).applied_at, kNow + Duration(5));
}

TEST_F(MigratorTest, ChangedFileIsRefused) {
  const auto connection = open();
  SqliteMigrationTarget target(*connection);
  ASSERT_TRUE(store::migrate(target, kTwo, kNow));
  const auto refused = store::migrate(target, kChanged, kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  EXPECT_THAT(refused.error().message,
              testing::HasSubstr("Schema 2 (pears) of the database differs"));
  EXPECT_FALSE(store::migration_status(target, kChanged));
  EXPECT_FALSE(require_current(target, kChanged));
}

TEST_F(MigratorTest, NewerDatabaseIsRefused) {
  const auto connection = open();
  SqliteMigrationTarget target(*connection);
  ASSERT_TRUE(store::migrate(target, kTwo, kNow));
  const auto refused = store::migrate(target, kOne, kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("newer than this program"));
}

TEST_F(MigratorTest, FailingFileLeavesNothingOfItself) {
  const auto connection = open();
  SqliteMigrationTarget target(*connection);
  const auto refused = store::migrate(target, kBroken, kNow);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("Schema 2 (pears) cannot be applied"));
  EXPECT_EQ(tables_of(*connection), std::vector<std::string>{"schema_migration"});
  EXPECT_EQ(target.applied().value().size(), 1U);
  EXPECT_FALSE(connection->in_transaction());
  // Corrected, it goes on from there.
  EXPECT_EQ(store::migrate(target, kTwo, kNow).value(), 1);
}

TEST_F(MigratorTest, StatusTellsWhatIsPending) {
  const auto connection = open();
  SqliteMigrationTarget target(*connection);
  ASSERT_TRUE(store::migrate(target, kOne, kNow));
  const auto status = store::migration_status(target, kTwo);
  ASSERT_TRUE(status);
  ASSERT_EQ(status->size(), 2U);
  EXPECT_EQ(status->at(0).applied_at, kNow);
  EXPECT_EQ(status->at(1).name, "pears");
  EXPECT_EQ(status->at(1).applied_at, std::nullopt);
  const auto refused = require_current(target, kTwo);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("perdure migrate"));
  EXPECT_TRUE(require_current(target, kOne));
}

TEST_F(MigratorTest, EmptyFileHasEverythingPending) {
  const auto connection = open();
  SqliteMigrationTarget target(*connection);
  const auto status = store::migration_status(target, kTwo);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->at(0).applied_at, std::nullopt);
  EXPECT_TRUE(tables_of(*connection).empty());
}

TEST_F(MigratorTest, TwoAtOnceApplyEachFileOnce) {
  open(); // so that both find the file in the same journal mode
  std::array<Result<std::int64_t>, 2> counts{0, 0};
  {
    std::array<std::jthread, 2> threads;
    for (std::size_t i = 0; i < threads.size(); ++i) {
      threads[i] = std::jthread([&, i] { counts[i] = sqlite::migrate(path_, clock_); });
    }
  }
  ASSERT_TRUE(counts[0]) << counts[0].error().message;
  ASSERT_TRUE(counts[1]) << counts[1].error().message;
  EXPECT_EQ(*counts[0] + *counts[1], static_cast<std::int64_t>(sql::kSqliteMigrations.size()));
}

TEST_F(MigratorTest, DatabaseRefusesToOpenWithPendingFiles) {
  const auto refused = sqlite::open({.path = path_, .migrate = Migrate::refuse}, clock_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  EXPECT_EQ(sqlite::migrate(path_, clock_).value(),
            static_cast<std::int64_t>(sql::kSqliteMigrations.size()));
  EXPECT_TRUE(sqlite::open({.path = path_, .migrate = Migrate::refuse}, clock_));
  EXPECT_EQ(sqlite::migrate(path_, clock_).value(), 0);
}

TEST_F(MigratorTest, StatusOfAMissingDatabaseSaysSo) {
  const auto status = sqlite::migration_status(folder_.file("none.db"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::not_found);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("none.db")));
}

TEST_F(MigratorTest, AFileThatIsNoDatabaseIsRefused) {
  std::ofstream(path_) << std::string(5000, 'x');
  const auto opened = sqlite::open({.path = path_}, clock_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::unavailable);
  EXPECT_THAT(opened.error().message, testing::HasSubstr("no database"));
  EXPECT_EQ(test::read_file(path_), std::string(5000, 'x'));
}

TEST_F(MigratorTest, VerifyFindsAChangedSchema) {
  ASSERT_TRUE(sqlite::migrate(path_, clock_));
  EXPECT_THAT(sqlite::verify(path_).value(), testing::IsEmpty());
  ASSERT_TRUE(open()->script("DROP TRIGGER history_event_kept; CREATE TABLE extra (id INTEGER)"));
  const auto findings = sqlite::verify(path_);
  ASSERT_TRUE(findings);
  EXPECT_THAT(*findings,
              testing::UnorderedElementsAre(testing::HasSubstr("TRIGGER history_event_kept"),
                                            testing::HasSubstr("TABLE extra")));
}

TEST_F(MigratorTest, VerifyFindsAMissingParent) {
  ASSERT_TRUE(sqlite::migrate(path_, clock_));
  ASSERT_TRUE(
      open()->script("PRAGMA foreign_keys = OFF; INSERT INTO history_event VALUES (5, 1, "
                     "'x', 'y', 1, '{}')"));
  EXPECT_THAT(sqlite::verify(path_).value(),
              testing::ElementsAre(testing::HasSubstr("history_event")));
}

} // namespace
} // namespace perdure::store::sqlite
