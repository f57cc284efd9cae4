// What SQLite alone can do wrong: a full disk, another writer, a damaged row, a log that grows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "life.h"
#include "sqlite_fixture.h"
#include "store/sqlite/sqlite.h"
#include "store/sqlite/store.h"
#include "temporary_folder.h"

namespace perdure::store::sqlite {
namespace {

using test::Life;

class FixedClock final : public Clock {
public:
  [[nodiscard]] Instant now() const override { return test::kStart; }
};

class SqliteTest : public testing::Test {
protected:
  SqliteTest() {
    EXPECT_TRUE(sqlite::migrate(path_, FixedClock()));
    auto connection =
        Connection::open({.path = path_, .read_only = false, .synchronous = Synchronous::normal});
    EXPECT_TRUE(connection);
    connection_ = connection->get();
    store_ = std::make_unique<SqliteStore>(std::move(*connection));
  }

  Life life() {
    facts::ProcessDefinition definition;
    definition.process_id = "order";
    definition.kind = facts::DefinitionKind::flow;
    return {store_->take_keys(100).value(), store_->deploy({definition}, {}).value().front().id};
  }

  Result<std::vector<UnitOutcome>> commit(const Life& life) {
    const std::vector<Unit> units{life.unit()};
    return store_->commit(units);
  }

