// Completions at the port of the database: ends of flows that are to be told to a handler.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "facts/rows.h"
#include "perdure/result.h"

namespace perdure::store {

/// What is said of all runs of one flow.
struct FlowKind {
  std::string process_id;
  bool delivers = false; ///< the ends of its runs are told
};
PERDURE_DESCRIBE(FlowKind, process_id, delivers)

/// The end of a run whose turn to be told has come.
struct DueCompletion {
  Key instance_id = kNoKey;
  std::string process_id;
  facts::InstanceStatus status = facts::InstanceStatus::completed;
  Instant finished_at{};
  std::int64_t attempt = 1;
};
PERDURE_DESCRIBE(DueCompletion, instance_id, process_id, status, finished_at, attempt)

/// What became of an attempt to tell it.
struct CompletionTold {
  Key instance_id = kNoKey;
  std::int64_t attempt = 1;
  std::optional<Instant> delivered_at{};
  std::optional<Instant> next_attempt_at{}; ///< instead
  std::optional<std::string> error{};       ///< why it was not delivered, if it failed
};
PERDURE_DESCRIBE(CompletionTold, instance_id, attempt, delivered_at, next_attempt_at, error)

class CompletionStore {
public:
  CompletionStore() = default;
  CompletionStore(const CompletionStore&) = delete;
  CompletionStore& operator=(const CompletionStore&) = delete;
  virtual ~CompletionStore() = default;

  /// nullopt: nobody has said anything of that flow.
  [[nodiscard]] virtual Result<std::optional<FlowKind>> flow_kind(std::string_view process_id) = 0;
  /// Holds for runs that end from now on.
  [[nodiscard]] virtual Result<void> put_flow_kind(const FlowKind& kind) = 0;
  /// Takes ends of runs of these flows whose time has come, at most `limit`, each once more an
  /// attempt. Nobody else gets them before `until`.
  [[nodiscard]] virtual Result<std::vector<DueCompletion>> take_completions(
      std::span<const std::string> flows, Instant now, Instant until, std::int64_t limit) = 0;
  /// In one transaction. One that was told is told, whoever has it; what else is said counts only
  /// from who has the last attempt.
  [[nodiscard]] virtual Result<void> settle_completions(std::span<const CompletionTold> told) = 0;
};

} // namespace perdure::store
