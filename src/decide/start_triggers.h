// Start triggers: the events that start instances of a definition by themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "definition/definition.h"
#include "definition/diagnostic.h"
#include "facts/view.h"

namespace perdure::decide {

/// What is found at the start events of a process, or what is wrong with it.
struct StartTriggers {
  std::vector<facts::DefinitionSubscription> rows; ///< without the keys of rows and definition
  std::vector<definition::Diagnostic> errors;
};

/// For a definition that is deployed at that time. Names and times are evaluated without variables,
/// since no instance is there yet.
[[nodiscard]] StartTriggers start_triggers(const definition::Definition& definition, Instant at);

/// When a timer starts the next instance.
struct NextStart {
  std::int64_t number = 1; ///< of the occurrence
  Instant due_at{};
};
/// After the start that was due then; nullopt when it was the last.
[[nodiscard]] std::optional<NextStart> next_start(const facts::DefinitionSubscription& start,
                                                  Instant was_due_at, Instant now);

/// Whether the condition of that start holds with the variables that an instance would begin with.
/// Whatever is not true does not hold.
[[nodiscard]] bool begins(const definition::Definition& definition,
                          const facts::DefinitionSubscription& start, const Object& variables,
                          Instant at);

} // namespace perdure::decide
