#include "decide/data.h"

#include <span>
#include <string>
#include <utility>

#include "base/check.h"
#include "decide/incidents.h"
#include "decide/loops.h"
#include "decide/scopes.h"

namespace perdure::decide {

using definition::Mapping;
using definition::MappingSource;

namespace {

/// The scope with the node's own variables; kNoKey while there is none.
Key own_scope(const facts::InstanceState& state, const Visit& visit) {
  if (visit.node.loop && is_in_iteration(state, visit)) return visit.scope_id;
  const auto scope_id = variables_of(state, visit.token_id);
  return scope_id == visit.scope_id ? kNoKey : scope_id;
}

/// Where expressions of a mapping are evaluated.
struct Place {
  const Draft& draft;
  const Visit& visit;
  Key scope_id;
  const Object& nearest; ///< what mappings before gave
  std::string what;
};

Outcome<Value> build(const Place& place, const MappingSource& source) {
  switch (source.form) {
    case MappingSource::Form::text:
      return evaluate_source(place.draft, place.visit, place.scope_id, source.text, place.what,
                             place.nearest);
    case MappingSource::Form::list: {
      Array list;
      for (const auto& [name, item] : source.parts) {
        auto value = build(place, item);
        if (!value) return value;
        list.push_back(*std::move(value));
      }
      return Value(std::move(list));
    }
    case MappingSource::Form::object: {
      Object object;
      for (const auto& [name, member] : source.parts) {
        auto value = build(place, member);
        if (!value) return value;
        object.set(name, *std::move(value));
      }
      return Value(std::move(object));
    }
  }
  PERDURE_CHECK(false);
  return Value();
}

/// Sets the member at the end of the path; what stands in its way and is no object gives way.
void assign(Object& object, std::span<const std::string> path, Value value) {
  if (path.size() == 1) {
    object.set(path.front(), std::move(value));
    return;
  }
  const auto* known = object.find(path.front());
  Object inner = known && known->is_object() ? *known->as<Object>() : Object();
  assign(inner, path.subspan(1), std::move(value));
  object.set(path.front(), std::move(inner));
}

Trouble too_large(const Visit& visit, std::string_view what) {
  Trouble trouble;
  trouble.message = "The " + std::string(what) + "s of `" + visit.node.id +
                    "` give more than 60 levels or 16 MiB: correct the variables or the model, "
                    "then retry.";
  return trouble;
}

std::string join_path(std::span<const std::string> path) {
  auto text = path.front();
  for (const auto& part : path.subspan(1))
    text.append(".").append(part);
  return text;
}

/// `merges`: a path into a variable that exists changes it and does not replace it.
Outcome<Object> evaluate(const Draft& draft, const Visit& visit, Key scope_id,
                         std::span<const Mapping> mappings, std::string_view kind, bool merges) {
  Object values;
  for (const auto& mapping : mappings) {
    const auto& root = mapping.target.front();
    const auto what = std::string(kind) + " `" + join_path(mapping.target) + "`";
    auto value = build({draft, visit, scope_id, values, what}, mapping.source);
    if (!value) return std::unexpected(std::move(value.error()));
    if (merges && mapping.target.size() > 1 && !values.find(root)) {
      const auto* known = find_variable(draft.state(), scope_id, root);
      if (known && known->is_object()) values.set(root, *known);
    }
    assign(values, mapping.target, *std::move(value));
  }
  if (!mappings.empty() && !fits(Value(values))) {
    return std::unexpected(too_large(visit, kind));
  }
  return values;
}

} // namespace

bool open_data(Draft& draft, const Visit& visit) {
  if (!visit.node.data) return true;
  const auto& data = *visit.node.data;
  auto inputs = evaluate(draft, visit, visit.scope_id, data.inputs, "input", false);
  if (!inputs) {
    open_incident(draft, visit, std::move(inputs.error()));
    return false;
  }
  const auto own = own_scope(draft.state(), visit);
  for (const auto& name : data.locals) {
    const auto* scope = own == kNoKey ? nullptr : draft.state().scopes.find(own);
    const bool known = scope && scope->variables.find(name);
    if (!known && !inputs->find(name)) inputs->append(name, nullptr);
  }
  if (own == kNoKey) {
    begin_data(draft, visit, *inputs);
  } else if (!inputs->empty()) {
    draft.emit(facts::VariablesSet{.scope_id = own, .variables = *std::move(inputs)});
  }
  return true;
}

void begin_data(Draft& draft, const Visit& visit, const Object& variables) {
  draft.emit(facts::ScopeOpened{.scope_id = draft.take_key(),
                                .parent_id = visit.scope_id,
                                .token_id = visit.token_id,
                                .node_id = visit.node.id,
                                .kind = facts::ScopeKind::activity,
                                .loop_index = {},
                                .variables = variables,
                                .stays_ready = true});
}

void set_own(Draft& draft, const Visit& visit, const Object& variables) {
  const bool is_process = visit.node.kind == definition::NodeKind::process;
  const auto own = is_process ? visit.scope_id : own_scope(draft.state(), visit);
  if (own == kNoKey) return begin_data(draft, visit, variables);
  draft.emit(facts::VariablesSet{.scope_id = own, .variables = variables});
}

void set_around(Draft& draft, const Visit& visit, const Object& variables) {
  if (!visit.node.loop || !is_in_iteration(draft.state(), visit)) {
    return set_variables(draft, visit.scope_id, variables);
  }
  const auto& iteration = *draft.state().scopes.find(visit.scope_id);
  Object seen;
  for (const auto& [name, value] : variables) {
    if (iteration.variables.find(name)) seen.append(name, value);
  }
  const auto body_id = *iteration.parent_id;
  if (!seen.empty()) {
    draft.emit(facts::VariablesSet{.scope_id = visit.scope_id, .variables = std::move(seen)});
  }
  set_variables(draft, body_id, variables);
}

Outcome<Object> evaluate_outputs(const Draft& draft, const Visit& visit) {
  if (!visit.node.data) return Object();
  // What is around the iterations has no outputs: each of them has.
  if (visit.node.loop && !is_in_iteration(draft.state(), visit)) return Object();
  const auto own = own_scope(draft.state(), visit);
  if (own == kNoKey) return Object();
  auto outputs = evaluate(draft, visit, own, visit.node.data->outputs, "output", true);
  if (!outputs) outputs.error().details.append(std::string(kLeavingMember), true);
  return outputs;
}

void close_data(Draft& draft, const Visit& visit) {
  if (!visit.node.data && visit.node.listeners.empty()) return;
  const auto own = own_scope(draft.state(), visit);
  if (own == kNoKey || own == visit.scope_id) return;
  draft.emit(facts::ScopeClosed{.scope_id = own, .state = facts::ScopeState::completed});
}

void take_result(Draft& draft, const Visit& visit, const Object& variables) {
  if (variables.empty()) return;
  const auto own =
      visit.node.data && visit.node.data->keeps_result ? own_scope(draft.state(), visit) : kNoKey;
  if (own == kNoKey) {
    set_variables(draft, variables_of(draft.state(), visit.token_id), variables);
  } else {
    draft.emit(facts::VariablesSet{.scope_id = own, .variables = variables});
  }
}

} // namespace perdure::decide
