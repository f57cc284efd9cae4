// Verdict: holds what the server says in the end against what its clients know.
#pragma once

#include "crash/caller.h"
#include "crash/ledger.h"

namespace perdure::crash_test {

/// Each order exists once, as the instance that was acknowledged, and is completed.
void check_orders(Caller& caller, const Ledger& ledger, int orders);
/// Each start, sent once more, is answered with the instance of the first time.
void check_repeated_starts(Caller& caller, const Ledger& ledger, int orders);
/// Each step of each order was completed once, by a completion that a worker sent, and by the
/// acknowledged one if there is one; attempts are numbered without gaps.
void check_steps(Caller& caller, const Ledger& ledger, int orders);
/// No task, incident or dead letter is open.
void check_nothing_open(Caller& caller);

} // namespace perdure::crash_test
