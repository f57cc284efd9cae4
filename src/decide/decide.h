// decide: the heart. Takes one event for one instance and finds the facts that follow. Pure: the
// same arguments give the same facts on every machine; it never blocks, logs, asks the time or
// makes a key.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "decide/catalog.h"
#include "definition/definition.h"
#include "facts/event.h"
#include "facts/fact.h"
#include "facts/instance_state.h"
#include "facts/refusal.h"

namespace perdure::decide {

/// How far one decision may go, and what a task gets when the model says nothing.
struct Policy {
  std::int64_t max_moves = 1000; ///< token moves; the rest stays ready for the next round
  std::int64_t default_max_attempts = 3;
  Duration backoff_initial{250};
  Duration backoff_cap{10'000};
  std::int64_t backoff_factor = 2;
};

/// Keys that any one decision can need; an event must carry at least as many.
[[nodiscard]] std::int64_t keys_needed(const Policy& policy,
                                       const definition::Definition& definition);

struct Decision {
  std::vector<facts::Fact> facts;        ///< in order; empty when refused
  std::optional<facts::Refusal> refusal; ///< set: the event was not allowed and nothing changed
  KeyRange keys;                         ///< what is left of the event's keys
  std::int64_t moves = 0;                ///< token moves that were made
};

/// Decides `event` on `state` and brings `state` forward by the facts found (each is applied at
/// once). On refusal the state is untouched. Runs to quiescence: afterwards every token rests on a
/// row, has ended, or stays ready because `policy.max_moves` was reached. Throws BugFound on a
/// broken invariant, and whatever the catalog throws; the state is then worthless and must be
/// loaded again. Without a catalog nothing else is deployed.
[[nodiscard]] Decision decide(const definition::Definition& definition, facts::InstanceState& state,
                              const facts::Event& event, const Policy& policy = {},
                              const Catalog* catalog = nullptr);

/// The same for a MigrateRequested event: the instance, which runs with `from`, goes on with `to`.
/// The event must carry the keys that `to` needs; with too few for all that is new it is refused. A
/// refusal has every reason.
[[nodiscard]] Decision migrate(const definition::Definition& from, const definition::Definition& to,
                               facts::InstanceState& state, const facts::Event& event,
                               const Policy& policy = {}, const Catalog* catalog = nullptr);

/// The scope whose variables the token sees first: that of its activity's own, else the one that it
/// is in.
[[nodiscard]] Key variables_of(const facts::InstanceState& state, Key token_id);

/// The variable as it is seen from that scope; nullptr when there is none.
[[nodiscard]] const Value* find_variable(const facts::InstanceState& state, Key scope_id,
                                         std::string_view name);

/// Variables as a token in that scope sees them: the nearest scope first.
[[nodiscard]] Value visible_variables(const facts::InstanceState& state, Key scope_id);

} // namespace perdure::decide
