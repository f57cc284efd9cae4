#include "cases/case_file.h"

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/json.h"
#include "cases/machine.h"
#include "cases/model_text.h"

namespace perdure::cases {

namespace {

using Words = std::istringstream;

std::string rest_of(Words& words) {
  std::string rest;
  std::getline(words >> std::ws, rest);
  return rest;
}

Value json_of(const std::string& text) {
  auto value = json::parse(text);
  if (!value) throw std::runtime_error(text + ": " + value.error().message);
  return *std::move(value);
}

std::optional<Value> json_rest(Words& words) {
  const auto rest = rest_of(words);
  if (rest.empty()) return std::nullopt;
  return json_of(rest);
}

std::string word(Words& words) {
  std::string text;
  if (!(words >> text)) throw std::runtime_error("a word is missing");
  return text;
}

Duration duration_word(const std::string& text) {
  const auto end = add_iso_duration(Instant{}, text);
  if (!end) throw std::runtime_error(end.error().message);
  return end->time_since_epoch();
}

/// Strings without quotes where that is plain to read.
void append_plain(std::string& out, const Value& value) {
  const auto* text = value.as<std::string>();
  if (text && !text->empty() && text->find_first_of(" \"{}[]=,") == std::string::npos) {
    out += *text;
  } else {
    json::append(out, value);
  }
}

/// "token_placed token_id=3 node_id=start": members of parts are named `worker.type`.
std::string fact_line(const facts::FactData& data) {
  std::string out = "  " + std::string(facts::type_of(data));
  const auto payload = json::parse(facts::payload_of(data));
  const auto append_members = [&](const auto& self, const Object& object,
                                  const std::string& prefix) -> void {
    for (const auto& [name, value] : object) {
      const bool is_part = name == "worker" || name == "user" || name == "timer";
      if (is_part && value.is_object()) {
        self(self, *value.as<Object>(), name + ".");
        continue;
      }
      out += " " + prefix + name + "=";
      append_plain(out, value);
    }
  };
  append_members(append_members, *payload->as<Object>(), "");
  return out + "\n";
}

std::string state_line(const facts::InstanceState& state) {
  std::string out = "  = " + std::string(name_of(state.instance.status));
  std::string separator = "; ";
  for (const auto& slot : state.tokens.slots()) {
    out += separator + slot.row.node_id + " " + std::string(name_of(slot.row.state));
    separator = ", ";
  }
  return out + "\n";
}

class CaseRunner {
public:
  /// With the versions of the process, the first of which is the model.
  CaseRunner(std::vector<definition::DefinitionPtr> versions, Machine::Saving saving)
      : versions_(std::move(versions)), machine_(versions_.front()) {
    machine_.on_saving(std::move(saving));
  }

  /// Runs one command and returns its expectation lines.
  std::string run(const std::string& line) {
    Words words(line);
    const auto name = word(words);
    if (name == "wait") {
      machine_.advance(duration_word(word(words)));
      return "";
    }
    if (name == "max-moves") {
      machine_.policy().max_moves = std::stoll(word(words));
      return "";
    }
    if (name == "migrate") return report(migrate(words));
    return report(machine_.send(event(name, words)));
  }

private:
  std::string report(const decide::Decision& decision) {
    std::string out;
    if (decision.refusal) {
      out = "  refused " + std::string(name_of(decision.refusal->code)) + ": " +
            decision.refusal->message + "\n";
    } else {
      for (const auto& fact : decision.facts)
        out += fact_line(fact.data);
      out += state_line(machine_.state());
    }
    for (; reported_ < machine_.problems().size(); ++reported_) {
      out += "  ! " + machine_.problems()[reported_] + "\n";
    }
    return out;
  }

  decide::Decision migrate(Words& words) {
    const auto version = std::stoll(word(words));
    facts::MigrateRequested request{.definition_id = kFirstVersion + version - 1};
    for (std::string pair; words >> pair;) {
      const auto middle = pair.find('=');
      request.mapping.emplace(pair.substr(0, middle), pair.substr(middle + 1));
    }
    return machine_.migrate(versions_.at(static_cast<std::size_t>(version - 1)),
                            std::move(request));
  }

