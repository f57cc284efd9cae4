// Restart: what a new run takes over of an earlier one, so that its code goes on from a chosen
// place without doing again what was done before.
//
//   earlier run:  begun, asked a, a ended, asked S, S failed, ended
//   from step S:  begun, asked a, a ended (not heard)      its code hears it, and asks for S
//   from failure: begun, asked a, a ended, asked S         S is to be done again
//
// What was open at that place is open in the new run too, and begins anew there.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "facts/event.h"
#include "facts/fact.h"
#include "facts/refusal.h"

namespace perdure::flow {

/// Where the new run goes on.
struct RestartPoint {
  enum class Kind {
    beginning,
    step,   ///< before its code asked for the step
    failure ///< where it was when it failed, the step that failed being done again
  };
  Kind kind = Kind::beginning;
  std::string step{};
};

struct Restart {
  facts::InstanceStarted started;        ///< of the earlier run
  std::vector<facts::FlowEntry> entries; ///< what the new one begins with
};

/// `next` gives the facts of the earlier run, from the first; none at the end. Refused when there
/// is no such place in it, or it has not ended.
[[nodiscard]] std::expected<Restart, facts::Refusal> plan_restart(
    const std::function<std::optional<facts::Fact>()>& next, const RestartPoint& point);

} // namespace perdure::flow
