// The suite that every database must pass. A dialect takes part with a test program of its own that
// defines open_database().
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "life.h"
#include "store/store.h"
#include "temporary_folder.h"

namespace perdure::store {

struct OpenedDatabase {
  std::unique_ptr<Store> store;
  std::unique_ptr<Reader> reader;
};

/// Opens the database that belongs to a folder; makes it when there is none.
using OpenDatabase = OpenedDatabase (*)(const std::string& folder);

/// The database of this test program (sqlite_database.cpp, postgres_main.cpp).
OpenedDatabase open_database(const std::string& folder);

class Conformance : public testing::TestWithParam<OpenDatabase> {
protected:
  Conformance() { reopen(); }

  void reopen() {
    database_ = {};
    database_ = GetParam()(folder_.path());
  }

  Store& store() { return *database_.store; }
  Reader& reader() { return *database_.reader; }

  static facts::ProcessDefinition definition(const std::string& process_id, char digest) {
    facts::ProcessDefinition definition;
    definition.process_id = process_id;
    definition.name = "The " + process_id;
    definition.source = std::string("<definitions id='") + digest + "'/>";
    definition.digest = std::string(64, digest);
    definition.deployed_at = test::kStart;
    return definition;
  }

  Key deployed(const std::string& process_id = "order") {
    auto added = store().deploy({.processes = {definition(process_id, 'a')}, .models = {}});
    EXPECT_TRUE(added) << added.error().message;
    return added->processes.front().id;
  }

  test::Life life(const std::string& process_id = "order") {
    const auto keys = store().take_keys(1000);
    EXPECT_TRUE(keys) << keys.error().message;
    return test::Life(*keys, deployed(process_id));
  }

  /// Commits one unit, which must be accepted.
  void save(test::Life& life) {
    const std::vector<Unit> units{life.unit()};
    const auto outcomes = store().commit(units);
    ASSERT_TRUE(outcomes) << outcomes.error().message;
    ASSERT_EQ(outcomes->size(), 1U);
    ASSERT_TRUE(outcomes->front()) << outcomes->front().error().where;
    life.saved();
  }

  /// The state as the database has it.
  facts::InstanceState loaded(Key id) {
    const std::vector<Key> ids{id};
    auto states = store().load(ids);
    EXPECT_TRUE(states) << states.error().message;
    if (!states || states->size() != 1) {
      ADD_FAILURE() << "instance " << id << " was not loaded";
      return {};
    }
    return std::move(states->front());
  }

  void expect_saved(const test::Life& life) { test::expect_equal(loaded(life.id()), life.state); }

  test::TemporaryFolder folder_;
  OpenedDatabase database_;
};

} // namespace perdure::store
