#include "decide/process.h"

#include <algorithm>
#include <optional>

#include "decide/arming.h"
#include "decide/calls.h"
#include "decide/catching.h"
#include "decide/elements.h"
#include "decide/scopes.h"

namespace perdure::decide {

using definition::kNone;
using definition::kRootScope;
using definition::ListenerPhase;

namespace {

bool listens(const Draft& draft, ListenerPhase phase) {
  const auto process = draft.definition().process_node();
  if (process == kNone) return false;
  const auto& listeners = draft.definition().node(process).listeners;
  return std::ranges::find(listeners, phase, &definition::ListenerSpec::phase) != listeners.end();
}

/// `start`: the start event that it is for.
Key place_at_process(Draft& draft, std::optional<std::string> start) {
  const auto token_id = draft.take_key();
  draft.emit(facts::TokenPlaced{.token_id = token_id,
                                .scope_id = root_scope(draft.state()).id,
                                .node_id = draft.definition().process_id(),
                                .flow_id = std::move(start),
                                .parent_id = {}});
  return token_id;
}

void begin(Draft& draft, definition::NodeIndex start) {
  const auto root_id = root_scope(draft.state()).id;
  if (start == kNone) return place_starts(draft, root_id, kRootScope);
  const auto& node = draft.definition().node(start);
  if (node.kind == definition::NodeKind::receive_task ||
      node.kind == definition::NodeKind::catch_event) {
    return begin_by_event(draft, root_id, node);
  }
  place_start(draft, root_id, kRootScope, start);
}

} // namespace

void begin_process(Draft& draft, definition::NodeIndex start) {
  if (!listens(draft, ListenerPhase::start)) return begin(draft, start);
  const auto id = start == kNone ? std::nullopt : std::optional(draft.definition().node(start).id);
  draft.make_ready(place_at_process(draft, id));
}

void end_process(Draft& draft) {
  if (!listens(draft, ListenerPhase::end)) return complete_instance(draft);
  // Nothing begins in it any more.
  disarm_scope(draft, root_scope(draft.state()).id);
  leave(draft, draft.visit_of(place_at_process(draft, {})));
}

void enter_process(Draft& draft, const Visit& visit) {
  const auto start = draft.state().tokens.find(visit.token_id)->flow_id;
  draft.emit(facts::TokenCompleted{.token_id = visit.token_id});
  begin(draft, start ? draft.definition().find_node(*start) : kNone);
}

void leave_process(Draft& draft, const Visit& visit) {
  draft.emit(facts::TokenCompleted{.token_id = visit.token_id});
  // An operator may have begun something beside it.
  const auto tokens = draft.state().tokens.of(facts::Link::scope, visit.scope_id);
  const bool is_over = std::ranges::all_of(
      tokens, [](const facts::Token& token) { return is_terminal(token.state); });
  if (is_over) complete_instance(draft);
}

} // namespace perdure::decide
