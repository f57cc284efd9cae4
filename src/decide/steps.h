// Named steps: what every element with work of its own has in common.
#pragma once

#include "decide/draft.h"
#include "decide/evaluate.h"
#include "facts/fact.h"

namespace perdure::decide {

/// A step for this visit, with its own slug (`node`, `node#2` ...); the caller adds its part and
/// emits it.
[[nodiscard]] facts::StepOpened new_step(Draft& draft, const Visit& visit, facts::StepType type);

/// A step of that type with a task for a worker; the caller emits it.
[[nodiscard]] Outcome<facts::StepOpened> worker_step(Draft& draft, const Visit& visit,
                                                     const definition::WorkerSpec& spec,
                                                     facts::StepType type);

/// The same for the worker of the node: the token rests on it, or on an incident.
void open_worker_step(Draft& draft, const Visit& visit, facts::StepType type);

/// Whether the step is done, by an expression or a decision, as soon as the token enters it: when
/// it is open, an incident is why.
[[nodiscard]] bool is_done_at_once(const facts::InstanceState& state,
                                   const facts::StepRecord& step);

/// The step that the token has open at its node; kNoKey when there is none.
[[nodiscard]] Key open_step_of(const facts::InstanceState& state, Key token_id);

} // namespace perdure::decide
