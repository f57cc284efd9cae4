// Migration: the version that an instance is to go on with is looked up before it is decided.
#include <algorithm>
#include <utility>

#include "engine/round.h"

namespace perdure::engine {

namespace {

/// What each live token and scope may need at most beside the moves that follow.
constexpr std::int64_t kKeysForEach = 4;
constexpr std::int64_t kMaxKeys = 50'000;

Failure not_there(std::string message) {
  return {.kind = Failure::Kind::not_found, .message = std::move(message)};
}

} // namespace

// By its number it is a version of the instance's own process; by its key it may be anything.
std::expected<definition::DefinitionPtr, Failure> Round::migration_target(
    const Unit& unit, facts::MigrateRequested& request) {
  const auto& instance = unit.state->instance;
  if (request.definition_id == kNoKey) {
    const auto found =
        parts_.store.version_by_number(instance.tenant_id, instance.process_id, request.version);
    if (!found) return std::unexpected(failure_of(found.error()));
    if (!*found) {
      return std::unexpected(not_there("There is no version " + std::to_string(request.version) +
                                       " of the process \"" + instance.process_id +
                                       "\"; deploy it, or name one that is there."));
    }
    request.definition_id = **found;
  } else {
    const auto row = parts_.store.definition(request.definition_id);
    if (!row) return std::unexpected(failure_of(row.error()));
    if (!*row || (*row)->tenant_id != instance.tenant_id) {
      return std::unexpected(not_there("There is no process definition " +
                                       key_text(request.definition_id) +
                                       " for this instance; name a version of its process."));
    }
  }
  auto target = parts_.definitions.get(request.definition_id);
  if (!target) return std::unexpected(failure_of(target.error()));
  return *std::move(target);
}

// False when the work is answered.
bool Round::prepare_migration(const Unit& unit, Work& work) {
  const auto target = migration_target(unit, std::get<facts::MigrateRequested>(work.event));
  if (!target) {
    turn_away(work, target.error());
    return false;
  }
  const auto rows =
      static_cast<std::int64_t>(unit.state->tokens.size() + unit.state->scopes.size());
  const auto keys = decide::keys_needed(parts_.options.policy, **target) + kKeysForEach * rows;
  if (const auto taken = ensure_keys(std::min(keys, kMaxKeys) + 2); !taken) {
    turn_away(work, failure_of(taken.error()));
    return false;
  }
  return true;
}

// The unit goes on with the new version at once: what follows in this round is decided with it.
decide::Decision Round::decide_migration(Unit& unit, const facts::Event& event,
                                         const decide::Policy& policy) {
  const auto& request = std::get<facts::MigrateRequested>(event.data);
  const auto target = parts_.definitions.get(request.definition_id);
  PERDURE_CHECK(target);
  auto decision =
      decide::migrate(*unit.definition, **target, *unit.state, event, policy, &parts_.catalog);
  if (!decision.refusal) unit.definition = *target;
  return decision;
}

} // namespace perdure::engine