  facts::EventData event(const std::string& name, Words& words) {
    if (name == "start") {
      facts::StartRequested start;
      start.definition_id = kFirstVersion;
      auto rest = rest_of(words);
      if (rest.starts_with("at ")) {
        const auto end = std::min(rest.find(' ', 3), rest.size());
        start.start_node_id = rest.substr(3, end - 3);
        rest.erase(0, end);
      }
      if (rest.starts_with("before ")) {
        std::istringstream elements(rest.substr(7));
        for (std::string id; elements >> id;)
          start.start_before.push_back(id);
        rest.clear();
      }
      start.variables = rest.empty() ? Value(Object{}) : json_of(rest);
      return start;
    }
    if (name == "choose") {
      facts::ActivitiesChosen chosen;
      chosen.scope_id = machine_.scope_of(word(words));
      for (std::string id; words >> id;)
        chosen.node_ids.push_back(id);
      return chosen;
    }
    if (name == "proceed") return facts::Proceed{};
    if (name == "set-aside") return facts::SetAside{.message = rest_of(words)};
    if (name == "retry") return retry(words);
    if (name == "cancel") {
      const auto reason = rest_of(words);
      return facts::CancelRequested{.reason =
                                        reason.empty() ? std::nullopt : std::optional(reason)};
    }
    if (name == "pause") return facts::PauseRequested{.reason = rest_of(words)};
    if (name == "resume") return facts::ResumeRequested{};
    if (name == "set")
      return facts::VariablesRequested{.scope_id = {}, .variables = json_of(rest_of(words))};
    if (name == "modify") return modification(words);
    if (name == "finish") {
      const auto task_id = machine_.user_task_of(word(words));
      return facts::UserTaskCompleted{.task_id = task_id, .variables = json_rest(words)};
    }
    if (name == "fire") {
      const auto named = word(words);
      const auto armed = machine_.armed_timer(named);
      return facts::TimerDue{.timer_id = armed == kNoKey ? machine_.timer_of(named) : armed};
    }
    if (name == "occur") {
      const auto subscription_id = machine_.subscription_of(word(words));
      return facts::EventOccurred{.subscription_id = subscription_id,
                                  .variables = json_rest(words)};
    }
    if (name.starts_with("return")) return return_of(name, words);
    return task_event(name, words);
  }

  facts::EventData return_of(const std::string& name, Words& words) {
    facts::CallEnded ended{.token_id = machine_.token_of(word(words))};
    if (name == "return-error") {
      ended.outcome = facts::CallOutcome::error;
      ended.code = word(words);
    } else if (name == "return-cancelled") {
      ended.outcome = facts::CallOutcome::cancelled;
    } else if (name == "return-failed") {
      ended.outcome = facts::CallOutcome::failed;
      ended.message = rest_of(words);
    }
    ended.variables = json_rest(words);
    return ended;
  }

  facts::EventData task_event(const std::string& name, Words& words) {
    const auto task_id = machine_.task_of(word(words));
    if (name == "expire") return facts::TaskLockExpired{.task_id = task_id};
    if (name == "complete-by-hand") {
      return facts::TaskCompleted{
          .task_id = task_id, .worker_id = {}, .variables = json_rest(words)};
    }
    auto worker_id = word(words);
    if (name == "release") {
      return facts::TaskReleased{.task_id = task_id, .worker_id = worker_id};
    }
    if (name == "lock") {
      return facts::TaskLocked{.task_id = task_id,
                               .worker_id = worker_id,
                               .lock_expires_at = machine_.now() + duration_word(word(words))};
    }
    if (name == "extend") {
      return facts::TaskLockExtended{
          .task_id = task_id,
          .worker_id = worker_id,
          .lock_expires_at = machine_.now() + duration_word(word(words))};
    }
    if (name == "complete") {
      return facts::TaskCompleted{
          .task_id = task_id, .worker_id = worker_id, .variables = json_rest(words)};
    }
    if (name == "fail") return failure(task_id, worker_id, words);
    if (name == "throw-error") {
      facts::TaskErrorThrown thrown;
      thrown.task_id = task_id;
      thrown.worker_id = worker_id;
      thrown.code = word(words);
      thrown.variables = json_rest(words);
      return thrown;
    }
    if (name == "throw-escalation") {
      facts::TaskEscalationThrown thrown;
      thrown.task_id = task_id;
      thrown.worker_id = worker_id;
      thrown.code = word(words);
      thrown.variables = json_rest(words);
      return thrown;
    }
    throw std::runtime_error("unknown command " + name);
  }

