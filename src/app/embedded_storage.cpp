// Storage (perdure/engine.h): what an embedder says of a database, as an assembly is told it.
#include "app/embedded_storage.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "store/postgres/postgres.h"

namespace perdure {

Storage sqlite(std::string path) { return {std::move(path), std::nullopt}; }

Storage postgres(std::string url, PostgresOptions options) {
  return {std::move(url), std::move(options)};
}

Storage database(std::string place) {
  const bool is_url = store::postgres::is_postgres_url(place);
  return is_url ? postgres(std::move(place)) : sqlite(std::move(place));
}

namespace app {

namespace {

constexpr std::chrono::seconds kLeastLease{1};
constexpr std::chrono::days kLongestLease{1};

} // namespace

Result<void> read_storage(const Storage& storage, AssemblyOptions& options) {
  const auto& place = storage.place_;
  const bool is_url = store::postgres::is_postgres_url(place);
  if (!storage.postgres_) {
    if (is_url || place.empty()) {
      return fail(ErrorCode::invalid_input,
                  is_url ? "The database is PostgreSQL's; use perdure::postgres instead of "
                           "perdure::sqlite."
                         : "The database has no name; give perdure::sqlite the path of a file.");
    }
    options.file = place;
    return {};
  }
  if (!is_url) {
    return fail(ErrorCode::invalid_input,
                "\"" + place + "\" names no PostgreSQL database; use postgres://USER@HOST/NAME.");
  }
  const auto& given = *storage.postgres_;
  if (given.lease < kLeastLease || given.lease > kLongestLease) {
    return fail(ErrorCode::invalid_input, "A lease of " + std::to_string(given.lease.count()) +
                                              " ms does not do; choose one from 1 s to a day.");
  }
  options.postgres = place;
  options.schema = given.schema;
  options.node_name = given.node_name;
  options.lease = given.lease;
  options.migrate = given.migrate;
  return {};
}

} // namespace app

} // namespace perdure
