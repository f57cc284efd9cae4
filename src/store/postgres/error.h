// What PostgreSQL reports, as an Error: a refused row with the name of the rule that refused it.
#pragma once

#include <string_view>

#include "perdure/result.h"
#include "store/postgres/libpq.h"

namespace perdure::store::postgres {

/// The error of a result. A broken rule is invariant_violated with the rule's name in `where`,
/// named as on SQLite: CHECK constraint, unique index or trigger by its own, `<table>_key` for a
/// primary key,
/// `<table>_<column>_required` for NOT NULL, `foreign_key` for a missing parent; `value_type` is
/// a value that does not fit its column, which SQLite names by column. Lost races (deadlock,
/// serialisation, a lock that another node keeps) are conflict. What passes by itself or with an
/// administrator's help is unavailable; a statement that does not fit the schema is internal.
[[nodiscard]] Error error_of(const Libpq& libpq, const PGresult* result);

/// The connection is gone, or was never there.
[[nodiscard]] Error lost_connection(std::string_view report);

/// Whether the server said that this session cannot go on writing (shutdown, failover to a
/// replica): another connection may find a server that can.
[[nodiscard]] bool ends_session(const Libpq& libpq, const PGresult* result);

/// Errors of one unit; any other is one of the database or the program and concerns all.
[[nodiscard]] bool is_refusal(const Error& error);

} // namespace perdure::store::postgres
