#include "store/deployment.h"

#include <algorithm>
#include <utility>

namespace perdure::store {

namespace {

/// What is there of a deployment already.
struct Latest {
  std::vector<std::optional<facts::ProcessDefinition>> processes;
  std::vector<std::optional<facts::DecisionRequirements>> models;
  std::vector<std::vector<std::optional<facts::DecisionDefinition>>> decisions; ///< of each model
};

template <class Row>
std::int64_t next_version(const std::optional<Row>& latest) {
  return latest ? latest->version + 1 : 1;
}

Result<Latest> find_latest(DefinitionTables& tables, const Deployment& deployment) {
  Latest latest;
  for (const auto& process : deployment.processes) {
    auto row = tables.latest_process(process.tenant_id, process.process_id);
    if (!row) return std::unexpected(row.error());
    latest.processes.push_back(std::move(*row));
  }
  for (const auto& model : deployment.models) {
    const auto& requirements = model.requirements;
    auto row = tables.latest_model(requirements.tenant_id, requirements.model_id);
    if (!row) return std::unexpected(row.error());
    latest.models.push_back(std::move(*row));
    auto& decisions = latest.decisions.emplace_back();
    for (const auto& decision : model.decisions) {
      auto found = tables.latest_decision(decision.tenant_id, decision.decision_id);
      if (!found) return std::unexpected(found.error());
      decisions.push_back(std::move(*found));
    }
  }
  return latest;
}

/// The code of a flow may have the number that its program gives it.
bool has_own_number(const facts::ProcessDefinition& process) {
  return process.kind == facts::DefinitionKind::flow && process.version > 0;
}

bool is_same_process(const facts::ProcessDefinition& process,
                     const std::optional<facts::ProcessDefinition>& latest) {
  const bool same_number =
      !has_own_number(process) || (latest && latest->version == process.version);
  return latest && latest->kind == process.kind && latest->digest == process.digest && same_number;
}

/// Another model may have taken over one of its decisions meanwhile.
bool is_same_model(const DecisionModel& model,
                   const std::optional<facts::DecisionRequirements>& latest,
                   const std::vector<std::optional<facts::DecisionDefinition>>& decisions) {
  return latest && latest->digest == model.requirements.digest &&
         std::ranges::all_of(decisions, [&](const auto& decision) {
           return decision && decision->requirements_id == latest->id;
         });
}

bool is_unchanged(const Deployment& deployment, const Latest& latest) {
  std::vector<std::optional<Key>> deployments;
  for (std::size_t i = 0; i < deployment.processes.size(); ++i) {
    if (!is_same_process(deployment.processes[i], latest.processes[i])) return false;
    deployments.push_back(latest.processes[i]->deployment_id);
  }
  for (std::size_t i = 0; i < deployment.models.size(); ++i) {
    if (!is_same_model(deployment.models[i], latest.models[i], latest.decisions[i])) return false;
    deployments.emplace_back(latest.models[i]->deployment_id);
  }
  return std::ranges::adjacent_find(deployments, std::ranges::not_equal_to{}) == deployments.end();
}

Deployment take(Latest latest) {
  Deployment deployment;
  for (auto& process : latest.processes)
    deployment.processes.push_back(std::move(*process));
  for (std::size_t i = 0; i < latest.models.size(); ++i) {
    auto& model = deployment.models.emplace_back();
    model.requirements = std::move(*latest.models[i]);
    for (auto& decision : latest.decisions[i])
      model.decisions.push_back(std::move(*decision));
  }
  return deployment;
}

Result<void> insert_starts(DefinitionTables& tables, const facts::ProcessDefinition& process,
                           const std::vector<facts::DefinitionSubscription>& starts,
                           KeyRange& keys) {
  for (auto start : starts) {
    if (start.process_id != process.process_id) continue;
    start.id = keys.take();
    start.definition_id = process.id;
    if (auto done = tables.insert(start); !done) return done;
  }
  return {};
}

/// A version that was deployed before starts were kept gets them when it is deployed again.
Result<void> add_missing_starts(DefinitionTables& tables, const Deployment& known,
                                const std::vector<facts::DefinitionSubscription>& starts,
                                KeyRange& keys) {
  for (const auto& process : known.processes) {
    const auto has = tables.has_starts(process.id);
    if (!has) return std::unexpected(has.error());
    if (*has) continue;
    if (auto done = insert_starts(tables, process, starts, keys); !done) return done;
  }
  return {};
}

} // namespace

std::int64_t keys_needed(const Deployment& deployment) {
  auto count = 1 + std::ssize(deployment.processes) + std::ssize(deployment.models) +
               std::ssize(deployment.starts);
  for (const auto& model : deployment.models)
    count += std::ssize(model.decisions);
  return count;
}

Result<Deployment> add_versions(DefinitionTables& tables, Deployment deployment, KeyRange keys) {
  auto latest = find_latest(tables, deployment);
  if (!latest) return std::unexpected(latest.error());
  if (is_unchanged(deployment, *latest)) {
    auto known = take(std::move(*latest));
    const auto done = add_missing_starts(tables, known, deployment.starts, keys);
    if (!done) return std::unexpected(done.error());
    return known;
  }
  const auto deployment_id = keys.take();
  for (std::size_t i = 0; i < deployment.models.size(); ++i) {
    auto& [requirements, decisions] = deployment.models[i];
    requirements.id = keys.take();
    requirements.version = next_version(latest->models[i]);
    requirements.deployment_id = deployment_id;
    if (auto done = tables.insert(requirements); !done) return std::unexpected(done.error());
    for (std::size_t k = 0; k < decisions.size(); ++k) {
      decisions[k].id = keys.take();
      decisions[k].version = next_version(latest->decisions[i][k]);
      decisions[k].requirements_id = requirements.id;
      decisions[k].deployment_id = deployment_id;
      if (auto done = tables.insert(decisions[k]); !done) return std::unexpected(done.error());
    }
  }
  for (std::size_t i = 0; i < deployment.processes.size(); ++i) {
    auto& process = deployment.processes[i];
    process.id = keys.take();
    if (!has_own_number(process)) process.version = next_version(latest->processes[i]);
    process.deployment_id = deployment_id;
    if (auto done = tables.insert(process); !done) return std::unexpected(done.error());
    if (auto done = tables.close_starts(process); !done) return std::unexpected(done.error());
    const auto done = insert_starts(tables, process, deployment.starts, keys);
    if (!done) return std::unexpected(done.error());
  }
  return deployment;
}

} // namespace perdure::store
