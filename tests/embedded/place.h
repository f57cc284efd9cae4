// A database that a test begins anew again and again: a SQLite file, or one of a PostgreSQL server
// that is started for the test program.
#pragma once

#include <memory>
#include <string>

#include "app/assembly.h"
#include "perdure/engine.h"

namespace perdure::test {

class Place {
public:
  Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  virtual ~Place() = default;

  /// From now on it is empty.
  virtual void begin_anew() = 0;
  [[nodiscard]] virtual Storage storage() const = 0;
  /// The same for who only reads.
  [[nodiscard]] virtual app::AssemblyOptions reading() const = 0;
};

enum class Where { sqlite, postgres };

/// "Sqlite" or "Postgres", for the names of tests.
[[nodiscard]] std::string name_of(Where where);

/// Null: there is no server, and `why` says what is missing.
[[nodiscard]] std::unique_ptr<Place> make_place(Where where, std::string& why);

/// The URL of a new database on the server, without any schema. Empty: there is no server.
[[nodiscard]] std::string new_database_url(std::string& why);

} // namespace perdure::test
