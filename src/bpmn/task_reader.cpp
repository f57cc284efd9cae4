#include "bpmn/task_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "base/time.h"
#include "bpmn/expressions.h"
#include "bpmn/extension_rules.h"
#include "bpmn/retry_cycle.h"
#include "expr/recurrence.h"

namespace perdure::bpmn {

namespace {

using definition::Code;
using definition::in_quotes;
using definition::Report;
using definition::SourcePlace;
using definition::Template;
using xml::Vocabulary;

constexpr std::int64_t kMaxRetries = 1'000'000;

std::string_view text_or_empty(const std::string* text) {
  return text ? xml::trim(*text) : std::string_view();
}

/// An attribute of an extension element; empty when element or attribute is absent.
std::string_view extension_text(const xml::Element& task, Vocabulary vocabulary,
                                std::string_view element, std::string_view attribute) {
  const auto* extension = find_extension(task, vocabulary, element);
  return extension ? xml::trim(extension->get(attribute)) : std::string_view();
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, reason] = std::from_chars(text.data(), end, number);
  if (reason != std::errc() || stop != end) return std::nullopt;
  return number;
}

struct WorkerChoice {
  Vocabulary vocabulary;
  std::string_view type;
};

/// What each vocabulary says; a half-said one is reported here.
std::vector<WorkerChoice> worker_choices(const xml::Element& task) {
  std::vector<WorkerChoice> choices;
  const auto add = [&](Vocabulary vocabulary, std::string_view type) {
    if (!type.empty()) choices.push_back({vocabulary, type});
  };
  add(Vocabulary::perdure, text_or_empty(task.find(Vocabulary::perdure, "type")));
  add(Vocabulary::zeebe, extension_text(task, Vocabulary::zeebe, "taskDefinition", "type"));
  if (text_or_empty(task.find(Vocabulary::camunda, "type")) == "external") {
    add(Vocabulary::camunda, text_or_empty(task.find(Vocabulary::camunda, "topic")));
  }
  return choices;
}

void read_retry_cycle(const xml::Element& cycle, std::string_view id, definition::WorkerSpec& spec,
                      Report& report) {
  if (xml::trim(cycle.text).empty()) return;
  auto parsed = parse_retry_cycle(cycle.text);
  if (!parsed) {
    report.error(Code::bad_retries, cycle.place, id, std::move(parsed.error().message));
    return;
  }
  spec.retries.text = std::to_string(parsed->attempts);
  spec.retry_backoff = std::move(parsed->intervals);
}

void report_missing_worker(const xml::Element& task, std::string_view id, Report& report) {
  const auto* type = task.find(Vocabulary::camunda, "type");
  if (type && xml::trim(*type) == "external") {
    report.error(Code::missing_worker_type, task.place, id,
                 "The external task has no topic: set camunda:topic to the type of its workers.");
  } else if (type) {
    report.error(Code::unsupported_extension, task.place, id,
                 "The camunda:type " + in_quotes(*type) +
                     " is not supported: set camunda:type=\"external\" and camunda:topic.");
  } else {
    report.error(
        Code::missing_worker_type, task.place, id,
        "The task names no worker type: set zeebe:taskDefinition type, "
        "camunda:type=\"external\" with camunda:topic, or perdure:type; a business rule task "
        "may call a decision instead, with zeebe:calledDecision or camunda:decisionRef.");
  }
}

/// A plain service or send task, as a model without any extension has it.
bool says_nothing_of_work(const xml::Element& task) {
  constexpr auto kSaying =
      std::to_array<std::string_view>({"type", "topic", "class", "expression", "delegateExpression",
                                       "implementation", "operationRef", "retries"});
  if (task.name == "businessRuleTask") return false;
  if (find_extension(task, Vocabulary::zeebe, "taskDefinition")) return false;
  return std::ranges::none_of(task.attributes, [&](const xml::Attribute& attribute) {
    return attribute.vocabulary == Vocabulary::foreign ||
           std::ranges::find(kSaying, attribute.name) != kSaying.end();
  });
}

void read_headers(const xml::Element& task, definition::WorkerSpec& spec) {
  const auto* headers = find_extension(task, Vocabulary::zeebe, "taskHeaders");
  if (headers) add_headers(*headers, spec);
}

/// A literal date is checked now; an expression when the task is reached.
Template read_date(std::string_view text, SourcePlace place, std::string_view id,
                   std::string_view what, Report& report) {
  auto date = read_template(text, {place, id, what}, report);
  if (date.text.empty() || expr::is_expression(date.text)) return date;
  if (!parse_instant(date.text)) {
    report.error(Code::bad_date, place, id,
                 "The value " + in_quotes(date.text) + " of " + std::string(what) +
                     " is no date and time: write it as 2030-12-31T12:00:00Z or as an expression.");
  }
  return date;
}

} // namespace

