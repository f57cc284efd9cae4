// UnitWriter: the rows of one unit as statements, in an order in which every foreign key finds its
// parent.
#pragma once

#include "store/sqlite/connection.h"
#include "store/store.h"

namespace perdure::store::sqlite {

/// Writes the unit's new and changed rows, history, idempotency and audit records. The caller owns
/// the transaction and takes back what an error left half done.
[[nodiscard]] Result<void> write_unit(Connection& connection, const Unit& unit);

} // namespace perdure::store::sqlite
