#include "cases/machine.h"

#include <algorithm>
#include <map>
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

template <class Use>
void for_each_table(const InstanceState& state, const Use& use) {
  use("scope", state.scopes);
  use("token", state.tokens);
  use("step", state.steps);
  use("attempt", state.attempts);
  use("task", state.external_tasks);
  use("user_task", state.user_tasks);
  use("timer", state.timers);
  use("join", state.joins);
  use("arrival", state.arrivals);
  use("incident", state.incidents);
  use("dead_letter", state.dead_letters);
}

template <class Row, class Holds>
bool any_row(const facts::Table<Row>& table, const Holds& holds) {
  return std::ranges::any_of(table.slots(), [&](const auto& slot) { return holds(slot.row); });
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
  for (const auto& entry : state.generations) {
    out += "generations " + std::to_string(entry.scope_id) + " " + entry.node_id + " " +
           std::to_string(entry.last) + "\n";
  }
  return out;
}

Machine::Machine(definition::DefinitionPtr definition, decide::Policy policy)
    : definition_(std::move(definition)),
      policy_(policy),
      now_(*parse_instant("2026-01-01T00:00:00Z")) {}

decide::Decision Machine::send(facts::EventData data) {
  const auto keys = decide::keys_needed(policy_, *definition_);
  const facts::Event event{
      .at = now_, .keys = {.next = next_key_, .end = next_key_ + keys}, .data = std::move(data)};
  const auto before = dump(state_);
  auto decision = decide::decide(*definition_, state_, event, policy_);
  next_key_ = decision.keys.next;
  if (decision.refusal) {
    if (dump(state_) != before) problem("a refusal changed the state");
    if (!decision.facts.empty()) problem("a refusal has facts");
    return decision;
  }
  if (decision.facts.empty()) problem("a decision has neither facts nor a refusal");
  check_facts(decision);
  state_.saved();
  check_state();
  return decision;
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
  }
}

void Machine::check_state() {
  auto folded = full_;
  folded.saved();
  if (dump(folded) != dump(state_)) {
    problem("the folded history differs from the live state:\n" + dump(folded) + "\nlive:\n" +
            dump(state_));
  }
  check_tokens();
  check_joins();
}

void Machine::check_tokens() {
  std::int64_t live_in_root = 0;
  for (const auto& slot : state_.tokens.slots()) {
    const auto& token = slot.row;
    if (is_terminal(token.state)) continue;
    const auto* scope = state_.scopes.find(token.scope_id);
    if (!scope || scope->state != facts::ScopeState::open) {
      problem("token " + std::to_string(token.id) + " lives in a closed scope");
      continue;
    }
    if (scope->kind == facts::ScopeKind::process) ++live_in_root;
    if (token.state == facts::TokenState::ready) continue;
    const auto of_token = [&](const auto& row) { return row.token_id == token.id; };
    const bool can_wake = any_row(state_.external_tasks,
                                  [&](const auto& row) {
                                    return of_token(row) && (row.state == facts::TaskState::ready ||
                                                             row.state == facts::TaskState::locked);
                                  }) ||
                          any_row(state_.user_tasks, of_token) ||
                          any_row(state_.timers, of_token) || any_row(state_.scopes, of_token) ||
                          any_row(state_.arrivals, of_token) || any_row(state_.incidents, of_token);
    if (!can_wake) {
      problem("token " + std::to_string(token.id) + " at " + token.node_id +
              " rests on nothing that can wake it");
    }
  }
  const bool completed = state_.instance.status == facts::InstanceStatus::completed;
  const bool ended = is_terminal(state_.instance.status);
  if (ended && !state_.tokens.empty()) problem("the instance has ended with live tokens");
  if (!ended && live_in_root == 0)
    problem("no token lives in the root scope of a running instance");
  if (completed && !state_.incidents.empty()) problem("completed with open incidents");
  if (ended) {
    for_each_table(state_, [&](std::string_view name, const auto& table) {
      if (!table.empty()) problem("an ended instance has an open " + std::string(name));
    });
  }
}

void Machine::check_joins() {
  std::map<Key, std::int64_t> arrivals;
  std::map<Key, std::int64_t> fired;
  for (const auto& slot : full_.arrivals.slots())
    ++arrivals[slot.row.join_id];
  for (const auto& fact : history_) {
    if (const auto* join = std::get_if<facts::JoinFired>(&fact.data)) ++fired[join->join_id];
  }
  for (const auto& slot : full_.joins.slots()) {
    const auto& join = slot.row;
    if (join.joined != arrivals[join.id]) problem("a join counts other arrivals than it has");
    if (fired[join.id] > 1) problem("a join fired twice");
    if (join.state == facts::JoinState::fired && join.joined != join.expected) {
      problem("a join fired early");
    }
    if (join.state == facts::JoinState::open && join.joined == join.expected) {
      problem("a complete join did not fire");
    }
  }
}

bool Machine::has_ready_tokens() const {
  return any_row(state_.tokens,
                 [](const auto& token) { return token.state == facts::TokenState::ready; });
}

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

Key Machine::incident_at(std::string_view node_id) const {
  for (const auto& slot : state_.incidents.slots()) {
    if (slot.row.node_id == node_id) return slot.row.id;
  }
  return kNoKey;
}

} // namespace perdure::cases
