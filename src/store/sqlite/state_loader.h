// Reading instances as states: the live rows of many for decisions, every row of one for people.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "store/sqlite/connection.h"
#include "store/store.h"

namespace perdure::store::sqlite {

/// As Store::load: each instance once, in key order.
[[nodiscard]] Result<std::vector<facts::InstanceState>> load_states(Connection& connection,
                                                                    std::span<const Key> ids);

/// Every row and fact of one instance. The caller owns the read transaction.
[[nodiscard]] Result<std::optional<InstanceRecord>> load_record(Connection& connection,
                                                                Key instance_id);

} // namespace perdure::store::sqlite
