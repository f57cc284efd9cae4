// Reading instances as states: the live rows of many for decisions, every row of one for people.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "store/postgres/connection.h"
#include "store/store.h"

namespace perdure::store::postgres {

/// As Store::load: each instance once, in key order, as one snapshot of the database.
[[nodiscard]] Result<std::vector<facts::InstanceState>> load_states(Link& link,
                                                                    std::span<const Key> ids);

/// Every row and fact of one instance, as one snapshot.
[[nodiscard]] Result<std::optional<InstanceRecord>> load_record(Link& link, Key instance_id);

} // namespace perdure::store::postgres
