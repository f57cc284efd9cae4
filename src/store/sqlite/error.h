// What SQLite reports, as an Error: a refused row with the name of the rule that refused it.
#pragma once

#include <string>

#include "perdure/result.h"

struct sqlite3;

namespace perdure::store::sqlite {

/// The connection's last error. A broken rule is invariant_violated with the rule's name in
/// `where`: CHECK constraint, unique index or trigger by its own, `<table>_key` for a primary key,
/// `<table>_<column>_required` for NOT NULL, `<table>_<column>_type` for a value of another type,
/// `foreign_key` for a missing parent (SQLite does not tell which). Everything else is unavailable,
/// or internal when the statement itself is wrong.
[[nodiscard]] Error last_error(sqlite3* database);

} // namespace perdure::store::sqlite
