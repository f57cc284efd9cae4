#include "random/moves.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/json.h"

namespace perdure::random {

namespace {

using cases::Machine;
using facts::Link;

constexpr Duration kLock = std::chrono::seconds(10);

void accept(Machine& machine, facts::EventData data) {
  const auto decision = machine.send(std::move(data));
  if (decision.refusal) throw std::runtime_error("refused: " + decision.refusal->message);
}

class Finder {
public:
  Finder(const Machine& machine, const Surprises& surprises)
      : state_(machine.state()), surprises_(surprises) {
    if (machine.has_ready_tokens()) add("proceed", facts::Proceed{});
  }

  std::vector<Move> find() {
    for (const auto& slot : state_.external_tasks.slots())
      add_task(slot.row);
    for (const auto& slot : state_.user_tasks.slots())
      add_user_task(slot.row);
    for (const auto& slot : state_.timers.slots())
      add_timer(slot.row);
    add_events();
    for (const auto& slot : state_.steps.slots()) {
      if (slot.row.type == facts::StepType::call_activity && !is_terminal(slot.row.status)) {
        add_call(slot.row);
      }
    }
    if (!state_.incidents.empty()) {
      facts::RetryRequested retry;
      retry.by = "operator";
      add("retry", retry);
    }
    return std::move(moves_);
  }

private:
  void add(std::string what, facts::EventData data) {
    moves_.push_back(
        {std::move(what), [data = std::move(data)](Machine& machine) { accept(machine, data); }});
  }

  /// The same after a worker has the lock.
  void add_locked(std::string what, const facts::ExternalTask& task, facts::EventData data) {
    moves_.push_back(
        {std::move(what), [id = task.id, at = task.available_at, data](Machine& machine) {
           machine.advance(std::max(at - machine.now(), Duration::zero()));
           accept(machine,
                  facts::TaskLocked{
                      .task_id = id, .worker_id = "w", .lock_expires_at = machine.now() + kLock});
           // Tokens that were left ready move on first, and may have ended the task.
           const auto* now = machine.state().external_tasks.find(id);
           if (now && now->state == facts::TaskState::locked) accept(machine, data);
         }});
  }

  void add_task(const facts::ExternalTask& task) {
    if (task.state != facts::TaskState::ready) return;
    add("complete " + task.node_id,
        facts::TaskCompleted{.task_id = task.id, .worker_id = {}, .variables = {}});
    for (const auto& code : surprises_.errors) {
      add_locked(
          "error " + code + " at " + task.node_id, task,
          facts::TaskErrorThrown{
              .task_id = task.id, .worker_id = "w", .code = code, .message = "", .variables = {}});
    }
    for (const auto& code : surprises_.escalations) {
      add_locked("escalation " + code + " at " + task.node_id, task,
                 facts::TaskEscalationThrown{
                     .task_id = task.id, .worker_id = "w", .code = code, .variables = {}});
    }
    if (surprises_.fails) {
      add_locked("fail " + task.node_id, task,
                 facts::TaskFailed{.task_id = task.id,
                                   .worker_id = "w",
                                   .error_name = "Trouble",
                                   .error_message = "",
                                   .retries = 0,
                                   .retry_delay = {}});
    }
  }

  void add_user_task(const facts::UserTask& task) {
    add("finish " + task.node_id, facts::UserTaskCompleted{.task_id = task.id, .variables = {}});
    for (const auto& code : surprises_.escalations) {
      add("escalation " + code + " at " + task.node_id,
          facts::TaskEscalationThrown{
              .task_id = task.id, .worker_id = {}, .code = code, .variables = {}});
    }
  }

  /// However late the others are.
  void add_timer(const facts::Timer& timer) {
    moves_.push_back(
        {"timer " + timer.node_id, [id = timer.id, due = timer.due_at](Machine& machine) {
           machine.advance(std::max(due - machine.now(), Duration::zero()));
           accept(machine, facts::TimerDue{.timer_id = id});
         }});
  }

  void add_events() {
    std::set<std::string> signals;
    bool has_condition = false;
    for (const auto& slot : state_.subscriptions.slots()) {
      const auto& row = slot.row;
      if (row.kind == facts::SubscriptionKind::message) {
        add("message at " + row.node_id,
            facts::EventOccurred{.subscription_id = row.id, .variables = {}});
      } else if (row.kind == facts::SubscriptionKind::signal) {
        if (signals.insert(row.name).second) {
          add("signal " + row.name, facts::SignalOccurred{.name = row.name, .variables = {}});
        }
      } else {
        has_condition = true;
      }
    }
    if (!has_condition) return;
    for (const auto& setting : surprises_.settings) {
      add("set " + json::write(setting),
          facts::VariablesRequested{.scope_id = kNoKey, .variables = setting});
    }
  }

  void add_call(const facts::StepRecord& step) {
    facts::CallEnded ended;
    ended.token_id = *step.token_id;
    add("call ends at " + step.node_id, ended);
    ended.outcome = facts::CallOutcome::error;
    for (const auto& code : surprises_.errors) {
      ended.code = code;
      add("call ends with " + code + " at " + step.node_id, ended);
    }
    for (const auto& code : surprises_.escalations) {
      add("call escalates " + code + " at " + step.node_id,
          facts::CallEscalated{.token_id = *step.token_id, .code = code, .variables = {}});
    }
  }

  const facts::InstanceState& state_;
  const Surprises& surprises_;
  std::vector<Move> moves_;
};

/// Writes rows as a tree: what is in a scope, what a token rests on.
class Shape {
public:
  explicit Shape(const facts::InstanceState& state) : state_(state) {}

