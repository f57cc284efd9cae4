// Entry: one line of what a run has done and heard, in the order in which its code did and heard
// it. Replayed in that order, the same code comes to the same point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/time.h"
#include "perdure/step.h"

namespace perdure::flow {

// ---- what the code did ------------------------------------------------------------------------

/// It asked for a step of a name that is new.
struct StepAsked {
  Ask ask;
  std::string parent; ///< the run that the step is in; empty: the flow
};

/// A try of a run that has steps of its own has ended. With a pause there will be another.
struct NestedEnded {
  std::string name;
  std::int64_t attempt = 1;
  Ending ending;
  std::optional<Duration> pause{};
};

/// It waits for the step no more. `busy`: its callback was running, and the code goes on once that
/// has ended (StepReleased).
struct StepDropped {
  std::string name;
  bool busy = false;
};

struct TimeRead {
  Instant at{};
};

struct AttributeSet {
  std::string name;
  Value value;
};

/// It takes the new way at that change.
struct PatchTaken {
  std::string name;
};

struct CompensationAdded {
  std::string name;
};

struct FlowEnded {
  enum class Kind { completed, failed, cancelled, continued };
  Kind kind = Kind::completed;
  std::optional<Value> value{}; ///< completed: what the flow gave; continued: the next input
  std::string error_name{};
  std::string error_message{};
};

// ---- what it heard ----------------------------------------------------------------------------

/// The seed is that of chance: the same in each life of the run.
struct Begun {
  std::int64_t seed = 0;
};

struct StepEnded {
  std::string name;
  Ending ending;
  bool recorded = false; ///< the run has the ending already; else it is new with this entry
};

/// A run that has steps of its own is tried again.
struct AttemptBegun {
  std::string name;
  std::int64_t number = 2;
};

/// The callback of a step that nobody waits for any more has ended.
struct StepReleased {
  std::string name;
};

struct CancelSeen {
  std::string reason;
};

using Observation = std::variant<Begun, StepEnded, AttemptBegun, StepReleased, CancelSeen>;
using Deed = std::variant<StepAsked, NestedEnded, StepDropped, TimeRead, AttributeSet, PatchTaken,
                          CompensationAdded, FlowEnded>;
using Entry = std::variant<Deed, Observation>;

/// What a run has recorded, from its beginning.
class History {
public:
  History() = default;
  History(const History&) = delete;
  History& operator=(const History&) = delete;
  virtual ~History() = default;
  /// The next entry; none at the end.
  virtual std::optional<Entry> next() = 0;
};

/// Where the code and what is recorded part.
struct Divergence {
  std::string asked;    ///< what the code does
  std::string recorded; ///< what the run did there
  std::string advice;
  friend bool operator==(const Divergence&, const Divergence&) = default;
};

/// One line that a person understands: `run "charge"`, `wait "payment" for "payment.received"`.
[[nodiscard]] std::string describe(const Ask& ask, std::string_view parent);
[[nodiscard]] std::string describe(const Entry& entry);

} // namespace perdure::flow
