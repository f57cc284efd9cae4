// KeyCheck: what `check` knows of keys and of remembered commands. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/key.h"
#include "facts/instance_state.h"
#include "facts/view.h"

namespace perdure::app {

/// The highest key that a row of the instance has.
[[nodiscard]] Key highest_key(const facts::InstanceState& rows);

/// The instance that the command made or changed; nullopt when the outcome names none.
[[nodiscard]] std::optional<Key> instance_of(const facts::IdempotencyRecord& record);

/// What is wrong with a record, given its instance as the database has it; nullopt: nothing.
[[nodiscard]] std::optional<std::string> wrong_record(
    const facts::IdempotencyRecord& record, const std::optional<facts::ProcessInstance>& instance);

} // namespace perdure::app
