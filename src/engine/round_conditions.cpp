// Conditions: variables that are offered begin every process with a start event whose condition
// they make true.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "decide/start_triggers.h"
#include "engine/round.h"

namespace perdure::engine {

namespace {

/// Of the variables that one offer writes.
constexpr std::int64_t kMostBytes = std::int64_t{64} * 1024 * 1024;

} // namespace

// The start events whose conditions hold with what is offered, one a process: of several at one
// start event the first.
Result<std::vector<facts::DefinitionSubscription>> Round::starts_that_hold(const Work& work) {
  const auto starts = parts_.store.conditional_starts(work.tenant_id);
  if (!starts) return std::unexpected(starts.error());
  std::vector<facts::DefinitionSubscription> found;
  for (const auto& start : *starts) {
    const auto begins_here = [&](const facts::DefinitionSubscription& other) {
      return other.definition_id == start.definition_id && other.node_id == start.node_id;
    };
    if (std::ranges::any_of(found, begins_here)) continue;
    const auto definition = parts_.definitions.get(start.definition_id);
    if (!definition) return std::unexpected(definition.error());
    if (decide::begins(**definition, start, work.errand->offer->variables, now_)) {
      found.push_back(start);
    }
  }
  return found;
}

// What begins becomes rows, as with a signal: each is delivered once, whatever happens.
void Round::begin_by_conditions(Work& work) {
  const auto starts = starts_that_hold(work);
  const auto count = starts ? std::ssize(*starts) : 0;
  if (const auto keys = ensure_keys(2 * std::max<std::int64_t>(count, 1)); !starts || !keys) {
    miss(work, failure_of(!starts ? starts.error() : keys.error()));
    return;
  }
  const auto& offer = *work.errand->offer;
  if (count > 1 && std::ssize(json::write(Value(offer.variables))) * count > kMostBytes) {
    miss(work, {.kind = Failure::Kind::refused,
                .violation = "OfferTooLarge",
                .message = "These variables would begin " + std::to_string(count) +
                           " processes with more than 64 MiB in all: offer smaller ones."});
    return;
  }
  store::Delivered events;
  Outcome outcome;
  for (const auto& start : *starts) {
    const auto instance_id = parts_.keys.take();
    Object payload{{"definition_id", key_text(start.definition_id)},
                   {"start_node_id", start.node_id},
                   {"variables", offer.variables}};
    if (offer.business_key) payload.append("business_key", *offer.business_key);
    events.sent.push_back({.id = parts_.keys.take(),
                           .instance_id = {},
                           .tenant_id = work.tenant_id,
                           .node_id = {},
                           .kind = facts::PendingKind::start,
                           .name = {},
                           .correlation_key = {},
                           .target_instance_id = instance_id,
                           .target_token_id = {},
                           .payload = std::move(payload),
                           .created_at = now_,
                           .closed_at = {}});
    outcome.begun.emplace_back(Object{{"instance_id", key_text(instance_id)},
                                      {"process_id", start.process_id},
                                      {"start_node_id", start.node_id}});
  }
  write_loose(&work, std::move(events), std::move(outcome));
}

} // namespace perdure::engine
