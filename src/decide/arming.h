// Arming: opening the rows that wake a token or a scope when an event comes (BPMN 10.5.1). What is
// armed ends with its owner (facts, I7); only what must end earlier is disarmed here.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <vector>

#include "decide/draft.h"
#include "decide/evaluate.h"

namespace perdure::decide {

/// Who is woken: a token, whose step may end with it, or a scope.
struct Owner {
  std::optional<Key> token_id{};
  std::optional<Key> scope_id{};
  std::optional<Key> step_id{};
  bool at_work = false; ///< the token stays as it is
};

/// An event whose expression cannot be evaluated, and why.
struct NotArmed {
  definition::NodeIndex event;
  Trouble trouble;
};

/// Those of the events that the owner does not await yet; none of them when one is at fault. They
/// are evaluated where the token stands in the scope.
std::expected<void, NotArmed> arm_events(Draft& draft, Key token_id, Key scope_id,
                                         std::span<const definition::NodeIndex> events,
                                         const Owner& owner);

/// Boundary events of the activity that the token enters. False when one of them cannot be
/// evaluated: nothing is armed then and the token rests on an incident.
bool arm_boundaries(Draft& draft, const Visit& visit);

/// Starts of the event sub-processes of a scope that has opened. False when one of them cannot be
/// evaluated: nothing is armed then and `token_id`, which stands in the scope or has opened it,
/// rests on an incident. `is_leaving`: it has done its work and goes out when the scope is armed.
bool arm_scope(Draft& draft, Key scope_id, definition::ScopeIndex scope, Key token_id,
               bool is_leaving = false);

/// All events of a node that gathers them have come, and it interrupts nothing: they are awaited
/// anew, but for dates, which do not come again. False when one of them cannot be evaluated:
/// nothing is armed then and `token_id`, which the event has placed, rests on an incident.
bool arm_anew(Draft& draft, const Owner& owner, const definition::Node& event, Key token_id);

/// The events that follow an event-based gateway; likewise.
bool arm_choices(Draft& draft, const Visit& gateway);

/// Opens a step of that type which waits for the event of the node itself, or rests on an incident.
void await_event(Draft& draft, const Visit& visit, facts::StepType type);

/// Whether the owner still waits for one of the events of that node.
[[nodiscard]] bool waits_for(const facts::InstanceState& state, const Owner& owner,
                             const definition::Node& event);

/// Closes what is armed for the token, which stays where it is.
void disarm_token(Draft& draft, Key token_id);
/// Closes what is armed for the scope, which stays open.
void disarm_scope(Draft& draft, Key scope_id);

/// What an incident's details say when a scope could not be armed: its key.
inline constexpr std::string_view kArmingMember = "scope_id";
/// The same when what gathers could not be armed anew.
inline constexpr std::string_view kGatheringMember = "gathering";

} // namespace perdure::decide
