#include "api/json_shapes.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/describe.h"

namespace perdure::api {
namespace {

/// Where a member's name is not that of its field. Empty: the member is not shown.
template <class Row>
constexpr std::string_view shown_name(std::string_view field) {
  if constexpr (std::is_same_v<Row, facts::ProcessDefinition>) {
    if (field == "source") return {};
  } else if constexpr (std::is_same_v<Row, facts::DecisionRequirements>) {
    if (field == "source" || field == "imports") return {};
  } else if constexpr (std::is_same_v<Row, facts::ProcessInstance>) {
    if (field == "definition_id") return "process_def_id"; // as in the request that started it
    if (field == "input" || field == "step_count") return {};
  } else if constexpr (std::is_same_v<Row, facts::ExternalTask>) {
    if (field == "type") return "task_type";
  } else if constexpr (std::is_same_v<Row, facts::StepAttempt>) {
    if (field == "instance_id" || field == "step_id") return {};
  } else if constexpr (std::is_same_v<Row, facts::HistoryEvent>) {
    if (field == "instance_id") return {};
  }
  return field;
}

template <class Row>
void append_fields(ObjectWriter& object, const Row& row) {
  for_each_field(row, [&](std::string_view field, const auto& value) {
    const auto name = shown_name<Row>(field);
    if (!name.empty()) object.member(name, value);
  });
}

template <class Row>
void append_row(std::string& out, const Row& row) {
  ObjectWriter object(out);
  append_fields(object, row);
}

} // namespace

void append_json(std::string& out, const facts::ProcessDefinition& definition, Detail detail) {
  ObjectWriter object(out);
  append_fields(object, definition);
  if (detail == Detail::full) object.member("xml", definition.source);
}

void append_json(std::string& out, const facts::DecisionDefinition& definition,
                 const std::optional<std::string>& resource_name) {
  ObjectWriter object(out);
  append_fields(object, definition);
  if (resource_name) object.member("resource_name", *resource_name);
}

void append_json(std::string& out, const facts::DecisionRequirements& requirements) {
  ObjectWriter object(out);
  append_fields(object, requirements);
  Array files;
  for (const auto& import : *requirements.imports.as<Array>()) {
    if (const auto* file = import.find("file")) files.push_back(*file);
  }
  object.member("imports", Value(std::move(files)));
  object.member("xml", requirements.source);
}

void append_json(std::string& out, const facts::DecisionEvaluation& evaluation) {
  ObjectWriter object(out);
  append_fields(object, evaluation);
}

void append_members(ObjectWriter& object, const facts::ProcessInstance& instance, Detail detail) {
  append_fields(object, instance);
  if (detail == Detail::full) object.member("input", instance.input);
}

void append_json(std::string& out, const facts::ProcessInstance& instance, Detail detail) {
  ObjectWriter object(out);
  append_members(object, instance, detail);
}

void append_json(std::string& out, const facts::StepRecord& step,
                 std::span<const facts::StepAttempt> attempts) {
  ObjectWriter object(out);
  append_fields(object, step);
  const auto own = std::ranges::equal_range(attempts, step.id, {}, &facts::StepAttempt::step_id);
  append_list(
      object.begin_member("attempts"), own,
      [](std::string& text, const facts::StepAttempt& attempt) { append_row(text, attempt); });
}

void append_json(std::string& out, const facts::HistoryEvent& event) { append_row(out, event); }
void append_json(std::string& out, const facts::Incident& incident) { append_row(out, incident); }
void append_json(std::string& out, const facts::Scope& scope) { append_row(out, scope); }
void append_json(std::string& out, const facts::DeadLetter& letter) { append_row(out, letter); }
void append_json(std::string& out, const facts::AuditEntry& entry) { append_row(out, entry); }

void append_json(std::string& out, const facts::Token& token,
                 const std::optional<std::string>& waiting_for) {
  ObjectWriter object(out);
  append_fields(object, token);
  object.member("waiting_for", waiting_for);
}

void append_json(std::string& out, const facts::ExternalTask& task) {
  ObjectWriter object(out);
  object.member("type", std::string_view("external"));
  append_fields(object, task);
}

void append_json(std::string& out, const facts::UserTask& task) {
  ObjectWriter object(out);
  object.member("type", std::string_view("user"));
  append_fields(object, task);
}

void append_json(std::string& out, const engine::Job& job) {
  ObjectWriter object(out);
  object.member("id", job.task_id);
  object.member("instance_id", job.instance_id);
  object.member("process_def_id", job.definition_id);
  object.member("process_id", job.process_id);
  object.member("business_key", job.business_key);
  object.member("node_id", job.node_id);
  object.member("node_name", job.node_name);
  object.member("task_type", job.type);
  object.member("worker_id", job.worker_id);
  object.member("lock_expires_at", job.lock_expires_at);
  object.member("attempt", job.attempt);
  object.member("retries", job.retries);
  object.member("priority", job.priority);
  object.member("variables", job.variables);
  object.member("headers", job.headers);
  object.member("listener", job.listener);
}

Value to_value(const definition::Diagnostic& diagnostic) {
  const bool error = diagnostic.severity == definition::Severity::error;
  return Object{{"code", diagnostic.code},
                {"severity", error ? "error" : "warning"},
                {"message", diagnostic.message},
                {"file", diagnostic.file},
                {"line", diagnostic.line},
                {"column", diagnostic.column},
                {"element_id", diagnostic.element_id}};
}

net::Response json_response(std::string body, int status) {
  net::Response response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

} // namespace perdure::api
