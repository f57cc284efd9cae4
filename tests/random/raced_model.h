// Raced models: what is left at the end depends on who comes first, but every order ends.
#pragma once

#include "random/chance.h"
#include "random/random_model.h"

namespace perdure::random {

/// Blocks over the whole set of elements: boundary events of every kind at every activity, event
/// sub-processes, event-based gateways, links, calls, ends that end what is around them, several
/// events at once, compensation, multi-instances. `blocks` of them one after the other.
[[nodiscard]] RandomModel raced_model(Chance& chance, int blocks);

} // namespace perdure::random
