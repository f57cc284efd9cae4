#include "api/instance_view.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace perdure::api {
namespace {

constexpr int kMaxReads = 5;
constexpr std::int64_t kMaxOpenTasks = 100'000;
/// Steps of a flow that are looked at from the end, and of these how many are told.
constexpr std::int64_t kLatestSteps = 500;
constexpr std::size_t kToldSteps = 3;

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

// The only token of a flow is at the flow itself.
bool is_flow(const InstanceView& view) {
  return std::ranges::any_of(view.tokens, [&](const facts::Token& token) {
    return token.node_id == view.instance.process_id && !is_terminal(token.state);
  });
}

Result<void> read_flow(store::Reader& reader, InstanceView& view) {
  const auto definition = reader.definition(view.instance.definition_id);
  if (!definition) return std::unexpected(definition.error());
  if (*definition) view.flow_version = (*definition)->version;
  const auto after = std::max<std::int64_t>(view.instance.step_count - kLatestSteps, 0);
  auto read = take(reader.steps(view.instance.id, {.after_ordinal = after}), view.steps);
  std::erase_if(view.steps, [](const auto& step) { return step.completed_at.has_value(); });
  return read;
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
  if (read && is_flow(view)) read = read_flow(reader, view);
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

std::string of_step(const InstanceView& view, const facts::StepRecord& step) {
  const auto timer = std::ranges::find_if(
      view.timers, [&](const facts::Timer& row) { return row.step_id == step.id; });
  const auto until = timer == view.timers.end() ? "" : " until " + to_text(timer->due_at);
  switch (step.type) {
    case facts::StepType::sleep: return "step " + quoted(step.name) + " to sleep" + until;
    case facts::StepType::wait: return "an event for step " + quoted(step.name) + until;
    case facts::StepType::call_activity:
      return "instance " + key_text(step.called_instance_id.value_or(kNoKey)) + ", which step " +
             quoted(step.name) + " called";
    default: break;
  }
  const bool again = step.status == facts::StepStatus::pending;
  const auto attempt = std::to_string(step.attempt_count + (again ? 1 : 0));
  if (again && !until.empty())
    return "the back-off" + until + ", then attempt " + attempt + " of step " + quoted(step.name);
  return "attempt " + attempt + " of step " + quoted(step.name);
}

/// What the code of a flow waits for.
std::string of_flow(const InstanceView& view, const facts::Token& token) {
  if (view.instance.status == facts::InstanceStatus::pending) {
    return "its turn among the runs of flow " + quoted(view.instance.process_id);
  }
  if (token.state == facts::TokenState::ready || view.steps.empty()) {
    return "a program that defines flow " + quoted(view.instance.process_id) + " version " +
           std::to_string(*view.flow_version);
  }
  std::string text;
  for (const auto& step : view.steps | std::views::take(kToldSteps))
    text += (text.empty() ? "" : "; ") + of_step(view, step);
  const auto more = view.steps.size() - std::min(view.steps.size(), kToldSteps);
  return more > 0 ? text + "; and " + std::to_string(more) + " more steps" : text;
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
  if (view.flow_version) return of_flow(view, token);
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
