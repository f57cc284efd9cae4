// Migration: what has to be looked at and done for an instance to go on with another version of its
// process. Everything is found on the old version and the rows as they are; nothing is changed
// here.
//
// What is live stays what it is: tokens keep their place, tasks their lock and assignee, timers
// their due time, multi-instances their iterations. Only what waits beside them follows the new
// version: events that are new there are armed, those that are gone are disarmed.
#pragma once

#include <set>
#include <vector>

#include "decide/arming.h"
#include "decide/versions.h"
#include "facts/instance_state.h"
#include "facts/refusal.h"

namespace perdure::decide {

using Objections = std::vector<facts::Objection>;

/// Why the live elements cannot go on in the new version, each reason once, at most a hundred.
/// Empty: they can.
[[nodiscard]] Objections check_migration(const Versions& versions,
                                         const facts::InstanceState& state);

/// Events of the new version that an owner is to wait for and does not yet.
struct Rearmed {
  Owner owner;
  Key token_id = kNoKey; ///< that stands where the events are evaluated
  Key scope_id = kNoKey;
  std::vector<definition::NodeIndex> events;
};

struct ArmingPlan {
  std::vector<Key> timers; ///< that nobody waits for in the new version, or not as they are
  std::vector<Key> subscriptions;
  std::vector<Rearmed> rearmed;
  Objections objections;
};

/// What is armed otherwise in the new version. All that is live must be there.
[[nodiscard]] ArmingPlan plan_arming(const Versions& versions, const facts::InstanceState& state);

/// Variables of their own that elements have in one version and not in the other.
struct DataPlan {
  std::vector<Key> opened; ///< tokens whose element has them in the new version only
  std::vector<Key> closed; ///< scopes of those that have them no longer
};

[[nodiscard]] DataPlan plan_data(const Versions& versions, const facts::InstanceState& state);

/// Live tokens whose work has begun and is not done.
[[nodiscard]] std::set<Key> tokens_at_work(const facts::InstanceState& state);

/// Open gatherings whose tokens come to the gateway anew: those whose gateway has other incoming
/// flows in the new version, or another id, and all that wait for more than their flows. In the
/// order of their generations.
[[nodiscard]] std::vector<Key> changed_gatherings(const Versions& versions,
                                                  const facts::InstanceState& state);

} // namespace perdure::decide
