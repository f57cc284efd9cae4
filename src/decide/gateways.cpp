// Gateways.
#include "decide/elements.h"
#include "decide/joins.h"
#include "decide/leaving.h"

namespace perdure::decide {

void enter_exclusive_gateway(Draft& draft, const Visit& visit) { leave(draft, visit); }

void enter_inclusive_gateway(Draft& draft, const Visit& visit) {
  if (gathers(visit.node)) {
    return arrive_at_join(draft, visit, facts::JoinKind::inclusive);
  }
  leave(draft, visit);
}

void enter_complex_gateway(Draft& draft, const Visit& visit) {
  if (gathers(visit.node)) {
    return arrive_at_join(draft, visit, facts::JoinKind::complex);
  }
  leave(draft, visit);
}

void enter_parallel_gateway(Draft& draft, const Visit& visit) {
  if (gathers(visit.node)) {
    return arrive_at_join(draft, visit, facts::JoinKind::parallel);
  }
  leave(draft, visit);
}

} // namespace perdure::decide
