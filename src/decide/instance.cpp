// The life of the instance itself: start, cancel, go on.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "decide/evaluate.h"
#include "decide/events.h"
#include "decide/scopes.h"

namespace perdure::decide {

MaybeRefusal check_variables(const Value& variables) {
  if (!variables.is_object() && !variables.is_null()) {
    return refuse(facts::RefusalCode::bad_variables,
                  "The variables are a " + std::string(variables.type_name()) +
                      ": send a JSON object with one member per variable.");
  }
  if (!fits(variables)) {
    return refuse(facts::RefusalCode::bad_variables,
                  "The variables are too large: send at most 16 MiB, nested at most 60 levels.");
  }
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::StartRequested& event) {
  PERDURE_CHECK(draft.state().instance.id == kNoKey);
  if (auto refusal = check_variables(event.variables)) return refusal;
  const auto instance_id = draft.take_key();
  const auto root_scope_id = draft.take_key();
  draft.emit(facts::InstanceStarted{
      .instance_id = instance_id,
      .definition_id = event.definition_id,
      .tenant_id = event.tenant_id,
      .process_id = draft.definition().process_id(),
      .business_key = event.business_key,
      .unique_business_key = event.unique_business_key && event.business_key,
      .root_scope_id = root_scope_id,
      .input = event.variables.is_null() ? Value(Object{}) : event.variables});
  place_starts(draft, root_scope_id, definition::kRootScope);
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::CancelRequested& event) {
  const auto& scopes = draft.state().scopes.slots();
  const auto root = std::ranges::find_if(
      scopes, [](const auto& slot) { return slot.row.kind == facts::ScopeKind::process; });
  PERDURE_CHECK(root != scopes.end());
  terminate_inside(draft, root->row.id);
  draft.emit(facts::InstanceCancelled{.reason = event.reason});
  return accepted();
}

MaybeRefusal decide_event(Draft& draft, const facts::Proceed&) {
  const auto& tokens = draft.state().tokens.slots();
  const bool any_ready = std::ranges::any_of(
      tokens, [](const auto& slot) { return slot.row.state == facts::TokenState::ready; });
  if (any_ready) return accepted();
  return refuse(facts::RefusalCode::token_invalid_transition,
                "No token is ready: every one rests on a row that will wake it.");
}

} // namespace perdure::decide
