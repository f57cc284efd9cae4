// Running many flows at the port of the database: who hosts them, what limits their names have, who
// waits to be let in, and what starts them by the clock.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "base/key.h"
#include "base/time.h"
#include "facts/rows.h"
#include "perdure/result.h"
#include "perdure/value.h"

namespace perdure::store {

/// A process that goes on with flows, as the others see it.
struct FlowHostRow {
  std::string worker_id; ///< of this start of the process
  std::string node_name;
  Instant started_at{};
  Instant expires_at{}; ///< of its lease
  friend bool operator==(const FlowHostRow&, const FlowHostRow&) = default;
};
PERDURE_DESCRIBE(FlowHostRow, worker_id, node_name, started_at, expires_at)

/// What all runs of a name may do together, and those of one key. Periods in milliseconds.
struct FlowLimit {
  std::string process_id;
  std::optional<std::int64_t> running{};
  std::optional<std::int64_t> running_per_key{};
  std::optional<std::int64_t> starts{};
  std::optional<std::int64_t> starts_period{};
  std::optional<std::int64_t> starts_per_key{};
  std::optional<std::int64_t> starts_per_key_period{};
  [[nodiscard]] bool per_key() const { return running_per_key || starts_per_key; }
  friend bool operator==(const FlowLimit&, const FlowLimit&) = default;
};
PERDURE_DESCRIBE(FlowLimit, process_id, running, running_per_key, starts, starts_period,
                 starts_per_key, starts_per_key_period)

/// The place of a run among those that share its limits.
struct FlowSlot {
  Key run_id = kNoKey;
  std::string process_id;
  std::optional<std::string> limit_key;
  std::int64_t priority = 0;
  Instant queued_at{};
  std::optional<Instant> admitted_at{};
  std::optional<Instant> counts_until{}; ///< among the starts of a period
  std::optional<Instant> left_at{};
  friend bool operator==(const FlowSlot&, const FlowSlot&) = default;
};
PERDURE_DESCRIBE(FlowSlot, run_id, process_id, limit_key, priority, queued_at, admitted_at,
                 counts_until, left_at)

/// A run is let in. Refused by the database when the limits do not allow it.
struct SlotAdmitted {
  Key instance_id = kNoKey;
  Instant admitted_at{};
  Instant counts_until{};
};
PERDURE_DESCRIBE(SlotAdmitted, instance_id, admitted_at, counts_until)

/// A run has ended, or was cancelled before it began.
struct SlotLeft {
  Key instance_id = kNoKey;
  Instant left_at{};
};
PERDURE_DESCRIBE(SlotLeft, instance_id, left_at)

/// What a schedule does while the run that it started before has not ended.
enum class Overlap { skip, queue, cancel_previous, allow };
constexpr auto enum_names(Overlap) {
  return std::array<std::string_view, 4>{"skip", "queue", "cancel_previous", "allow"};
}

/// What a schedule does about occurrences that nobody was there to start.
enum class Misfire { fire_once, fire_all, skip };
constexpr auto enum_names(Misfire) {
  return std::array<std::string_view, 3>{"fire_once", "fire_all", "skip"};
}

/// Starts a flow or process again and again.
struct FlowSchedule {
  Key id = kNoKey;
  std::string name;
  std::string process_id;
  Value input;       ///< an object
  std::string cycle; ///< as expr::Recurrence reads it
  Overlap overlap = Overlap::skip;
  Misfire misfire = Misfire::fire_once;
  std::int64_t occurrence = 1;   ///< the next one
  std::optional<Instant> due_at; ///< none: it was the last
  std::optional<Key> last_instance_id;
  Instant opened_at{};
  friend bool operator==(const FlowSchedule&, const FlowSchedule&) = default;
};
PERDURE_DESCRIBE(FlowSchedule, id, name, process_id, input, cycle, overlap, misfire, occurrence,
                 due_at, last_instance_id, opened_at)

/// An occurrence of a schedule is done with. A conflict when another node did that.
struct ScheduleMoved {
  Key id = kNoKey;
  std::int64_t occurrence_before = 0;
  std::int64_t occurrence = 0;
  std::optional<Instant> due_at;
  std::optional<Key> last_instance_id;
};
PERDURE_DESCRIBE(ScheduleMoved, id, occurrence_before, occurrence, due_at, last_instance_id)

/// A flow and a process that calls a callback of it.
struct FlowAttempt {
  Key instance_id = kNoKey;
  std::string worker_id;
};

/// A flow that a process is to go on with.
struct ReadyFlow {
  Key instance_id = kNoKey;
  Key definition_id = kNoKey;
  std::int64_t last_sequence = 0;
  Instant updated_at{};
  std::optional<std::string> host; ///< who has it, or had it last
  bool busy = false;               ///< a callback of it is under way
};

/// How the last of a chain of runs stands.
enum class ChainState { live, starting, over };
constexpr auto enum_names(ChainState) {
  return std::array<std::string_view, 3>{"live", "starting", "over"};
}

/// Where a chain of runs that continue each other has come to.
struct ChainEnd {
  Key run_id = kNoKey; ///< the last of them
  ChainState state = ChainState::over;
  friend bool operator==(const ChainEnd&, const ChainEnd&) = default;
};
PERDURE_DESCRIBE(ChainEnd, run_id, state)

/// Of a version of a flow: how many of its runs have that status; none: it has no runs.
struct FlowRuns {
  std::string process_id;
  std::int64_t version = 0;
  std::optional<facts::InstanceStatus> status;
  std::int64_t runs = 0;
};
PERDURE_DESCRIBE(FlowRuns, process_id, version, status, runs)

/// All flows that the database knows, by name and version.
struct FlowOverview {
  std::vector<FlowRuns> runs;
  std::vector<FlowLimit> limits;
  std::vector<FlowSchedule> schedules;
};

/// How many runs of a name were let in since a time, and when the first of them was.
struct AdmittedSince {
  std::int64_t count = 0;
  std::optional<Instant> first;
};

/// What of a key of a name may begin: so many may run, so many may begin after a time.
struct KeyRoom {
  std::int64_t running = 0;
  std::int64_t starts = 0;
  Instant since{};
};

class FlowStore {
public:
  FlowStore() = default;
  FlowStore(const FlowStore&) = delete;
  FlowStore& operator=(const FlowStore&) = delete;
  virtual ~FlowStore() = default;

