// SQLite's part in the suite: how its database is opened.
#include "conformance.h"
#include "store/sqlite/sqlite.h"

namespace perdure::store {

namespace {

class FixedClock final : public Clock {
public:
  [[nodiscard]] Instant now() const override { return test::kStart; }
};

} // namespace

OpenedDatabase open_database(const std::string& folder) {
  auto database = sqlite::open({.path = sqlite::database_path(folder)}, FixedClock());
  EXPECT_TRUE(database) << database.error().message;
  return {std::move(database->store), std::move(database->reader)};
}

} // namespace perdure::store
