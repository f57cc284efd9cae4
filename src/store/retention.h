// Retention at the port of the database: how old instances are, and the removal of those whose
// time is over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/describe.h"
#include "base/key.h"
#include "base/time.h"

namespace perdure::store {

/// What decides how long an instance is kept.
struct InstanceAge {
  Key id = kNoKey;
  Key definition_id = kNoKey;
  std::string process_id;
  Instant created_at{};
  std::optional<Instant> ended_at; ///< none: it runs, and is kept
  std::int64_t facts = 0;          ///< recorded of it: a measure of its rows
};
PERDURE_DESCRIBE(InstanceAge, id, definition_id, process_id, created_at, ended_at, facts)

/// An instance whose time is over.
struct ExpiredInstance {
  Key id = kNoKey;
  Instant retained_until{}; ///< not before its end
  std::int64_t facts = 0;   ///< as InstanceAge has them
};

/// The row that lets an instance go. Outside the transaction that purges there is none.
struct InstancePurge {
  Key instance_id = kNoKey;
  Instant retained_until{};
  Instant purged_at{};
  Key passing = kNoKey; ///< refers to nothing, so that no transaction ends with it
};
PERDURE_DESCRIBE(InstancePurge, instance_id, retained_until, purged_at, passing)

/// What one purge removed.
struct Purged {
  std::int64_t instances = 0;
  std::int64_t rows = 0; ///< of all tables
  bool busy = false;     ///< another node was at it: nothing was done
};

/// Rows of one table.
struct TableCount {
  std::string table;
  std::int64_t rows = 0;
};
PERDURE_DESCRIBE(TableCount, table, rows)

} // namespace perdure::store
