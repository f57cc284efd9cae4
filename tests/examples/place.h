// A database that a test begins anew again and again: a SQLite file, or one of a PostgreSQL server
// that is started for the test program.
#pragma once

#include <memory>
#include <string>

#include "app/assembly.h"
#include "perdure/engine.h"

namespace perdure::examples {

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

/// A file in that folder.
[[nodiscard]] std::unique_ptr<Place> make_file(const std::string& folder);
/// On the server. Null: there is none, and `why` says what is missing.
[[nodiscard]] std::unique_ptr<Place> make_database(std::string& why);

/// The URL of a new database on the server, without any schema. Empty: there is no server.
[[nodiscard]] std::string new_database_url(std::string& why);

} // namespace perdure::examples
