#include "engine/deployment_rows.h"

#include <string>
#include <utility>

#include "base/digest.h"
#include "decide/start_triggers.h"

namespace perdure::engine {

namespace {

facts::ProcessDefinition process_row(const DeployCommand& command, const Resource& file,
                                     const definition::Definition& process, Instant now) {
  facts::ProcessDefinition row{.tenant_id = command.tenant_id,
                               .process_id = process.process_id(),
                               .name = process.name(),
                               .resource_name = file.name,
                               .source = file.source,
                               .digest = sha256_hex(file.source),
                               .deployed_at = now};
  if (!process.version_tag().empty()) row.version_tag = process.version_tag();
  return row;
}

facts::DecisionRequirements requirements_row(const DeployCommand& command, std::size_t file,
                                             const CompiledResource& compiled, Instant now) {
  const auto& [name, source] = command.resources[file];
  facts::DecisionRequirements row{.tenant_id = command.tenant_id,
                                  .model_id = compiled.model->key(),
                                  .name = compiled.model->name(),
                                  .resource_name = name,
                                  .source = source,
                                  .imports = Array{},
                                  .digest = {},
                                  .deployed_at = now};
  for (const auto position : compiled.imports) {
    const auto& import = command.resources[position];
    row.imports.as<Array>()->emplace_back(Object{{"file", import.name}, {"source", import.source}});
  }
  row.digest = model_digest(source, row.imports);
  return row;
}

void add_decisions(store::DecisionModel& model, const std::vector<dmn::Entry>& entries,
                   facts::DecisionKind kind) {
  for (const auto& entry : entries) {
    facts::DecisionDefinition row{.tenant_id = model.requirements.tenant_id,
                                  .decision_id = entry.key(),
                                  .kind = kind,
                                  .name = entry.name,
                                  .version_tag = {},
                                  .deployed_at = model.requirements.deployed_at};
    if (!entry.version_tag.empty()) row.version_tag = entry.version_tag;
    model.decisions.push_back(std::move(row));
  }
}

} // namespace

std::string model_digest(const std::string& source, const Value& imports) {
  auto digests = sha256_hex(source);
  if (imports.as<Array>()->empty()) return digests;
  for (const auto& import : *imports.as<Array>()) {
    const auto* text = import.find("source");
    digests += " " + sha256_hex(text && text->is_string() ? *text->as<std::string>() : "");
  }
  return sha256_hex(digests);
}

store::Deployment rows_of(const DeployCommand& command, const Compiled& compiled, Instant now) {
  store::Deployment deployment;
  for (std::size_t i = 0; i < compiled.resources.size(); ++i) {
    const auto& resource = compiled.resources[i];
    for (const auto& process : resource.processes)
      deployment.processes.push_back(process_row(command, command.resources[i], *process, now));
    if (!resource.model) continue;
    store::DecisionModel model{.requirements = requirements_row(command, i, resource, now),
                               .decisions = {}};
    add_decisions(model, resource.model->decisions(), facts::DecisionKind::decision);
    add_decisions(model, resource.model->services(), facts::DecisionKind::service);
    deployment.models.push_back(std::move(model));
  }
  return deployment;
}

std::vector<definition::Diagnostic> add_starts(store::Deployment& deployment,
                                               const DeployCommand& command,
                                               const Compiled& compiled, Instant now) {
  std::vector<definition::Diagnostic> errors;
  for (std::size_t i = 0; i < compiled.resources.size(); ++i) {
    for (const auto& process : compiled.resources[i].processes) {
      auto triggers = decide::start_triggers(*process, now);
      for (auto& error : triggers.errors) {
        error.file = command.resources[i].name;
        errors.push_back(std::move(error));
      }
      for (auto& start : triggers.rows) {
        start.tenant_id = command.tenant_id;
        deployment.starts.push_back(std::move(start));
      }
    }
  }
  return errors;
}

} // namespace perdure::engine
