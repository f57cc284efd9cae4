// backup, restore and transfer: what is copied is whole, and goes on in its new place.
#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include "operations/place.h"

namespace perdure::operations_test {
namespace {

using testing::HasSubstr;

class CopyTest : public testing::Test {
protected:
  [[nodiscard]] Place folder(const std::string& name) const {
    return Place("sqlite:" + folder_.path(name));
  }
  /// A schema of its own on the server.
  [[nodiscard]] Place schema(const std::string& name) const {
    const auto config = folder_.write(name + ".toml", "schema = \"" + name + "\"\n");
    return Place(cluster()->url(), {"--config", config});
  }

  static void expect_copied(const Ended& ended) {
    EXPECT_EQ(ended.code, 0) << ended.out << ended.error;
    EXPECT_THAT(ended.out, HasSubstr("no difference"));
  }

  /// Completes a task, and starts one more instance, whose key is new.
  static void expect_goes_on(const Place& place, const std::string& waiting) {
    place.complete(waiting);
    EXPECT_EQ(place.status(waiting), "completed");
    EXPECT_GT(std::stoll(place.start()), std::stoll(waiting));
    place.expect_sound();
  }

  /// One of PostgreSQL's own programs; empty when it is not there.
  static std::string program(const std::string& name) {
    std::error_code failed;
    for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", failed)) {
      const auto path = version.path() / "bin" / name;
      if (std::filesystem::exists(path)) return path.string();
    }
    return {};
  }

  TemporaryFolder folder_;
};

TEST_F(CopyTest, ABackupOfAServerAtWorkIsRestoredAndGoesOn) {
  const auto place = folder("data");
  place.deploy(folder_);
  Running server(place.line({"serve", "--port", "0", "--json"}));
  ASSERT_NE(server.line_with("url"), "");
  const auto waiting = place.start();
  std::atomic<bool> over{false};
  std::atomic<int> started{0};
  std::jthread load([&] {
    for (; !over; ++started)
      static_cast<void>(place.start());
  });
  while (started < 3)
    std::this_thread::yield();
  const auto file = folder_.path("backups/one.db");
  const auto saved = place.run({"backup", "--to", file});
  over = true;
  load.join();
  ASSERT_EQ(saved.code, 0) << saved.error;
  // One file, and no second one over it.
  EXPECT_FALSE(std::filesystem::exists(file + "-wal"));
  EXPECT_FALSE(std::filesystem::exists(file + ".partial"));
  EXPECT_EQ(place.run({"backup", "--to", file}).code, 1);

  const auto restored = folder("restored");
  expect_copied(restored.copy_from("restore", file));
  EXPECT_GE(restored.instances(), 4U);
  expect_goes_on(restored, waiting);
  EXPECT_EQ(place.status(waiting), "running");
  // Neither over another database nor over the one that is served.
  EXPECT_EQ(restored.copy_from("restore", file).code, 1);
  EXPECT_EQ(place.copy_from("restore", file).code, 1);
}

TEST_F(CopyTest, WrongPlacesAreRefused) {
  const auto place = folder("data");
  place.deploy(folder_);
  EXPECT_EQ(folder("other").copy_from("restore", folder_.path("none.db")).code, 4);
  EXPECT_EQ(folder("none").run({"backup", "--to", folder_.path("b.db")}).code, 4);
  EXPECT_EQ(Place("mysql://x").copy_from("transfer", place.database()).code, 2);
  EXPECT_EQ(place.copy_from("transfer", place.database()).code, 1);
  const auto text = folder_.write("text.db", std::string(5'000, 'x'));
  EXPECT_NE(folder("other").copy_from("restore", text).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("other/perdure.db")));
}

TEST_F(CopyTest, AFolderMovesToPostgresAndBack) {
  if (cluster() == nullptr) GTEST_SKIP() << "There is no PostgreSQL to be started.";
  const auto place = folder("data");
  place.deploy(folder_);
  const auto waiting = place.start();
  const auto ended = place.start();
  place.complete(ended);
  const auto cancelled = place.start();
  EXPECT_EQ(place.run({"cancel", cancelled}).code, 0);
  const auto nap = place.start("nap");
  const auto moved = schema("moved");
  {
    Running server(place.line({"serve", "--port", "0", "--json"}));
    ASSERT_NE(server.line_with("url"), "");
    EXPECT_EQ(moved.copy_from("transfer", place.database()).code, 1);
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);
  }
  const auto again = place.start("nap");
  expect_copied(moved.copy_from("transfer", place.database()));
  EXPECT_EQ(moved.instances(), 5U);
  EXPECT_EQ(moved.copy_from("transfer", place.database()).code, 1);
  for (const auto* command : {"show", "history"}) {
    for (const auto& id : {waiting, ended, cancelled}) {
      EXPECT_EQ(moved.ask({command, id}), place.ask({command, id})) << command << " " << id;
    }
  }
  {
    Running server(moved.line({"serve", "--port", "0", "--json"}));
    ASSERT_NE(server.line_with("url"), "");
    while (moved.status(again) == "running" || moved.status(nap) == "running") {
    }
    expect_goes_on(moved, waiting);
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);
  }
  const Place back("sqlite:" + folder_.path("back"), {"--config", folder_.path("moved.toml")});
  expect_copied(back.copy_from("transfer", moved.database()));
}

TEST_F(CopyTest, ABackupOfPostgresIsAFileToo) {
  if (cluster() == nullptr) GTEST_SKIP() << "There is no PostgreSQL to be started.";
  const auto place = schema("saved");
  place.deploy(folder_);
  const auto waiting = place.start();
  place.complete(place.start());
  const auto file = folder_.path("saved.db");
  ASSERT_EQ(place.run({"backup", "--to", file}).code, 0);
  const auto small = folder("small");
  expect_copied(small.copy_from("restore", file));
  expect_goes_on(small, waiting);
  // Names that rows have in triggers and functions too: a schema of any name is compared.
  for (const auto* name : {"other", "old"}) {
    const auto other = schema(name);
    expect_copied(other.copy_from("restore", file));
    expect_goes_on(other, waiting);
    EXPECT_EQ(other.copy_from("restore", file).code, 1);
  }
  EXPECT_EQ(place.status(waiting), "running");
}

TEST_F(CopyTest, WhatPgDumpSavesIsABackup) {
  if (cluster() == nullptr) GTEST_SKIP() << "There is no PostgreSQL to be started.";
  const auto place = schema("dumped");
  place.deploy(folder_);
  const auto waiting = place.start();
  place.complete(place.start());
  const auto file = folder_.path("dump.sql");
  const auto dumped = cli_test::run_program(
      program("pg_dump"), {"--schema=dumped", "--file=" + file, "--dbname=" + place.database()});
  ASSERT_EQ(dumped.code, 0) << dumped.error;
  auto url = place.database();
  const auto create = cli_test::run_program(
      program("psql"), {"--dbname=" + url, "--command=CREATE DATABASE restored"});
  ASSERT_EQ(create.code, 0) << create.error;
  url.replace(url.find("/postgres?"), 10, "/restored?");
  const auto restored = cli_test::run_program(
      program("psql"), {"--dbname=" + url, "--set=ON_ERROR_STOP=1", "--file=" + file});
  ASSERT_EQ(restored.code, 0) << restored.error;
  expect_goes_on(Place(url, {"--config", folder_.path("dumped.toml")}), waiting);
}

} // namespace
} // namespace perdure::operations_test