  static facts::EventData failure(Key task_id, std::string worker_id, Words& words) {
    facts::TaskFailed failed;
    failed.task_id = task_id;
    failed.worker_id = std::move(worker_id);
    failed.error_name = "Failure";
    auto text = word(words);
    if (text.starts_with("retries=")) {
      failed.retries = std::stoll(text.substr(8));
      text = word(words);
    }
    if (text.starts_with("delay=")) {
      failed.retry_delay = duration_word(text.substr(6));
      text = word(words);
    }
    const auto rest = rest_of(words);
    failed.error_message = rest.empty() ? text : text + " " + rest;
    return failed;
  }

  /// before NODE, after NODE, cancel NODE, token KEY, in SCOPE (of the one before), {variables}
  static facts::EventData modification(Words& words) {
    facts::ModifyRequested request;
    for (std::string text; words >> text;) {
      if (text.starts_with("{")) {
        request.variables = json_of(text + " " + rest_of(words));
      } else if (text == "in") {
        request.modifications.back().scope_id = std::stoll(word(words));
      } else if (text == "token") {
        request.modifications.push_back(
            {.kind = facts::ModificationKind::cancel_token, .token_id = std::stoll(word(words))});
      } else {
        const auto kind = text == "before"  ? facts::ModificationKind::start_before
                          : text == "after" ? facts::ModificationKind::start_after
                                            : facts::ModificationKind::cancel;
        request.modifications.push_back({.kind = kind, .node_id = word(words)});
      }
    }
    return request;
  }

  facts::EventData retry(Words& words) {
    facts::RetryRequested request;
    request.by = "anna";
    for (std::string text; words >> text;) {
      if (text.starts_with("{")) {
        request.variables = json_of(text + " " + rest_of(words));
      } else if (text.starts_with("retries=")) {
        request.retries = std::stoll(text.substr(8));
      } else {
        request.incident_id = machine_.incident_at(text);
        // Of a node without an open incident: a key that names none.
        if (request.incident_id == kNoKey) request.incident_id = 999'999;
      }
    }
    return request;
  }

  /// Key of the first version; the others follow.
  static constexpr Key kFirstVersion = 1000;

  std::vector<definition::DefinitionPtr> versions_;
  Machine machine_;
  std::size_t reported_ = 0;
};

bool is_indented(const std::string& line) { return line.starts_with(' '); }

} // namespace

std::string run_case(std::string_view text, Machine::Saving saving) {
  std::istringstream input{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(input, line);)
    lines.push_back(line);
  std::string out;
  std::vector<definition::DefinitionPtr> versions;
  std::size_t at = 0;
  while (at < lines.size() && lines[at] != "model")
    out += lines[at++] + "\n";
  if (at == lines.size()) throw std::runtime_error("no line `model`");
  while (at < lines.size() && (lines[at] == "model" || lines[at] == "version")) {
    std::string model;
    out += lines[at++] + "\n";
    for (; at < lines.size() && is_indented(lines[at]); ++at) {
      model += lines[at] + "\n";
      out += lines[at] + "\n";
    }
    versions.push_back(parse_model(model));
    for (; at < lines.size() && lines[at].empty(); ++at)
      out += "\n";
  }
  CaseRunner runner(std::move(versions), std::move(saving));
  for (; at < lines.size(); ++at) {
    if (is_indented(lines[at])) continue; // the old expectation
    out += lines[at] + "\n";
    if (lines[at].empty() || lines[at].starts_with('#')) continue;
    out += runner.run(lines[at]);
  }
  return out;
}

} // namespace perdure::cases
