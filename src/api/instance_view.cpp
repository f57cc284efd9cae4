#include "api/instance_view.h"

#include <algorithm>
#include <utility>

namespace perdure::api {
namespace {

constexpr int kMaxReads = 5;
constexpr std::int64_t kMaxOpenTasks = 100'000;

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

template <class Rows>
auto row_of(const Rows& rows, const facts::Token& token) -> decltype(rows.data()) {
  const auto found =
      std::ranges::find_if(rows, [&](const auto& row) { return row.token_id == token.id; });
  return found == rows.end() ? nullptr : &*found;
}

/// Moves the rows into `into`; the error otherwise.
template <class Rows>
Result<void> take(Result<Rows> rows, Rows& into) {
  if (!rows) return std::unexpected(std::move(rows.error()));
  into = std::move(*rows);
  return {};
}

Result<void> read_rows(store::Reader& reader, Key id, InstanceView& view) {
  const store::TaskFilter open_tasks{.instance_id = id, .only_open = true};
  const store::Page all{.limit = kMaxOpenTasks};
  Result<void> read = take(reader.scopes(id), view.scopes);
  if (read) read = take(reader.tokens(id), view.tokens);
  if (read) read = take(reader.incidents(id), view.incidents);
  if (read) read = take(reader.timers(id), view.timers);
  if (read) read = take(reader.external_tasks(open_tasks, all), view.external_tasks);
  if (read) read = take(reader.user_tasks(open_tasks, all), view.user_tasks);
  return read;
}

std::string of_task(const facts::ExternalTask& task, Instant now) {
  const auto type = quoted(task.type);
  if (task.state == facts::TaskState::locked) {
    return "worker " + quoted(task.worker_id.value_or("")) + " to finish attempt " +
           std::to_string(task.attempt) + " of " + type + ", locked until " +
           to_text(task.lock_expires_at.value_or(now));
  }
  const auto next = "attempt " + std::to_string(task.attempt + 1) + " of " + type;
  if (task.available_at > now)
    return "the back-off until " + to_text(task.available_at) + ", then " + next;
  if (task.attempt > 0) return "a worker for " + next;
  return "a worker for " + type;
}

std::string of_user_task(const facts::UserTask& task) {
  const auto what =
      " to complete the user task " + quoted(task.name.empty() ? task.node_id : task.name);
  if (task.assignee) return *task.assignee + what;
  std::string names;
  for (const auto* candidates : {&task.candidate_groups, &task.candidate_users}) {
    const auto* list = candidates->as<Array>();
    if (list == nullptr) continue;
    for (const auto& entry : *list) {
      const auto* name = entry.as<std::string>();
      if (name == nullptr) continue;
      names += names.empty() ? " of " : ", ";
      names += quoted(*name);
    }
  }
  return "someone" + names + what;
}

} // namespace

Result<std::optional<InstanceView>> read_view(store::Reader& reader, Key instance_id) {
  // Each query sees its own moment; a version that stood still meanwhile makes them one.
  std::optional<InstanceView> view;
  for (int read = 0; read <= kMaxReads; ++read) {
    auto instance = reader.instance(instance_id);
    if (!instance) return std::unexpected(std::move(instance.error()));
    if (!*instance) return std::nullopt;
    const bool still = view && view->instance.version == (*instance)->version;
    if (still || read == kMaxReads) break;
    view.emplace().instance = std::move(**instance);
    if (auto rows = read_rows(reader, instance_id, *view); !rows)
      return std::unexpected(rows.error());
  }
  std::erase_if(view->tokens, [](const auto& token) { return is_terminal(token.state); });
  std::erase_if(view->incidents,
                [](const auto& row) { return row.state != facts::IncidentState::open; });
  std::erase_if(view->timers,
                [](const auto& row) { return row.status != facts::TimerStatus::scheduled; });
  return view;
}

std::string waiting_for(const InstanceView& view, const facts::Token& token, Instant now) {
  if (view.instance.status == facts::InstanceStatus::paused) {
    return "an operator to resume the instance";
  }
  if (const auto* incident = row_of(view.incidents, token)) {
    return "an operator to resolve the incident " + key_text(incident->id) + ": " +
           incident->message;
  }
  if (token.state == facts::TokenState::ready) return "the engine, which moves it next";
  if (const auto* task = row_of(view.external_tasks, token)) return of_task(*task, now);
  if (const auto* task = row_of(view.user_tasks, token)) return of_user_task(*task);
  if (const auto* timer = row_of(view.timers, token))
    return "the timer due at " + to_text(timer->due_at);
  const auto around = std::ranges::find_if(view.scopes, [&](const facts::Scope& scope) {
    return scope.token_id == token.id && scope.kind != facts::ScopeKind::activity;
  });
  if (around != view.scopes.end()) {
    const bool repeated = around->kind == facts::ScopeKind::multi_instance;
    return (repeated ? "all runs of " : "the sub-process ") + quoted(token.node_id) + " to end";
  }
  return "the other branches to reach " + quoted(token.node_id);
}

const Value& root_variables(const std::vector<facts::Scope>& scopes) {
  static const Value kNone{Object{}};
  const auto root =
      std::ranges::find_if(scopes, [](const auto& scope) { return !scope.parent_id; });
  return root == scopes.end() ? kNone : root->variables;
}

} // namespace perdure::api
