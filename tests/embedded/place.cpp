#include "embedded/place.h"

#include <gtest/gtest.h>

#include <expected>
#include <filesystem>
#include <utility>

#include "store/postgres/postgres.h"
#include "store/postgres_cluster.h"

namespace perdure::test {

namespace {

using Server = std::expected<std::unique_ptr<PostgresCluster>, std::string>;

/// Processes die in these tests, never the machine: nothing needs to reach the disk.
const Server& server() {
  static const Server one = PostgresCluster::start({.parent = {}, .settings = {"fsync=off"}});
  return one;
}

std::string url_of(const std::string& name) {
  return "postgres://perdure@/" + name + "?host=" + (*server())->folder();
}

void run(const std::string& statement) {
  const auto connection = store::postgres::Connection::open(
      store::postgres::reader_connection({.url = url_of("postgres")}));
  ASSERT_TRUE(connection) << connection.error().message;
  const auto done = (*connection)->script(statement);
  ASSERT_TRUE(done) << statement << ": " << done.error().message;
}

class File final : public Place {
public:
  File() {
    auto pattern = (std::filesystem::temp_directory_path() / "perdure_place_XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  ~File() override { std::filesystem::remove_all(folder_); }

  void begin_anew() override {
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      std::filesystem::remove_all(entry.path());
  }
  [[nodiscard]] Storage storage() const override { return sqlite(file()); }
  [[nodiscard]] app::AssemblyOptions reading() const override {
    return {.file = file(), .access = app::Access::read};
  }

private:
  [[nodiscard]] std::string file() const { return (folder_ / "a.db").string(); }
  std::filesystem::path folder_;
};

/// Copies of a database that has the schema: to make it takes longer than all else.
class Copies final : public Place {
public:
  Copies() {
    run("CREATE DATABASE pattern");
    const auto made = store::postgres::migrate({.url = url_of("pattern")});
    EXPECT_TRUE(made) << made.error().message;
  }
  ~Copies() override {
    drop();
    run("DROP DATABASE pattern WITH (FORCE)");
  }

  void begin_anew() override {
    drop();
    name_ = "copy" + std::to_string(++count_);
    run("CREATE DATABASE " + name_ + " TEMPLATE pattern");
  }
  [[nodiscard]] Storage storage() const override {
    return postgres(url_of(name_), {.node_name = "example", .migrate = false});
  }
  [[nodiscard]] app::AssemblyOptions reading() const override {
    return {.postgres = url_of(name_), .access = app::Access::read};
  }

private:
  void drop() {
    if (!name_.empty()) run("DROP DATABASE " + std::exchange(name_, {}) + " WITH (FORCE)");
  }

  std::string name_;
  int count_ = 0;
};

} // namespace

std::string name_of(Where where) { return where == Where::sqlite ? "Sqlite" : "Postgres"; }

std::unique_ptr<Place> make_place(Where where, std::string& why) {
  if (where == Where::sqlite) return std::make_unique<File>();
  if (!server()) {
    why = server().error();
    return nullptr;
  }
  return std::make_unique<Copies>();
}

std::string new_database_url(std::string& why) {
  if (!server()) {
    why = server().error();
    return {};
  }
  static int count = 0;
  const auto name = "programs" + std::to_string(++count);
  run("CREATE DATABASE " + name);
  return url_of(name);
}

} // namespace perdure::test