definition::Template read_retries(std::string_view text, SourcePlace place, std::string_view id,
                                  Report& report) {
  auto retries = read_template(text, {place, id, "the number of retries"}, report);
  if (retries.text.empty() || retries.expression || expr::is_expression(retries.text)) {
    return retries;
  }
  const auto number = whole_number(retries.text);
  if (!number || *number < 1 || *number > kMaxRetries) {
    report.error(Code::bad_retries, place, id,
                 "The number of retries " + in_quotes(retries.text) +
                     " is no whole number from 1 to 1000000: correct it or remove it.");
  }
  return retries;
}

void add_headers(const xml::Element& headers, definition::WorkerSpec& spec) {
  for (const auto& header : headers.children) {
    if (!header.is(Vocabulary::zeebe, "header")) continue;
    spec.headers.emplace_back(header.get("key"), header.get("value"));
  }
}

std::optional<definition::WorkerSpec> read_worker(const xml::Element& task, std::string_view id,
                                                  const definition::Template& default_priority,
                                                  Report& report) {
  auto choices = worker_choices(task);
  if (choices.empty() && says_nothing_of_work(task)) {
    report.warning(Code::missing_worker_type, task.place, id,
                   "The task names no worker type, so its workers ask for its id " + in_quotes(id) +
                       ": set zeebe:taskDefinition type, camunda:type=\"external\" with "
                       "camunda:topic, or perdure:type.");
    choices.push_back({Vocabulary::bpmn, id});
  }
  if (choices.empty()) {
    report_missing_worker(task, id, report);
    return std::nullopt;
  }
  const auto& chosen = choices.front();
  const auto other = std::ranges::find_if(
      choices, [&](const WorkerChoice& choice) { return choice.type != chosen.type; });
  if (other != choices.end()) {
    report.error(Code::ambiguous_worker_type, task.place, id,
                 "The task names two worker types, " + in_quotes(chosen.type) + " and " +
                     in_quotes(other->type) + ": keep one of them.");
    return std::nullopt;
  }
  definition::WorkerSpec spec;
  spec.type = read_template(chosen.type, {task.place, id, "the worker type"}, report);
  spec.priority = default_priority;
  const auto* own_retries = task.find(Vocabulary::perdure, "retries");
  const auto zeebe_retries = extension_text(task, Vocabulary::zeebe, "taskDefinition", "retries");
  if (own_retries) {
    spec.retries = read_retries(*own_retries, task.place, id, report);
  } else if (!zeebe_retries.empty()) {
    spec.retries = read_retries(zeebe_retries, task.place, id, report);
  } else if (const auto* cycle =
                 find_extension(task, Vocabulary::camunda, "failedJobRetryTimeCycle")) {
    read_retry_cycle(*cycle, id, spec, report);
  }
  if (const auto* priority = task.find(Vocabulary::camunda, "taskPriority")) {
    spec.priority = read_priority(*priority, "camunda:taskPriority", task.place, id, report);
  }
  read_headers(task, spec);
  return spec;
}

bool names_worker(const xml::Element& task) { return !worker_choices(task).empty(); }

definition::UserTaskSpec read_user_task(const xml::Element& task, std::string_view id,
                                        Report& report) {
  // Camunda 8 says it in extension elements, Camunda 7 in attributes.
  const auto said = [&](std::string_view element, std::string_view name) {
    const auto text = extension_text(task, Vocabulary::zeebe, element, name);
    return text.empty() ? text_or_empty(task.find(Vocabulary::camunda, name)) : text;
  };
  const auto read = [&](std::string_view element, std::string_view name, std::string_view what) {
    return read_template(said(element, name), {task.place, id, what}, report);
  };
  definition::UserTaskSpec spec;
  spec.assignee = read("assignmentDefinition", "assignee", "the assignee");
  spec.candidate_groups = read("assignmentDefinition", "candidateGroups", "the candidate groups");
  spec.candidate_users = read("assignmentDefinition", "candidateUsers", "the candidate users");
  spec.due_date =
      read_date(said("taskSchedule", "dueDate"), task.place, id, "the due date", report);
  spec.follow_up_date =
      read_date(said("taskSchedule", "followUpDate"), task.place, id, "the follow-up date", report);
  for (const auto name : {"formId", "formKey", "externalReference", "formRef"}) {
    spec.form_reference = read("formDefinition", name, "the form reference");
    if (!spec.form_reference.text.empty()) break;
  }
  const auto priority = said("priorityDefinition", "priority");
  if (!priority.empty()) {
    spec.priority = read_priority(priority, "priority", task.place, id, report);
  }
  return spec;
}

