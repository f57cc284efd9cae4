#include "app/schema_state.h"

#include <string>

namespace perdure::app {

namespace {

constexpr Duration kFresh{1'000};

} // namespace

Result<Object> SchemaState::ask() {
  const std::lock_guard lock(mutex_);
  const auto now = clock_.now();
  if (!asked_ || now < *asked_ || now - *asked_ >= kFresh) {
    const auto version = reader_.schema_version();
    if (!version) return std::unexpected(version.error());
    version_ = *version;
    asked_ = now;
  }
  if (version_ < known_) {
    return fail(ErrorCode::unavailable, "The database has schema " + std::to_string(version_) +
                                            " and this program needs " + std::to_string(known_) +
                                            "; run \"perdure migrate\".");
  }
  return Object{{"db_migrations", "applied"}, {"db_schema_version", version_}};
}

} // namespace perdure::app
