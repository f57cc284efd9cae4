#include "engine/definitions.h"

namespace perdure::engine {

Result<definition::DefinitionPtr> Definitions::get(Key definition_id) {
  if (const auto found = by_id_.find(definition_id); found != by_id_.end()) return found->second;
  auto row = store_.definition(definition_id);
  if (!row) return std::unexpected(row.error());
  if (!*row) {
    return fail(ErrorCode::not_found,
                "There is no process definition " + key_text(definition_id) +
                    "; use the id of one that was deployed, or its process id.");
  }
  if ((*row)->kind == facts::DefinitionKind::flow) {
    auto flow = definition::Definition::flow((*row)->process_id);
    by_id_.emplace(definition_id, flow);
    return flow;
  }
  const Resource file{(*row)->resource_name.value_or(""), (*row)->source.value_or("")};
  const auto compiled = compile_(std::span(&file, 1));
  if (!compiled) {
    return fail(ErrorCode::internal,
                "Process definition " + key_text(definition_id) +
                    " can no longer be read: " + definition::to_text(compiled.error().front()));
  }
  for (const auto& process : compiled->resources.front().processes) {
    if (process->process_id() == (*row)->process_id) {
      by_id_.emplace(definition_id, process);
      return process;
    }
  }
  return fail(ErrorCode::internal, "The source of process definition " + key_text(definition_id) +
                                       " does not contain process " + (*row)->process_id + ".");
}

Result<std::optional<Key>> Definitions::deployment_of(Key definition_id) {
  if (const auto known = deployments_.find(definition_id); known != deployments_.end()) {
    return known->second;
  }
  const auto row = store_.definition(definition_id);
  if (!row) return std::unexpected(row.error());
  const auto deployment = *row ? (*row)->deployment_id : std::nullopt;
  deployments_.emplace(definition_id, deployment);
  return deployment;
}

Result<Key> Definitions::latest(const std::string& tenant_id, const std::string& process_id) {
  const auto name = std::pair(tenant_id, process_id);
  if (const auto found = latest_.find(name); found != latest_.end()) return found->second;
  auto row = store_.latest_definition(tenant_id, process_id);
  if (!row) return std::unexpected(row.error());
  if (!*row) {
    return fail(ErrorCode::not_found, "There is no process \"" + process_id +
                                          "\"; deploy its model first with `perdure deploy FILE`.");
  }
  latest_.emplace(name, (*row)->id);
  return (*row)->id;
}

Result<bool> Definitions::delivers(const std::string& flow) {
  if (const auto known = delivers_.find(flow); known != delivers_.end()) return known->second;
  const auto kind = store_.flow_kind(flow);
  if (!kind) return std::unexpected(kind.error());
  return delivers_[flow] = *kind && (*kind)->delivers;
}

} // namespace perdure::engine
