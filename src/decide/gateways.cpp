// Exclusive and parallel gateways.
#include "decide/elements.h"
#include "decide/joins.h"
#include "decide/leaving.h"

namespace perdure::decide {

void enter_exclusive_gateway(Draft& draft, const Visit& visit) { leave(draft, visit); }

void enter_parallel_gateway(Draft& draft, const Visit& visit) {
  if (visit.node.incoming.size() > 1) return arrive_at_join(draft, visit);
  leave(draft, visit);
}

} // namespace perdure::decide
