#include "api/trace.h"

#include <algorithm>
#include <utility>

#include "api/json_writer.h"
#include "facts/fact.h"

namespace perdure::api {
namespace {

struct ActionOfFact {
  std::string_view fact;
  std::string_view action;
  bool ends_token = false;
};

constexpr ActionOfFact kActions[] = {
    {facts::TokenPlaced::kType, "placed"},
    {facts::TokenMoved::kType, "moved"},
    {facts::StepOpened::kType, "waiting"},
    {facts::ScopeOpened::kType, "waiting"},
    {facts::JoinArrived::kType, "joined"},
    {facts::IncidentOpened::kType, "stuck"},
    {facts::TokenCompleted::kType, "completed", true},
    {facts::TokenTerminated::kType, "terminated", true},
};

std::optional<std::string> text_at(const Value& payload, std::string_view member) {
  const auto* value = payload.find(member);
  const auto* text = value == nullptr ? nullptr : value->as<std::string>();
  if (text == nullptr) return std::nullopt;
  return *text;
}

} // namespace

std::optional<TraceEntry> TraceFold::next(const facts::HistoryEvent& event) {
  const auto* known = std::ranges::find(kActions, event.event_type, &ActionOfFact::fact);
  if (known == std::end(kActions)) return std::nullopt;
  auto token_id = text_at(event.payload, "token_id");
  if (!token_id) return std::nullopt;
  auto& place = places_[*token_id];
  if (auto element = text_at(event.payload, "node_id")) place = std::move(*element);
  TraceEntry entry{.sequence = event.sequence,
                   .occurred_at = event.occurred_at,
                   .token_id = *token_id,
                   .action = known->action,
                   .element_id = place,
                   .flow_id = text_at(event.payload, "flow_id")};
  if (known->ends_token) places_.erase(*token_id);
  return entry;
}

void append_json(std::string& out, const TraceEntry& entry) {
  ObjectWriter object(out);
  object.member("sequence", entry.sequence);
  object.member("occurred_at", entry.occurred_at);
  object.member("token_id", entry.token_id);
  object.member("action", entry.action);
  object.member("element_id", entry.element_id);
  object.member("flow_id", entry.flow_id);
}

} // namespace perdure::api
