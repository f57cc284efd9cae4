// Refusals: the caller asked for what the state does not allow. No facts follow. Listed in order of
// precedence; the names are the values of the header X-Invariant-Violation.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_text.h"

namespace perdure::facts {

enum class RefusalCode {
  instance_finished,        ///< the instance has ended: nothing can happen in it
  not_found,                ///< no such task, timer or incident in this instance
  token_finalized_twice,    ///< already completed, failed or cancelled: a repeated completion
  lease_conflict,           ///< the lock is not the caller's: expired, another worker's, or none
  token_invalid_transition, ///< the state does not allow this step (task not ready, not failed ...)
  timer_not_due,            ///< fired before its time
  join_incomplete,          ///< a gateway was asked to fire before every flow arrived
  bad_variables,            ///< variables must be an object
  nothing_to_retry,         ///< no open incident
  instance_paused,          ///< an operator holds the instance: nothing happens until it is resumed
  bad_modification,         ///< the tokens cannot be moved as an operator asked
  bad_migration,            ///< the instance cannot go on with the version that an operator named
};

constexpr auto enum_names(RefusalCode) {
  return std::array<std::string_view, 12>{"InstanceFinished",       "NotFound",
                                          "TokenFinalizedTwice",    "ExternalTaskLeaseConflict",
                                          "TokenInvalidTransition", "TimerNotDue",
                                          "JoinIncomplete",         "BadVariables",
                                          "NothingToRetry",         "InstancePaused",
                                          "BadModification",        "BadMigration"};
}

/// One of several reasons.
struct Objection {
  std::string element_id;
  std::string message; ///< one sentence: what is wrong and what to do
  friend bool operator==(const Objection&, const Objection&) = default;
};

struct Refusal {
  RefusalCode code = RefusalCode::not_found;
  std::string message;                 ///< one sentence: what is wrong and what to do
  std::vector<Objection> objections{}; ///< where there can be several; the message has the first
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

} // namespace perdure::facts
