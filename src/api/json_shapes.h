// JSON shapes of rows and jobs: the one place that says how the API shows each of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/json_writer.h"
#include "engine/commands.h"
#include "facts/view.h"
#include "net/http.h"
#include "perdure/value.h"

namespace perdure::api {

/// How much of a row a list shows.
enum class Detail { list, full };

/// In full with its source as `xml`.
void append_json(std::string& out, const facts::ProcessDefinition& definition, Detail detail);
/// With the name of its file, where that is known.
void append_json(std::string& out, const facts::DecisionDefinition& definition,
                 const std::optional<std::string>& resource_name = std::nullopt);
/// With its source as `xml` and the names of the files that it imports.
void append_json(std::string& out, const facts::DecisionRequirements& requirements);
void append_json(std::string& out, const facts::DecisionEvaluation& evaluation);
/// In full with its input.
void append_members(ObjectWriter& object, const facts::ProcessInstance& instance, Detail detail);
void append_json(std::string& out, const facts::ProcessInstance& instance, Detail detail);
/// With its attempts, which must be in order of step and number: those of other steps are passed
/// over.
void append_json(std::string& out, const facts::StepRecord& step,
                 std::span<const facts::StepAttempt> attempts);
void append_json(std::string& out, const facts::HistoryEvent& event);
void append_json(std::string& out, const facts::Incident& incident);
void append_json(std::string& out, const facts::Scope& scope);
/// `waiting_for` in plain words; none for a token that has ended.
void append_json(std::string& out, const facts::Token& token,
                 const std::optional<std::string>& waiting_for);
/// Tasks have `type` external or user; the type of worker is `task_type`.
void append_json(std::string& out, const facts::ExternalTask& task);
void append_json(std::string& out, const facts::UserTask& task);
void append_json(std::string& out, const facts::DeadLetter& letter);
void append_json(std::string& out, const facts::AuditEntry& entry);
/// A task as its worker gets it.
void append_json(std::string& out, const engine::Job& job);
[[nodiscard]] Value to_value(const definition::Diagnostic& diagnostic);

/// An answer with a JSON body.
[[nodiscard]] net::Response json_response(std::string body, int status = 200);

} // namespace perdure::api
