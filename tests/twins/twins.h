// Twins: a SQLite and a PostgreSQL database that are told the same and must answer the same.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "facts/fact.h"
#include "facts/instance_state.h"
#include "store/postgres/postgres.h"
#include "store/sqlite/sqlite.h"
#include "store/temporary_folder.h"

namespace perdure::twins_test {

class Twins {
public:
  /// Both empty but for the versions of one process, of which every instance is taken to be.
  Twins(const std::string& postgres_url, const std::string& schema);

  /// Commits the change to both; then both must load the state that is left, and find the same to
  /// be ready and due.
  void save(const facts::InstanceState& state, std::span<const facts::Fact> facts,
            std::int64_t base_version);
  /// Every row and the whole history of the instance, ended ones too.
  void expect_same_record(Key instance_id);

  [[nodiscard]] std::int64_t commits() const { return commits_; }
  [[nodiscard]] Key instance_id() const { return instance_id_; }

private:
  /// The key that both databases gave that version.
  [[nodiscard]] Key known(Key definition_id) const;
  void expect_same_answers(const facts::InstanceState& state, Instant now);

  test::TemporaryFolder folder_;
  store::sqlite::Database sqlite_;
  store::postgres::Database postgres_;
  std::vector<Key> definition_ids_; ///< of the versions that a run can go on with
  Key instance_id_ = kNoKey;
  std::int64_t commits_ = 0;
};

} // namespace perdure::twins_test