  // ---- hosts ----
  [[nodiscard]] virtual Result<void> add_flow_host(const FlowHostRow& host) = 0;
  /// False: it is gone, since it came too late.
  [[nodiscard]] virtual Result<bool> renew_flow_host(std::string_view worker_id,
                                                     Instant expires_at) = 0;
  [[nodiscard]] virtual Result<std::vector<std::string>> expired_flow_hosts(Instant now,
                                                                            std::int64_t limit) = 0;
  /// Unless something of it is left, or its lease is not over.
  [[nodiscard]] virtual Result<void> remove_flow_host(std::string_view worker_id, Instant now) = 0;
  /// Flows whose callbacks that process was calling.
  [[nodiscard]] virtual Result<std::vector<FlowAttempt>> flow_attempts_by(
      std::string_view worker_id) = 0;
  /// Flows whose callbacks a dead process of this node was calling, with its name.
  [[nodiscard]] virtual Result<std::vector<FlowAttempt>> flow_attempts_of(
      std::string_view prefix) = 0;
  /// Flows behind `after`, in key order, whose code is to be told something; at most `limit`.
  [[nodiscard]] virtual Result<std::vector<ReadyFlow>> ready_flows(Key after,
                                                                   std::int64_t limit) = 0;

  // ---- limits ----
  [[nodiscard]] virtual Result<std::vector<FlowLimit>> flow_limits() = 0;
  [[nodiscard]] virtual Result<void> put_flow_limit(const FlowLimit& limit) = 0;
  [[nodiscard]] virtual Result<void> remove_flow_limit(std::string_view process_id) = 0;
  /// Names of which runs wait to be let in.
  [[nodiscard]] virtual Result<std::vector<std::string>> flow_names_waiting() = 0;
  /// Until the round ends nobody else lets in runs of that name, which has limits. False: somebody
  /// does so now.
  [[nodiscard]] virtual Result<bool> claim_flow_limit(std::string_view) { return true; }
  [[nodiscard]] virtual Result<std::int64_t> flow_running(std::string_view process_id) = 0;
  [[nodiscard]] virtual Result<AdmittedSince> flow_admitted_since(std::string_view process_id,
                                                                  Instant since) = 0;
  /// Who is next, best first; with `room`, only those whose key has some.
  [[nodiscard]] virtual Result<std::vector<Key>> flow_slots_waiting(
      std::string_view process_id, std::int64_t limit, const std::optional<KeyRoom>& room) = 0;
  /// Drops those that left and whose start counts no more, at most `limit`; returns how many.
  [[nodiscard]] virtual Result<std::int64_t> forget_flow_slots(Instant now, std::int64_t limit) = 0;

  // ---- schedules ----
  [[nodiscard]] virtual Result<std::optional<FlowSchedule>> flow_schedule(
      std::string_view name) = 0;
  /// In the place of the one of that name, if there is one.
  [[nodiscard]] virtual Result<void> put_flow_schedule(const FlowSchedule& schedule) = 0;
  [[nodiscard]] virtual Result<void> remove_flow_schedule(std::string_view name) = 0;
  /// Schedules whose time has come, at most `limit`. Other nodes leave them alone until the round
  /// ends.
  [[nodiscard]] virtual Result<std::vector<FlowSchedule>> due_flow_schedules(
      Instant now, std::int64_t limit) = 0;

  // ---- chains ----
  /// The run that an instance has become by going on as a new one, again and again: itself, when it
  /// did not. None: there is no such instance.
  [[nodiscard]] virtual Result<std::optional<ChainEnd>> chain_end(Key instance_id) = 0;
};

} // namespace perdure::store