  std::int64_t count(const std::string& table) {
    return rows_of<std::int64_t>(*connection_, "SELECT count(*) FROM " + table).front();
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("perdure.db");
  Connection* connection_ = nullptr; ///< the store's
  std::unique_ptr<SqliteStore> store_;
};

TEST_F(SqliteTest, FullDiskRefusesTheWholeBatchAndHeals) {
  auto small = life();
  small.start();
  auto large = life();
  large.start(Object{{"text", std::string(1'000'000, 'x')}});
  const auto pages = rows_of<std::int64_t>(*connection_, "PRAGMA page_count").front();
  ASSERT_TRUE(connection_->script("PRAGMA max_page_count = " + std::to_string(pages + 20)));
  const std::vector<Unit> units{small.unit(), large.unit()};
  const auto refused = store_->commit(units);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("disk is full"));
  EXPECT_FALSE(connection_->in_transaction());
  EXPECT_EQ(count("process_instance"), 0);
  ASSERT_TRUE(connection_->script("PRAGMA max_page_count = 1000000"));
  const auto accepted = store_->commit(units);
  ASSERT_TRUE(accepted) << accepted.error().message;
  EXPECT_EQ(count("process_instance"), 2);
}

TEST_F(SqliteTest, AnotherWriterIsWaitedForThenReported) {
  auto order = life();
  order.start();
  auto other = Connection::open({.path = path_});
  ASSERT_TRUE(other);
  auto held = Transaction::begin(**other, Transaction::Kind::write);
  ASSERT_TRUE(held);
  ASSERT_TRUE(connection_->script("PRAGMA busy_timeout = 1"));
  const auto refused = commit(order);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  ASSERT_TRUE(held->commit());
  EXPECT_TRUE(commit(order).value().front());
}

TEST_F(SqliteTest, UnknownWordInARowIsAnErrorNotAGuess) {
  auto order = life();
  order.start();
  ASSERT_TRUE(commit(order).value().front());
  ASSERT_TRUE(
      connection_->script("PRAGMA ignore_check_constraints = ON; UPDATE process_instance "
                          "SET status = 'running', version = 99, end_reason = 'x'; DROP "
                          "TRIGGER process_instance_transition; UPDATE process_instance "
                          "SET status = 'resting'"));
  const std::vector<Key> ids{order.id()};
  const auto states = store_->load(ids);
  ASSERT_FALSE(states);
  EXPECT_EQ(states.error().code, ErrorCode::internal);
  EXPECT_EQ(states.error().where, "status");
  // The statement is free again.
  EXPECT_FALSE(store_->load(ids));
}

TEST_F(SqliteTest, LogIsEmptiedWhenIdle) {
  auto order = life();
  order.start(Object{{"text", std::string(100'000, 'x')}});
  ASSERT_TRUE(commit(order).value().front());
  EXPECT_GT(std::filesystem::file_size(path_ + "-wal"), 100'000U);
  store_->idle();
  EXPECT_EQ(std::filesystem::file_size(path_ + "-wal"), 0U);
}

TEST_F(SqliteTest, EndOfTheStoreLeavesEverythingInTheOneFile) {
  // As in a program: a reader is open longer than the writer, and could not empty the log.
  auto reader = Connection::open({.path = path_, .read_only = true});
  ASSERT_TRUE(reader);
  ASSERT_EQ(rows_of<std::int64_t>(**reader, "SELECT count(*) FROM process_instance").front(), 0);
  auto order = life();
  order.start();
  ASSERT_TRUE(commit(order).value().front());
  store_.reset();
  reader->reset();
  std::filesystem::copy(path_, folder_.file("copy.db"));
  auto copy = Connection::open({.path = folder_.file("copy.db")});
  ASSERT_TRUE(copy);
  EXPECT_EQ(rows_of<std::int64_t>(**copy, "SELECT count(*) FROM process_instance").front(), 1);
}

TEST_F(SqliteTest, LogStaysBoundedUnderLoad) {
  auto order = life();
  order.start(Object{{"text", std::string(1'000'000, 'x')}});
  ASSERT_TRUE(commit(order).value().front());
  order.saved();
  for (int i = 0; i < 80; ++i) {
    order.emit(facts::VariablesSet{order.root, Object{{"i", i}}});
    ASSERT_TRUE(commit(order).value().front());
    order.saved();
  }
  EXPECT_LT(std::filesystem::file_size(path_ + "-wal"), 16U * 1024 * 1024);
}

TEST_F(SqliteTest, CountersTellWhatAnInstanceCosts) {
  auto& counters = connection_->counters();
  auto order = life();
  order.start();
  order.place(order.root, "charge");
  const auto statements = counters.statements.load();
  const auto rows = counters.rows.load();
  const auto commits = counters.commits.load();
  ASSERT_TRUE(commit(order).value().front());
  // Instance, scope, token and two events; begin and commit around them.
  EXPECT_EQ(counters.rows - rows, 5);
  EXPECT_EQ(counters.statements - statements, 7);
  EXPECT_EQ(counters.commits - commits, 1);
  EXPECT_EQ(counters.refused, 0);
  ASSERT_FALSE(commit(order).value().front());
  EXPECT_EQ(counters.refused, 1);
}

TEST_F(SqliteTest, DurabilityIsFullUnlessAskedOtherwise) {
  EXPECT_EQ(rows_of<std::int64_t>(*connection_, "PRAGMA synchronous").front(), 1);
  const auto full = Connection::open({.path = path_});
  ASSERT_TRUE(full);
  EXPECT_EQ(rows_of<std::int64_t>(**full, "PRAGMA synchronous").front(), 2);
  EXPECT_EQ(rows_of<std::string>(**full, "PRAGMA journal_mode").front(), "wal");
  EXPECT_EQ(rows_of<std::int64_t>(**full, "PRAGMA foreign_keys").front(), 1);
  EXPECT_EQ(rows_of<std::int64_t>(**full, "PRAGMA temp_store").front(), 2);
}

TEST_F(SqliteTest, DoubleQuotesAreNames) { EXPECT_FALSE(connection_->script("SELECT \"typo\"")); }

TEST_F(SqliteTest, ReadersCannotWrite) {
  const auto reader = Connection::open({.path = path_, .read_only = true});
  ASSERT_TRUE(reader);
  const auto refused = (*reader)->script("DELETE FROM idempotency_key");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
}

TEST(SqliteOpen, AFolderThatCannotBeMadeIsAnError) {
  const auto opened = sqlite::open({.path = "/proc/nowhere/perdure.db"}, FixedClock());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::unavailable);
  EXPECT_THAT(opened.error().message, testing::HasSubstr("/proc/nowhere"));
}

TEST(SqliteOpen, MissingFoldersAreMade) {
  const test::TemporaryFolder folder;
  const auto opened = sqlite::open({.path = folder.file("a/b/perdure.db")}, FixedClock());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_TRUE(std::filesystem::exists(folder.file("a/b/perdure.db")));
  EXPECT_FALSE(opened->store->next_due(test::kStart).value());
  EXPECT_TRUE(opened->reader->definitions({}).value().empty());
}

} // namespace
} // namespace perdure::store::sqlite