  std::string text() {
    std::string out(name_of(state_.instance.status));
    for (const auto& slot : state_.scopes.slots()) {
      if (!slot.row.parent_id) out += scope_text(slot.row);
    }
    return out;
  }

private:
  static std::string joined(std::vector<std::string> parts) {
    std::ranges::sort(parts);
    std::string out;
    for (const auto& part : parts)
      out.append(part).append(";");
    return out;
  }

  std::string scope_text(const facts::Scope& scope) {
    std::vector<std::string> parts;
    for (const auto& token : state_.tokens.of(Link::scope, scope.id))
      parts.push_back(token_text(token));
    for (const auto& slot : state_.scopes.slots()) {
      // Those of a token stand with it.
      const bool is_own = !slot.row.token_id || slot.row.kind == facts::ScopeKind::iteration;
      if (slot.row.parent_id == scope.id && is_own) parts.push_back(scope_text(slot.row));
    }
    for (const auto& join : state_.joins.of(Link::scope, scope.id))
      parts.push_back(join_text(join));
    for (const auto& record : state_.compensations.of(Link::scope, scope.id)) {
      parts.push_back("undo " + record.node_id + " " + std::string(name_of(record.status)) + " " +
                      std::to_string(rank_of(record)));
    }
    add_waits(Link::scope, scope.id, parts);
    if (const auto loop = state_.loops.find(scope.id); loop != state_.loops.end()) {
      const auto& progress = loop->second;
      parts.push_back("loop " + std::to_string(progress.opened) + " " +
                      std::to_string(progress.completed) + " " +
                      std::to_string(progress.terminated));
      for (const auto& [index, output] : progress.outputs)
        parts.push_back("out " + std::to_string(index) + json::write(output));
    }
    return std::string(name_of(scope.kind)) + " " + scope.node_id + " " +
           std::string(name_of(scope.state)) + " " + std::to_string(scope.loop_index.value_or(-1)) +
           json::write(scope.variables) + "{" + joined(std::move(parts)) + "}";
  }

  /// Records of all scopes stand in one order.
  [[nodiscard]] std::int64_t rank_of(const facts::CompensationRecord& record) const {
    return std::ranges::count_if(state_.compensations.slots(), [&](const auto& slot) {
      return slot.row.ordinal < record.ordinal;
    });
  }

  std::string join_text(const facts::ParallelJoin& join) {
    std::vector<std::string> arrivals;
    for (const auto& arrival : state_.arrivals.of_prefix(join.id))
      arrivals.push_back(arrival.flow_id);
    return "join " + join.node_id + " " + std::string(name_of(join.state)) + " " +
           std::to_string(join.expected) + "(" + joined(std::move(arrivals)) + ")";
  }

  std::string token_text(const facts::Token& token) {
    std::vector<std::string> parts;
    for (const auto& scope : state_.scopes.of(Link::token, token.id))
      parts.push_back(scope_text(scope));
    for (const auto& step : state_.steps.of(Link::token, token.id))
      parts.push_back("step " + std::string(name_of(step.status)));
    for (const auto& task : state_.external_tasks.of(Link::token, token.id)) {
      parts.push_back("task " + std::string(name_of(task.state)) + std::to_string(task.retries));
    }
    for (const auto& task : state_.user_tasks.of(Link::token, token.id))
      parts.push_back("user " + task.node_id);
    for (const auto& incident : state_.incidents.of(Link::token, token.id)) {
      parts.push_back("incident " + std::string(name_of(incident.kind)));
    }
    add_waits(Link::token, token.id, parts);
    const auto* thrower = token.parent_id ? state_.tokens.find(*token.parent_id) : nullptr;
    const bool undoes = token.mode == facts::TokenMode::compensation;
    return "token " + token.node_id + " " + std::string(name_of(token.state)) + " " +
           token.flow_id.value_or("") + (undoes && thrower ? " for " + thrower->node_id : "") +
           "[" + joined(std::move(parts)) + "]";
  }

  void add_waits(Link link, Key key, std::vector<std::string>& parts) {
    for (const auto& timer : state_.timers.of(link, key)) {
      parts.push_back("timer " + timer.node_id + " " + std::to_string(timer.position) +
                      (timer.cycle ? "*" + std::to_string(timer.occurrence) : ""));
    }
    for (const auto& wait : state_.subscriptions.of(link, key)) {
      const bool holds = wait.condition_holds.value_or(false);
      parts.push_back("wait " + wait.node_id + " " + std::to_string(wait.position) +
                      (holds ? " holds" : "") + (wait.trigger_count > 0 ? " seen" : ""));
    }
  }

  const facts::InstanceState& state_;
};

} // namespace

std::vector<Move> moves_of(const Machine& machine, const Surprises& surprises) {
  if (is_terminal(machine.state().instance.status)) return {};
  return Finder(machine, surprises).find();
}

std::string outcome_of(const Machine& machine) {
  std::vector<std::string> nodes;
  for (const auto& slot : machine.full().steps.slots()) {
    if (slot.row.status == facts::StepStatus::completed) nodes.push_back(slot.row.node_id);
  }
  std::ranges::sort(nodes);
  std::string out(name_of(machine.full().instance.status));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    out += (i == 0 ? ": " : ", ") + nodes[i];
  return out;
}

std::string shape_of(const Machine& machine) {
  return outcome_of(machine) + "\n" + Shape(machine.state()).text();
}

} // namespace perdure::random
