#include "engine/decisions.h"

#include "dmn/evaluate.h"
#include "dmn/outcome_value.h"
#include "engine/round.h"

namespace perdure::engine {

namespace {

using definition::BindingKind;

/// The files of a model, itself first.
std::vector<Resource> files_of(const facts::DecisionRequirements& row) {
  std::vector<Resource> files{{row.resource_name, row.source}};
  const auto text = [](const Value& import, std::string_view member) {
    const auto* value = import.find(member);
    const auto* string = value ? value->as<std::string>() : nullptr;
    return string ? *string : std::string();
  };
  for (const auto& import : *row.imports.as<Array>())
    files.push_back({text(import, "file"), text(import, "source")});
  return files;
}

/// Ends a decision that cannot be made now.
template <class T>
T now_or_never(Result<T> result) {
  if (!result) throw decide::CatalogUnavailable(result.error().message);
  return *std::move(result);
}

} // namespace

Result<dmn::ModelPtr> DecisionModels::get(Key requirements_id, const Load& load) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = by_id_.find(requirements_id); found != by_id_.end()) {
      return found->second;
    }
  }
  const auto row = load(requirements_id);
  if (!row) return std::unexpected(row.error());
  const auto unreadable = [&](const std::string& why) {
    return fail(ErrorCode::internal, "The decision model " + key_text(requirements_id) +
                                         " can no longer be read: " + why);
  };
  if (!*row) return unreadable("it is gone.");
  const auto compiled = compile_(files_of(**row));
  if (!compiled) return unreadable(definition::to_text(compiled.error().front()));
  auto model = compiled->resources.front().model;
  if (!model) return unreadable("it is no decision model.");
  const std::lock_guard lock(mutex_);
  return by_id_.emplace(requirements_id, std::move(model)).first->second;
}

std::optional<facts::DecisionDefinition> Decisions::row(const decide::Reference& reference) {
  store::DecisionChoice choice{.tenant_id = reference.tenant_id, .decision_id = reference.id};
  switch (reference.binding) {
    case BindingKind::latest: {
      const auto name = std::pair(reference.tenant_id, reference.id);
      if (const auto known = latest_.find(name); known != latest_.end()) return known->second;
      auto found = now_or_never(store_.decision(choice));
      if (found) latest_.emplace(name, *found);
      return found;
    }
    case BindingKind::deployment:
      choice.deployment_id =
          now_or_never(definitions_.deployment_of(reference.caller_definition_id));
      if (!choice.deployment_id) return std::nullopt;
      break;
    case BindingKind::version: choice.version = reference.version; break;
    case BindingKind::version_tag: choice.version_tag = reference.version_tag; break;
  }
  return now_or_never(store_.decision(choice));
}

std::optional<decide::FoundDecision> Decisions::find(const decide::Reference& reference) {
  const auto definition = row(reference);
  if (!definition) return std::nullopt;
  decide::FoundDecision found{.definition_id = definition->id, .version = definition->version};
  auto model =
      models_.get(definition->requirements_id, [this](Key id) { return store_.requirements(id); });
  if (model) {
    found.model = *std::move(model);
  } else if (model.error().code == ErrorCode::internal) {
    found.problem = model.error().message;
  } else {
    throw decide::CatalogUnavailable(model.error().message);
  }
  return found;
}

namespace {

Failure not_deployed(const EvaluateCommand& command) {
  const auto version =
      command.version ? "version " + std::to_string(*command.version) + " of the " : std::string();
  return {.kind = Failure::Kind::not_found,
          .message = "There is no " + version + "decision \"" + command.decision_id +
                     "\"; deploy its model first, or list those that are deployed."};
}

Result<std::optional<facts::DecisionDefinition>> row_of(store::Reader& reader,
                                                        const EvaluateCommand& command) {
  if (const auto id = parse_key(command.decision_id); id && !command.version) {
    return reader.decision(*id);
  }
  return reader.decision({.tenant_id = command.tenant_id,
                          .decision_id = command.decision_id,
                          .version = command.version,
                          .version_tag = {},
                          .deployment_id = {}});
}

} // namespace

Answer<DecisionResult> evaluate_decision(store::Reader& reader, DecisionModels& models,
                                         const EvaluateCommand& command, Instant now) {
  auto row = row_of(reader, command);
  if (!row) return std::unexpected(failure_of(row.error()));
  if (!*row) return std::unexpected(not_deployed(command));
  const auto model =
      models.get((*row)->requirements_id, [&](Key id) { return reader.requirements(id); });
  if (!model) return std::unexpected(failure_of(model.error()));
  const Object none;
  const auto* variables = command.variables.as<Object>();
  const auto inputs = dmn::inputs_of(variables ? *variables : none);
  const auto outcome = dmn::evaluate(**model, (*row)->decision_id, inputs,
                                     {.limits = {}, .now = now, .by_id = true});
  if (!outcome) {
    return std::unexpected(Failure{.kind = Failure::Kind::internal, .message = outcome.error()});
  }
  return DecisionResult{.definition = std::move(**row),
                        .outcome = dmn::to_value(command.decision_id, *outcome)};
}

} // namespace perdure::engine
