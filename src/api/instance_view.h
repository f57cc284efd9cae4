// InstanceView: what one instance is doing now, and for each of its tokens the answer to "what is
// it waiting for?".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/view.h"
#include "perdure/result.h"
#include "store/store.h"

namespace perdure::api {

struct InstanceView {
  facts::ProcessInstance instance;
  std::vector<facts::Scope> scopes;       ///< open and closed
  std::vector<facts::Token> tokens;       ///< live
  std::vector<facts::Incident> incidents; ///< open
  std::vector<facts::Timer> timers;
  std::vector<facts::ExternalTask> external_tasks; ///< open
  std::vector<facts::UserTask> user_tasks;         ///< open
  std::optional<std::int64_t> flow_version;        ///< of a flow that has not ended
  std::vector<facts::StepRecord> steps;            ///< of a flow: open, of the latest
};

/// Reads it as of one moment; nullopt when there is no such instance.
[[nodiscard]] Result<std::optional<InstanceView>> read_view(store::Reader& reader, Key instance_id);

/// In plain words, to be read after "waiting for": `a worker for "payment"`.
[[nodiscard]] std::string waiting_for(const InstanceView& view, const facts::Token& token,
                                      Instant now);

/// The variables of the process itself: an object.
[[nodiscard]] const Value& root_variables(const std::vector<facts::Scope>& scopes);

} // namespace perdure::api
