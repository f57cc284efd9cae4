#include "cases/machine.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/describe.h"
#include "base/json.h"
#include "facts/apply.h"
#include "facts/fact.h"

namespace perdure::cases {

using facts::InstanceState;

namespace {

template <class T>
void append_text(std::string& out, const T& field) {
  if constexpr (std::is_same_v<T, Value>) {
    json::append(out, field);
  } else if constexpr (std::is_same_v<T, std::string>) {
    json::append_string(out, field);
  } else if constexpr (std::is_same_v<T, Instant>) {
    out += to_text(field);
  } else if constexpr (NamedEnum<T>) {
    out += name_of(field);
  } else if constexpr (requires { field.has_value(); }) {
    if (field)
      append_text(out, *field);
    else
      out += '-';
  } else {
    out += std::to_string(field);
  }
}

template <class Row>
std::string row_text(std::string_view table, const Row& row) {
  std::string out(table);
  for_each_field(row, [&](std::string_view name, const auto& field) {
    out += ' ';
    out += name;
    out += '=';
    append_text(out, field);
  });
  return out + "\n";
}

std::string text_of(const decide::Decision& decision) {
  if (decision.refusal) return decision.refusal->message;
  std::string out;
  for (const auto& fact : decision.facts)
    out += facts::payload_of(fact.data) + "\n";
  return out;
}

template <class Use>
void for_each_table(const InstanceState& state, const Use& use) {
  use("scope", state.scopes);
  use("token", state.tokens);
  use("step", state.steps);
  use("attempt", state.attempts);
  use("task", state.external_tasks);
  use("user_task", state.user_tasks);
  use("timer", state.timers);
  use("subscription", state.subscriptions);
  use("join", state.joins);
  use("arrival", state.arrivals);
  use("incident", state.incidents);
  use("dead_letter", state.dead_letters);
  use("compensation", state.compensations);
  use("evaluation", state.evaluations);
  use("migration", state.migrations);
}

template <class Row, class Holds>
bool any_row(const facts::Table<Row>& table, const Holds& holds) {
  return std::ranges::any_of(table.slots(), [&](const auto& slot) { return holds(slot.row); });
}

/// The instance that it called will end.
bool awaits_call(const facts::StepRecord& step) {
  return step.type == facts::StepType::call_activity && !is_terminal(step.status);
}

} // namespace

std::string dump(const InstanceState& state) {
  std::string out = row_text("instance", state.instance);
  for_each_table(state, [&](std::string_view name, const auto& table) {
    for (const auto& slot : table.slots())
      out += row_text(name, slot.row);
  });
  for (const auto& entry : state.visits) {
    out += "visits " + entry.node_id + " " + std::to_string(entry.count) + "\n";
  }
  for (const auto& [join, last] : state.generations) {
    out += "generations " + std::to_string(join.first) + " " + join.second + " " +
           std::to_string(last) + "\n";
  }
  for (const auto& [scope_id, progress] : state.loops) {
    out += "loop " + std::to_string(scope_id) + " " + std::to_string(progress.opened) + " " +
           std::to_string(progress.completed) + " " + std::to_string(progress.terminated);
    for (const auto& [index, output] : progress.outputs) {
      out += " " + std::to_string(index) + "=";
      json::append(out, output);
    }
    out += "\n";
  }
  for (const auto token_id : state.ready)
    out += "ready " + std::to_string(token_id) + "\n";
  return out;
}

Machine::Machine(definition::DefinitionPtr definition, decide::Policy policy)
    : definition_(std::move(definition)),
      policy_(policy),
      now_(*parse_instant("2026-01-01T00:00:00Z")) {}

decide::Decision Machine::send(facts::EventData data) {
  const auto keys = decide::keys_needed(policy_, *definition_);
  const auto decide = [&](InstanceState& state, const facts::Event& event) {
    return decide::decide(*definition_, state, event, policy_, catalog_);
  };
  auto decision = decided(decide, keys, std::move(data));
  if (!decision.refusal) note(decision);
  return decision;
}

decide::Decision Machine::migrate(definition::DefinitionPtr target, facts::MigrateRequested event) {
  const auto keys = decide::keys_needed(policy_, *target);
  const auto decide = [&](InstanceState& state, const facts::Event& requested) {
    return decide::migrate(*definition_, *target, state, requested, policy_, catalog_);
  };
  auto decision = decided(decide, keys, std::move(event));
  if (decision.refusal) return decision;
  definition_ = std::move(target);
  note(decision);
  return decision;
}

template <class Decide>
decide::Decision Machine::decided(const Decide& decide, std::int64_t keys, facts::EventData data) {
  const facts::Event event{
      .at = now_, .keys = {.next = next_key_, .end = next_key_ + keys}, .data = std::move(data)};
  auto copy = state_;
  auto decision = decide(state_, event);
  if (decision.refusal && dump(state_) != dump(copy)) problem("a refusal changed the state");
  if (text_of(decide(copy, event)) != text_of(decision)) {
    problem("deciding twice gives two decisions");
  }
  next_key_ = decision.keys.next;
  if (decision.refusal && !decision.facts.empty()) problem("a refusal has facts");
  return decision;
}

void Machine::note(const decide::Decision& decision) {
  if (decision.facts.empty()) problem("a decision has neither facts nor a refusal");
  check_facts(decision);
  unsaved_.insert(unsaved_.end(), decision.facts.begin(), decision.facts.end());
  if (saves_) save();
  live_ = state_;
  live_.saved();
  check_state();
}

void Machine::save() {
  if (unsaved_.empty()) return;
  if (saving_) saving_(state_, unsaved_, saved_version_);
  unsaved_.clear();
  saved_version_ = state_.instance.version;
  state_.saved();
}

void Machine::check_facts(const decide::Decision& decision) {
  for (const auto& fact : decision.facts) {
    const auto payload = facts::payload_of(fact.data);
    auto read = facts::read_fact(facts::type_of(fact.data), payload);
    if (!read) {
      problem("cannot read back " + payload + ": " + read.error().message);
      continue;
    }
    if (facts::payload_of(*read) != payload) problem("payload changes when read: " + payload);
    // Folded from what is recorded, so that the text form is part of the proof.
    history_.push_back({.sequence = fact.sequence, .at = fact.at, .data = *std::move(read)});
    facts::apply(full_, history_.back());
    const auto* fired = std::get_if<facts::JoinFired>(&fact.data);
    if (fired) check_fired(fired->join_id);
  }
}

void Machine::check_state() {
  if (is_terminal(live_.instance.status) || history_.size() < 100) check_fold();
  check_tokens();
  check_joins();
  check_progress();
}

namespace {

/// The instance that it called will wake it.
bool is_call(const facts::StepRecord& step) {
  return step.type == facts::StepType::call_activity && !is_terminal(step.status);
}

} // namespace

void Machine::check_fold() {
  auto folded = full_;
  folded.saved();
  if (dump(folded) == dump(live_)) return;
  problem("the folded history differs from the live state:\n" + dump(folded) + "\nlive:\n" +
          dump(live_));
}

void Machine::check_tokens() {
  std::int64_t live_in_root = 0;
  for (const auto& slot : live_.tokens.slots()) {
    const auto& token = slot.row;
    if (is_terminal(token.state)) continue;
    const auto* scope = live_.scopes.find(token.scope_id);
    if (!scope || scope->state != facts::ScopeState::open) {
      problem("token " + std::to_string(token.id) + " lives in a closed scope");
      continue;
    }
    if (scope->kind == facts::ScopeKind::process) ++live_in_root;
    if (token.state == facts::TokenState::ready) continue;
    const auto has = [&](const auto& table, const auto& wakes) {
      return std::ranges::any_of(table.of(facts::Link::token, token.id), wakes);
    };
    const auto any = [](const auto&) { return true; };
    const bool can_wake =
        has(live_.external_tasks,
            [](const auto& row) { return row.state != facts::TaskState::failed; }) ||
        has(live_.user_tasks, any) || has(live_.steps, awaits_call) || has(live_.timers, any) ||
        has(live_.subscriptions, any) ||
        has(live_.scopes, [](const auto& row) { return row.kind != facts::ScopeKind::activity; }) ||
        has(live_.arrivals, any) || has(live_.incidents, any) || has(live_.steps, is_call) ||
        any_row(live_.tokens, [&](const auto& row) {
          return row.parent_id == token.id && row.mode == facts::TokenMode::compensation;
        });
    if (!can_wake) {
      problem("token " + std::to_string(token.id) + " at " + token.node_id +
              " rests on nothing that can wake it");
    }
  }
  const bool completed = live_.instance.status == facts::InstanceStatus::completed;
  const bool ended = is_terminal(live_.instance.status);
  if (ended && !live_.tokens.empty()) problem("the instance has ended with live tokens");
  if (!ended && live_in_root == 0)
    problem("no token lives in the root scope of a running instance");
  if (completed && !live_.incidents.empty()) problem("completed with open incidents");
  if (ended) {
    for_each_table(live_, [&](std::string_view name, const auto& table) {
      if (!table.empty()) problem("an ended instance has an open " + std::string(name));
    });
  }
}

void Machine::check_fired(Key join_id) {
  if (!fired_.insert(join_id).second) problem("a join fired twice");
  const auto& join = *full_.joins.find(join_id);
  const auto& node_id = join.node_id;
  if (join.kind != facts::JoinKind::parallel) {
    if (join.joined == 0) problem("the join " + node_id + " fired without a token");
    return;
  }
  for (const auto index : definition_->node(definition_->find_node(node_id)).incoming) {
    const auto& flow_id = definition_->flow(index).id;
    if (!full_.arrivals.find(std::tuple(join_id, std::string_view(flow_id)))) {
      problem("the join " + node_id + " fired before " + flow_id + " arrived");
    }
  }
}

void Machine::check_joins() {
  for (const auto& slot : live_.joins.slots()) {
    const auto& join = slot.row;
    const auto arrived = std::ranges::distance(live_.arrivals.of_prefix(join.id));
    if (join.joined != arrived) problem("a join counts other arrivals than it has");
    const bool waits_itself = join.kind == facts::JoinKind::complex;
    if (join.joined == join.expected && !waits_itself && !has_ready_tokens()) {
      problem("a complete join did not fire");
    }
  }
}

void Machine::check_progress() {
  if (is_terminal(live_.instance.status) || has_ready_tokens()) return;
  const bool can_go_on =
      !live_.user_tasks.empty() || !live_.timers.empty() || !live_.incidents.empty() ||
      !live_.subscriptions.empty() || any_row(live_.steps, is_call) ||
      any_row(live_.scopes,
              [](const auto& scope) { return scope.kind == facts::ScopeKind::ad_hoc; }) ||
      any_row(live_.steps, awaits_call) || any_row(live_.external_tasks, [](const auto& task) {
        return task.state != facts::TaskState::failed;
      });
  if (!can_go_on) problem("the instance is stuck and nothing shows it");
}

bool Machine::has_ready_tokens() const { return !live_.ready.empty(); }

const facts::StepRecord* Machine::step(std::string_view slug) const {
  for (const auto& slot : full_.steps.slots()) {
    if (slot.row.slug == slug) return &slot.row;
  }
  return nullptr;
}

namespace {

template <class Row>
Key row_of(const facts::Table<Row>& table, const facts::StepRecord* step) {
  if (!step) return kNoKey;
  for (const auto& slot : table.slots()) {
    if (slot.row.step_id == step->id) return slot.row.id;
  }
  return kNoKey;
}

} // namespace

Key Machine::task_of(std::string_view slug) const {
  return row_of(full_.external_tasks, step(slug));
}

Key Machine::user_task_of(std::string_view slug) const {
  return row_of(full_.user_tasks, step(slug));
}

Key Machine::timer_of(std::string_view slug) const { return row_of(full_.timers, step(slug)); }

Key Machine::token_of(std::string_view slug) const {
  const auto* found = step(slug);
  return found ? found->token_id.value_or(kNoKey) : kNoKey;
}

Key Machine::armed_timer(std::string_view node_id) const {
  for (const auto& slot : full_.timers.slots()) {
    const bool armed = slot.row.status == facts::TimerStatus::scheduled && !slot.row.step_id;
    if (armed && slot.row.node_id == node_id) return slot.row.id;
  }
  return kNoKey;
}

Key Machine::subscription_of(std::string_view node_id) const {
  Key latest = kNoKey;
  for (const auto& slot : full_.subscriptions.slots()) {
    if (slot.row.node_id != node_id) continue;
    latest = slot.row.id;
    if (slot.row.state == facts::SubscriptionState::open) break;
  }
  return latest;
}

Key Machine::scope_of(std::string_view node_id) const {
  Key latest = kNoKey;
  for (const auto& slot : full_.scopes.slots()) {
    if (slot.row.node_id == node_id) latest = slot.row.id;
  }
  return latest;
}

Key Machine::incident_at(std::string_view node_id) const {
  for (const auto& slot : live_.incidents.slots()) {
    if (slot.row.node_id == node_id) return slot.row.id;
  }
  return kNoKey;
}

} // namespace perdure::cases
