// Trace: the path that the tokens of an instance took through the model, told by its history.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/time.h"
#include "facts/view.h"

namespace perdure::api {

/// placed, moved, waiting, joined, stuck, completed or terminated: what a token did at an element.
struct TraceEntry {
  std::int64_t sequence = 0;
  Instant occurred_at{};
  std::string token_id; ///< a key as text, as history keeps it
  std::string_view action;
  std::string element_id;
  std::optional<std::string> flow_id; ///< the flow by which it came
};

/// Folds history in order: a token's end names its element only because its way there was seen.
class TraceFold {
public:
  /// The entry that the event adds to the path, if any.
  [[nodiscard]] std::optional<TraceEntry> next(const facts::HistoryEvent& event);

private:
  std::unordered_map<std::string, std::string> places_; ///< element of each live token
};

void append_json(std::string& out, const TraceEntry& entry);

} // namespace perdure::api
