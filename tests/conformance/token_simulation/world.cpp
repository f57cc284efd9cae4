#include "conformance/token_simulation/world.h"

#include <algorithm>
#include <utility>

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
  const auto index = found->second->find_node(node);
  if (index == definition::kNone) return "the process has no node `" + node + "`";
  return start(found->second, found->second->node(index));
}

Problem World::start(const definition::DefinitionPtr& definition, const definition::Node& node) {
  const bool is_event = node.kind == definition::NodeKind::start_event;
  const bool is_only = definition->scope(definition::kRootScope).starts.size() == 1;
  instances_.push_back({definition, {}});
  facts::StartRequested event;
  event.definition_id = 1;
  event.variables = variables_;
  if (is_event && (node.event() || !is_only)) event.start_node_id = node.id;
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
  for (const auto& fact : decision.facts) {
    const auto* sent = std::get_if<facts::EventSent>(&fact.data);
    if (!sent || sent->kind != facts::PendingKind::signal) continue;
    auto problem = broadcast(sent->name.value_or(""), index);
    if (!problem.empty()) return problem;
  }
  return {};
}

Problem World::broadcast(const std::string& signal, std::size_t sender) {
  std::vector<std::pair<std::size_t, Key>> waiting;
  for (std::size_t index = 0; index < instances_.size(); ++index) {
    if (index == sender) continue; // it had the signal when it was thrown
    for (const auto& slot : instances_[index].state.subscriptions.slots()) {
      const auto& row = slot.row;
      if (row.state != facts::SubscriptionState::open) continue;
      if (row.kind != facts::SubscriptionKind::signal || row.name != signal) continue;
      waiting.emplace_back(index, row.id);
    }
  }
  for (const auto& [index, subscription_id] : waiting) {
    // One receiver may have taken away what another waited in.
    const auto* row = instances_[index].state.subscriptions.find(subscription_id);
    if (!row || row->state != facts::SubscriptionState::open) continue;
    auto problem = send(index, facts::EventOccurred{subscription_id, {}});
    if (!problem.empty()) return problem;
  }
  for (const auto& [process_id, definition] : definitions_) {
    for (const auto start_index : definition->scope(definition::kRootScope).event_starts) {
      const auto& node = definition->node(start_index);
      const auto* event = node.event();
      if (event->kind != definition::EventKind::signal || event->name.text != signal) continue;
      auto problem = start(definition, node);
      if (!problem.empty()) return problem;
    }
  }
  return {};
}

Problem World::set_variable(const std::string& name, const Value& value) {
  variables_.set(name, value);
  for (std::size_t index = 0; index < instances_.size(); ++index) {
    if (is_terminal(instances_[index].state.instance.status)) continue;
    auto problem = send(index, facts::VariablesRequested{.variables = Object{{name, value}}});
    if (!problem.empty()) return problem;
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
  for (std::size_t index = 0; index < instances_.size(); ++index) {
    for (const auto& slot : instances_[index].state.subscriptions.slots()) {
      if (slot.row.node_id != flow.target) continue;
      if (slot.row.state != facts::SubscriptionState::open) continue;
      delivered = true;
      return send(index, facts::EventOccurred{slot.row.id, {}});
    }
  }
  if (kind->second != "startEvent") return {};
  delivered = true;
  return start_at(flow.target);
}

} // namespace perdure::conformance
