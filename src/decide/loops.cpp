#include "decide/loops.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "decide/arming.h"
#include "decide/compensation.h"
#include "decide/elements.h"
#include "decide/evaluate.h"
#include "decide/incidents.h"
#include "decide/loop_variables.h"
#include "decide/scopes.h"
#include "decide/throwing.h"

namespace perdure::decide {

using definition::LoopKind;
using definition::LoopSpec;

namespace {

constexpr std::string_view kLoopCounter = "loopCounter";

const facts::LoopProgress& progress_of(const Draft& draft, Key body_id) {
  return draft.state().loops.at(body_id);
}

/// What all iterations go through.
struct Items {
  std::optional<std::int64_t> total; ///< nullopt: nobody knows before the end
  std::optional<Value> collection;
};

Trouble too_many(const Visit& visit, std::int64_t total) {
  Trouble trouble;
  trouble.message = "The multi-instance `" + visit.node.id + "` would run " +
                    std::to_string(total) + " times where " + std::to_string(kMaxIterations) +
                    " is the limit: correct the variables or the model, then retry.";
  trouble.details.append("total", total);
  return trouble;
}

Outcome<Items> evaluate_items(const Draft& draft, const Visit& visit) {
  const auto& loop = *visit.node.loop;
  if (loop.kind == LoopKind::standard) return Items{};
  Items items;
  if (loop.collection) {
    auto list = evaluate_list(draft, visit, *loop.collection, "collection");
    if (!list) return std::unexpected(std::move(list.error()));
    items.total = static_cast<std::int64_t>(list->as<Array>()->size());
    items.collection = *std::move(list);
  } else {
    const auto total = evaluate_size(draft, visit, loop.cardinality, "loop cardinality");
    if (!total) return std::unexpected(total.error());
    items.total = *total;
  }
  if (*items.total > kMaxIterations) return std::unexpected(too_many(visit, *items.total));
  return items;
}

/// The variables that belong to one iteration alone.
Object iteration_variables(const LoopSpec& loop, const facts::Scope& body, std::int64_t index) {
  Object variables;
  if (!loop.output_variable.empty()) variables.set(loop.output_variable, nullptr);
  variables.set(std::string(kLoopCounter), index + loop.first_counter);
  if (body.collection && !loop.element_variable.empty()) {
    const auto& items = *body.collection->as<Array>();
    variables.set(loop.element_variable, items[static_cast<std::size_t>(index)]);
  }
  return variables;
}

/// The next iteration. While a parallel multi-instance has more to open, its token stays ready, so
/// that the bound of a decision holds whatever the number.
void open_iteration(Draft& draft, const Visit& visit, Key body_id) {
  const auto& loop = *visit.node.loop;
  const auto& body = *draft.state().scopes.find(body_id);
  const auto index = progress_of(draft, body_id).opened;
  const bool more = loop.kind == LoopKind::parallel && index + 1 < *body.loop_total;
  const auto scope_id = draft.take_key();
  draft.emit(facts::ScopeOpened{.scope_id = scope_id,
                                .parent_id = body_id,
                                .token_id = visit.token_id,
                                .node_id = visit.node.id,
                                .kind = facts::ScopeKind::iteration,
                                .loop_index = index,
                                .variables = iteration_variables(loop, body, index),
                                .stays_ready = more ? std::optional(true) : std::nullopt});
  const auto token_id = draft.take_key();
  draft.emit(facts::TokenPlaced{.token_id = token_id,
                                .scope_id = scope_id,
                                .node_id = visit.node.id,
                                .flow_id = {},
                                .parent_id = visit.token_id});
  draft.make_ready(token_id);
  if (more) draft.make_ready(visit.token_id);
}

/// In the order of the items; null for those that did not come to their end.
Array collected(const facts::LoopProgress& progress, std::int64_t total) {
  Array list(static_cast<std::size_t>(total), Value());
  for (const auto& [index, output] : progress.outputs)
    list[static_cast<std::size_t>(index)] = output;
  return list;
}

/// All iterations are over, or are not needed any more: the token goes on.
void finish(Draft& draft, const Visit& visit, Key body_id) {
  const auto& loop = *visit.node.loop;
  terminate_inside(draft, body_id);
  Object outputs;
  const auto& body = *draft.state().scopes.find(body_id);
  if (!loop.output_collection.empty() && body.loop_total) {
    outputs.set(loop.output_collection, collected(progress_of(draft, body_id), *body.loop_total));
  }
  draft.emit(facts::ScopeClosed{.scope_id = body_id, .state = facts::ScopeState::completed});
  record_runs(draft, visit.scope_id, visit.node, body_id);
  set_variables(draft, visit.scope_id, outputs);
  leave(draft, visit);
}

/// Whether a standard loop begins at all.
Outcome<bool> may_begin(const Draft& draft, const Visit& visit) {
  const auto& loop = *visit.node.loop;
  if (loop.kind != LoopKind::standard) return true;
  if (loop.maximum && *loop.maximum == 0) return false;
  if (!loop.test_before || !loop.condition) return true;
  const Object counter{{std::string(kLoopCounter), 0}};
  return evaluate_truth(draft, visit, *loop.condition, "loop condition", &counter);
}

void begin(Draft& draft, const Visit& visit) {
  if (!visit.node.boundaries.empty() && !arm_boundaries(draft, visit)) return;
  auto items = evaluate_items(draft, visit);
  if (!items) return open_incident(draft, visit, std::move(items.error()));
  auto begins = may_begin(draft, visit);
  if (!begins) return open_incident(draft, visit, std::move(begins.error()));
  const auto body_id = draft.take_key();
  const bool any = *begins && items->total != 0;
  draft.emit(facts::ScopeOpened{.scope_id = body_id,
                                .parent_id = variables_of(draft.state(), visit.token_id),
                                .token_id = visit.token_id,
                                .node_id = visit.node.id,
                                .kind = facts::ScopeKind::multi_instance,
                                .loop_index = {},
                                .variables = Object{},
                                .loop_total = items->total,
                                .collection = std::move(items->collection)});
  if (any) return open_iteration(draft, visit, body_id);
  finish(draft, visit, body_id);
}

/// What follows from the end of one iteration, found before its facts.
struct End {
  std::optional<Value> output;
  bool is_last = false; ///< whatever is left is not needed
  std::vector<const definition::EventSpec*> thrown;
};

Outcome<bool> is_last(const Draft& draft, const Visit& visit, Key body_id, const Object& counts) {
  const auto& loop = *visit.node.loop;
  const auto& progress = progress_of(draft, body_id);
  if (loop.kind == LoopKind::standard) {
    if (loop.maximum && progress.opened >= *loop.maximum) return true;
    if (!loop.condition) return false;
    auto goes_on = evaluate_truth(draft, visit, *loop.condition, "loop condition", &counts);
    if (!goes_on) return goes_on;
    return !*goes_on;
  }
  if (loop.completion) {
    auto done = evaluate_truth(draft, visit, *loop.completion, "completion condition", &counts);
    if (!done || *done) return done;
  }
  const auto total = *draft.state().scopes.find(body_id)->loop_total;
  return progress.completed + progress.terminated + 1 == total;
}

/// `outputs` counts as set, and the iteration as completed.
Outcome<End> evaluate_end(const Draft& draft, const Visit& visit, Key body_id,
                          const Object& outputs) {
  const auto& loop = *visit.node.loop;
  const auto& progress = progress_of(draft, body_id);
  auto counts = loop_counts(draft.state(), *draft.state().scopes.find(body_id), true);
  for (const auto& [name, value] : outputs)
    counts.set(name, value);
  End end;
  if (loop.output_element) {
    auto output =
        evaluate_source(draft, visit, visit.scope_id,
                        {.text = {}, .expression = loop.output_element}, "output element", outputs);
    if (!output) return std::unexpected(std::move(output.error()));
    end.output = *std::move(output);
  }
  for (const auto& each : loop.thrown) {
    if (each.once && progress.completed > 0) continue;
    if (each.condition) {
      auto holds = evaluate_truth(draft, visit, *each.condition, "condition of an event", &counts);
      if (!holds) return std::unexpected(std::move(holds.error()));
      if (!*holds) continue;
    }
    end.thrown.push_back(&each.event);
  }
  auto last = is_last(draft, visit, body_id, counts);
  if (!last) return std::unexpected(std::move(last.error()));
  end.is_last = *last;
  return end;
}

} // namespace

bool is_in_iteration(const facts::InstanceState& state, const Visit& visit) {
  const auto* scope = state.scopes.find(visit.scope_id);
  return scope->kind == facts::ScopeKind::iteration && scope->node_id == visit.node.id;
}

void enter_loop(Draft& draft, const Visit& visit) {
  const auto body_id = scope_opened_by(draft.state(), visit.token_id);
  if (body_id == kNoKey) return begin(draft, visit);
  open_iteration(draft, visit, body_id);
}

void leave_iteration(Draft& draft, const Visit& visit, const Object& outputs) {
  const auto& iteration = *draft.state().scopes.find(visit.scope_id);
  const auto body_id = *iteration.parent_id;
  const auto owner_id = *iteration.token_id;
  auto end = evaluate_end(draft, visit, body_id, outputs);
  if (!end) {
    end.error().details.append(std::string(kLeavingMember), true);
    return open_incident(draft, visit, std::move(end.error()));
  }
  draft.emit(facts::TokenCompleted{.token_id = visit.token_id});
  draft.emit(facts::ScopeClosed{.scope_id = visit.scope_id,
                                .state = facts::ScopeState::completed,
                                .output = std::move(end->output)});
  record_runs(draft, body_id, visit.node, visit.scope_id);
  set_variables(draft, body_id, outputs);
  const auto owner = draft.visit_of(owner_id);
  for (const auto* event : end->thrown) {
    // What it throws may end the activity itself.
    if (!throw_event(draft, owner, *event)) return;
  }
  if (end->is_last) return finish(draft, owner, body_id);
  if (visit.node.loop->kind != LoopKind::parallel) open_iteration(draft, owner, body_id);
}

bool has_more_to_open(const Draft& draft, Key token_id) {
  const auto* body = draft.state().scopes.find(scope_opened_by(draft.state(), token_id));
  if (!body || body->kind != facts::ScopeKind::multi_instance) return false;
  return draft.visit_of(token_id).node.loop->kind == LoopKind::parallel &&
         progress_of(draft, body->id).opened < *body->loop_total;
}

bool abandon_iteration(Draft& draft, Key scope_id) {
  const auto& iteration = *draft.state().scopes.find(scope_id);
  const auto body_id = *iteration.parent_id;
  const auto owner = draft.visit_of(*iteration.token_id);
  const auto kind = owner.node.loop->kind;
  const auto& progress = progress_of(draft, body_id);
  const auto over = progress.completed + progress.terminated + 1;
  const auto total = draft.state().scopes.find(body_id)->loop_total.value_or(over);
  // Nothing leaves an element of a paused instance.
  const bool may_leave = draft.state().instance.status == facts::InstanceStatus::running;
  if (over == total && (progress.completed == 0 || !may_leave)) return false;
  draft.emit(facts::ScopeClosed{.scope_id = scope_id, .state = facts::ScopeState::terminated});
  if (over == total) {
    finish(draft, owner, body_id);
  } else if (kind == LoopKind::sequential) {
    open_iteration(draft, owner, body_id);
  }
  return true;
}

} // namespace perdure::decide
