// A case file: a model, then commands, each followed by the indented facts that it must give.
//
//   # what the case shows
//   model
//     node start startEvent
//     ...
//
//   start {"x": 1}
//     instance_started ...
//     = running; task: waiting
//
// Blocks `version` beside the model are later versions of the process, 2, 3 ... in their order.
// Steps are named by slug (`charge`, `charge#2`). Commands:
//   start [at NODE | before NODE...] [JSON]
//   lock SLUG WORKER DURATION | extend SLUG WORKER DURATION | expire SLUG
//   complete SLUG WORKER [JSON] | complete-by-hand SLUG [JSON]
//   fail SLUG WORKER [retries=N] [delay=DURATION] MESSAGE | finish SLUG [JSON]
//   throw-error SLUG WORKER CODE [JSON] | throw-escalation SLUG WORKER CODE [JSON]
//   return SLUG [JSON] | return-error SLUG CODE [JSON] | return-cancelled SLUG | return-failed SLUG
//   MESSAGE (the instance that a call activity called has ended)
//   fire SLUG_OR_EVENT | occur EVENT [JSON] (the message or signal that the event waits for)
//   retry [NODE] [retries=N] | proceed | cancel [REASON] | set-aside MESSAGE
//   pause [REASON] | resume | set JSON
//   choose SUB_PROCESS NODE... (activities of an ad hoc sub-process)
//   modify [before NODE | after NODE | cancel NODE | token KEY]... [in SCOPE]... [JSON]
//   migrate VERSION [OLD=NEW]...
//   wait DURATION | max-moves N
#pragma once

#include <string>
#include <string_view>

#include "cases/machine.h"

namespace perdure::cases {

/// The same file with the facts that are found now; broken properties show as lines that begin with
/// `!`.
/// `saving` is told of every change.
[[nodiscard]] std::string run_case(std::string_view text, Machine::Saving saving = {});

} // namespace perdure::cases
