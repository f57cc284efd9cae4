// SchemaState: what readyz says of the schema. The database is asked, since another node may have
// brought it up to date, but once a second at most.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "base/clock.h"
#include "perdure/result.h"
#include "perdure/value.h"
#include "store/store.h"

namespace perdure::app {

/// Thread-safe.
class SchemaState {
public:
  /// `known` is the last schema file of this program.
  SchemaState(store::Reader& reader, const Clock& clock, std::int64_t known)
      : reader_(reader), clock_(clock), known_(known) {}

  /// Members of the answer. Unavailable when the database lacks a file.
  [[nodiscard]] Result<Object> ask();

private:
  store::Reader& reader_;
  const Clock& clock_;
  const std::int64_t known_;
  std::mutex mutex_;
  std::optional<Instant> asked_;
  std::int64_t version_ = 0;
};

} // namespace perdure::app
