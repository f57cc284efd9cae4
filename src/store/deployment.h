// Deployments: the processes and decision models that come together, and which versions they
// become. The rules are the same in every dialect; how rows are read and written is the dialect's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/key.h"
#include "facts/view.h"
#include "perdure/result.h"

namespace perdure::store {

/// A decision model and what it offers.
struct DecisionModel {
  facts::DecisionRequirements requirements;
  std::vector<facts::DecisionDefinition> decisions;
};

/// What is deployed together.
struct Deployment {
  std::vector<facts::ProcessDefinition> processes;
  std::vector<DecisionModel> models;
  /// What starts the processes, without the keys of rows and definition.
  std::vector<facts::DefinitionSubscription> starts;

  [[nodiscard]] bool empty() const { return processes.empty() && models.empty(); }
};

/// Which version of a decision: the latest, unless one of the last three says otherwise.
struct DecisionChoice {
  std::string tenant_id;
  std::string decision_id;
  std::optional<std::int64_t> version;
  std::optional<std::string> version_tag; ///< the latest version that has it
  std::optional<Key> deployment_id;       ///< the one that came with it
};

/// The tables of definitions within the transaction that deploys.
class DefinitionTables {
public:
  DefinitionTables() = default;
  DefinitionTables(const DefinitionTables&) = delete;
  DefinitionTables& operator=(const DefinitionTables&) = delete;
  virtual ~DefinitionTables() = default;

  [[nodiscard]] virtual Result<std::optional<facts::ProcessDefinition>> latest_process(
      const std::string& tenant_id, const std::string& process_id) = 0;
  [[nodiscard]] virtual Result<std::optional<facts::DecisionRequirements>> latest_model(
      const std::string& tenant_id, const std::string& model_id) = 0;
  [[nodiscard]] virtual Result<std::optional<facts::DecisionDefinition>> latest_decision(
      const std::string& tenant_id, const std::string& decision_id) = 0;
  [[nodiscard]] virtual Result<void> insert(const facts::ProcessDefinition& row) = 0;
  [[nodiscard]] virtual Result<void> insert(const facts::DecisionRequirements& row) = 0;
  [[nodiscard]] virtual Result<void> insert(const facts::DecisionDefinition& row) = 0;
  [[nodiscard]] virtual Result<void> insert(const facts::DefinitionSubscription& row) = 0;
  /// What started the process before the version does so no more.
  [[nodiscard]] virtual Result<void> close_starts(const facts::ProcessDefinition& version) = 0;
  [[nodiscard]] virtual Result<bool> has_starts(Key definition_id) = 0;
};

/// How many keys add_versions() may take.
[[nodiscard]] std::int64_t keys_needed(const Deployment& deployment);

/// Gives every definition its key and version and writes it. When nothing differs from the latest
/// versions, and those came together too, nothing is written and they are the answer. When one
/// differs, all become new versions: what is deployed together belongs together. The starts of a
/// new version take the place of those before.
[[nodiscard]] Result<Deployment> add_versions(DefinitionTables& tables, Deployment deployment,
                                              KeyRange keys);

} // namespace perdure::store