std::optional<definition::ScriptSpec> read_script(const xml::Element& task, std::string_view id,
                                                  Report& report) {
  const Origin origin{task.place, id, "the script"};
  std::optional<expr::Expression> expression;
  std::string_view variable;
  if (const auto* script = find_extension(task, Vocabulary::zeebe, "script")) {
    expression = read_expression(script->get("expression"), "feel", origin, report);
    variable = xml::trim(script->get("resultVariable"));
  } else if (const auto* body = task.child(Vocabulary::bpmn, "script")) {
    const auto format = task.get("scriptFormat");
    expression = read_expression(body->text, format.empty() ? task.get("scriptLanguage") : format,
                                 origin, report);
    variable = text_or_empty(task.find(Vocabulary::camunda, "resultVariable"));
  } else {
    report.error(
        Code::missing_script, task.place, id,
        "The script task has no expression: set zeebe:script expression or a FEEL script.");
  }
  if (!expression) return std::nullopt;
  return definition::ScriptSpec{std::move(*expression), std::string(variable)};
}

namespace {

struct TimeElement {
  std::string_view name;
  definition::TimerKind kind;
  std::string_view advice;
};
constexpr auto kTimeElements = std::to_array<TimeElement>({
    {"timeDuration", definition::TimerKind::duration, "duration: write it as PT15M."},
    {"timeDate", definition::TimerKind::date, "date and time: write it as 2030-12-31T12:00:00Z."},
    {"timeCycle", definition::TimerKind::cycle,
     "recurrence: write it as R3/PT10S or as six fields of cron."},
});

bool is_readable(definition::TimerKind kind, std::string_view text) {
  switch (kind) {
    case definition::TimerKind::duration: return add_iso_duration(from_ms(0), text).has_value();
    case definition::TimerKind::date: return expr::parse_moment(text).has_value();
    case definition::TimerKind::cycle: return expr::Recurrence::parse(text).has_value();
  }
  return false;
}

} // namespace

std::optional<definition::TimerSpec> read_timer(const xml::Element& timer, std::string_view id,
                                                bool may_recur, Report& report) {
  const xml::Element* time = nullptr;
  const TimeElement* said = nullptr;
  for (const auto& element : kTimeElements) {
    const auto* found = timer.child(Vocabulary::bpmn, element.name);
    if (!found) continue;
    if (time) {
      report.error(Code::bad_timer, found->place, id,
                   "The timer event says two times: keep one of timeDuration, timeDate and "
                   "timeCycle.");
      return std::nullopt;
    }
    time = found;
    said = &element;
  }
  if (!time || xml::trim(time->text).empty()) {
    report.error(Code::missing_timer, timer.place, id,
                 "The timer event says no time: set timeDuration or timeDate.");
    return std::nullopt;
  }
  if (said->kind == definition::TimerKind::cycle && !may_recur) {
    report.error(Code::unsupported_element, time->place, id,
                 "The element `timeCycle` has no meaning at an intermediate event: set "
                 "timeDuration or timeDate.");
    return std::nullopt;
  }
  definition::TimerSpec spec;
  spec.kind = said->kind;
  spec.when = read_template(time->text, {time->place, id, "the timer"}, report);
  if (expr::is_expression(spec.when.text)) return spec;
  if (!is_readable(spec.kind, spec.when.text)) {
    report.error(
        Code::bad_timer, time->place, id,
        "The time " + in_quotes(spec.when.text) + " is no ISO 8601 " + std::string(said->advice));
  }
  return spec;
}

Template read_priority(std::string_view text, const char* what, SourcePlace place,
                       std::string_view id, Report& report) {
  auto priority = read_template(text, {place, id, "the " + std::string(what)}, report);
  if (!expr::is_expression(priority.text) && !whole_number(priority.text)) {
    report.error(Code::bad_priority, place, id,
                 "The " + std::string(what) + " " + in_quotes(text) +
                     " is no whole number: correct it or remove it.");
  }
  return priority;
}

} // namespace perdure::bpmn
