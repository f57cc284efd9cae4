#include "conformance/token_simulation/world.h"

#include <algorithm>
#include <utility>

#include "facts/apply.h"

namespace perdure::conformance {

namespace {

/// No case needs a fraction of this.
constexpr int kMaxSteps = 10'000;
constexpr std::string_view kWorker = "conformance";

} // namespace

World::World(const Prepared& prepared)
    : drawing_(prepared.drawing),
      recorder_(prepared.drawing),
      variables_(prepared.variables),
      now_(*parse_instant("2026-01-01T00:00:00Z")) {
  recorder_.on_start([this](const std::string& node) {
    for (const auto& flow : drawing_.message_flows) {
      if (flow.source == node) post(flow);
    }
  });
}

void World::deploy(std::vector<definition::DefinitionPtr> definitions) {
  for (auto& definition : definitions) {
    definitions_[definition->process_id()] = std::move(definition);
  }
}

void World::advance_to(Instant instant) { now_ = std::max(now_, instant); }

Problem World::start_at(const std::string& node) {
  const auto process = drawing_.process_of.find(node);
  const auto found = process == drawing_.process_of.end() ? definitions_.end()
                                                          : definitions_.find(process->second);
  if (found == definitions_.end()) return "no deployed process has the node `" + node + "`";
  const auto& scope = found->second->scope(definition::kRootScope);
  if (scope.starts.size() > 1) return "the core cannot choose among several start events";
  instances_.push_back({found->second, {}});
  facts::StartRequested event;
  event.definition_id = 1;
  event.variables = variables_;
  return send(instances_.size() - 1, event);
}

Problem World::send(std::size_t index, facts::EventData data) {
  auto& instance = instances_[index];
  const decide::Policy policy;
  const auto keys = decide::keys_needed(policy, *instance.definition);
  const facts::Event event{
      .at = now_, .keys = {.next = next_key_, .end = next_key_ + keys}, .data = std::move(data)};
  const auto decision = decide::decide(*instance.definition, instance.state, event, policy);
  next_key_ = decision.keys.next;
  if (decision.refusal) return "refused: " + decision.refusal->message;
  instance.state.saved();
  for (const auto& fact : decision.facts)
    recorder_.take(static_cast<int>(index), fact);
  return {};
}

Problem World::set_variable(const std::string& name, const Value& value) {
  variables_.set(name, value);
  for (std::size_t index = 0; index < instances_.size(); ++index) {
    auto& instance = instances_[index];
    if (is_terminal(instance.state.instance.status)) continue;
    const auto& scopes = instance.state.scopes.slots();
    const auto root = std::ranges::find_if(
        scopes, [](const auto& slot) { return slot.row.kind == facts::ScopeKind::process; });
    if (root == scopes.end()) continue;
    const facts::Fact fact{
        .sequence = instance.state.instance.last_sequence + 1,
        .at = now_,
        .data = facts::VariablesSet{.scope_id = root->row.id, .variables = Object{{name, value}}}};
    facts::apply(instance.state, fact);
    recorder_.take(static_cast<int>(index), fact);
  }
  return {};
}

Problem World::step(std::size_t index, bool& moved) {
  const auto& state = instances_[index].state;
  if (is_terminal(state.instance.status)) return {};
  for (const auto& slot : state.tokens.slots()) {
    if (slot.row.state != facts::TokenState::ready) continue;
    moved = true;
    return send(index, facts::Proceed{});
  }
  for (const auto& slot : state.external_tasks.slots()) {
    if (slot.row.state != facts::TaskState::ready) continue;
    moved = true;
    const auto task_id = slot.row.id;
    auto problem = send(index, facts::TaskLocked{.task_id = task_id,
                                                 .worker_id = std::string(kWorker),
                                                 .lock_expires_at = now_ + Duration(60'000)});
    if (!problem.empty()) return problem;
    return send(index, facts::TaskCompleted{
                           .task_id = task_id, .worker_id = std::string(kWorker), .variables = {}});
  }
  return {};
}

Problem World::settle() {
  for (int steps = 0; steps < kMaxSteps; ++steps) {
    bool moved = false;
    for (std::size_t index = 0; index < instances_.size() && !moved; ++index) {
      auto problem = step(index, moved);
      if (!problem.empty()) return problem;
    }
    if (moved) continue;
    auto problem = deliver_one(moved);
    if (!problem.empty()) return problem;
    if (!moved) return {};
  }
  return "the case never comes to rest";
}

Problem World::deliver_one(bool& moved) {
  // A message whose target cannot take it yet stays, as in an engine that buffers.
  for (std::size_t n = posted_.size(); n > 0; --n) {
    const auto flow = posted_.front();
    posted_.pop_front();
    bool delivered = false;
    auto problem = deliver(flow, delivered);
    if (!problem.empty()) return problem;
    if (delivered) {
      moved = true;
      return {};
    }
    posted_.push_back(flow);
  }
  return {};
}

Problem World::deliver(const MessageFlow& flow, bool& delivered) {
  const auto kind = drawing_.kinds.find(flow.target);
  if (kind == drawing_.kinds.end()) { // a pool: nothing in it can take a message
    delivered = true;
    return {};
  }
  if (kind->second == "startEvent") {
    delivered = true;
    return start_at(flow.target);
  }
  return "the core cannot take a message yet";
}

} // namespace perdure::conformance
