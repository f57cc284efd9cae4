// retry, cancel, pause, resume, set, modify, choose: what an operator does with a running instance.
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/deed.h"
#include "cli/text_table.h"

namespace perdure::cli {

namespace {

Array modifications_of(const ModifyCommand& command) {
  Array list;
  const auto add = [&](std::string_view kind, std::string_view member,
                       const std::vector<std::string>& names) {
    for (const auto& name : names) {
      Object entry{{"kind", kind}, {member.data(), name}};
      if (command.scope_id && kind.starts_with("start")) {
        entry.set("scope_id", key_text(*command.scope_id));
      }
      list.push_back(std::move(entry));
    }
  };
  add("start_before", "element_id", command.before);
  add("start_after", "element_id", command.after);
  add("cancel", "element_id", command.cancel);
  add("cancel_token", "token_id", command.cancel_tokens);
  return list;
}

} // namespace

ExitCode retry(const RetryCommand& command, ApiClient& api, Output& output) {
  const std::string id = key_text(command.incident_id.value_or(command.instance_id.value_or(0)));
  const std::string place = command.incident_id ? "/incidents/" : "/process-instances/";
  const auto answer =
      api.post(place + id + "/retry",
               with_actor({{"retries", command.retries}, {"variables", command.variables}}));
  return report_deed(answer, output,
                     (command.incident_id ? "Incident " : "Instance ") + id + " tries again.");
}

ExitCode cancel(const CancelCommand& command, ApiClient& api, Output& output) {
  const std::string id = key_text(command.instance_id);
  Object body;
  if (command.reason) body.append("reason", *command.reason);
  const auto answer = api.post("/process-instances/" + id + "/cancel", with_actor(std::move(body)));
  return report_deed(answer, output, "Instance " + id + " is cancelled.");
}

ExitCode pause(const PauseCommand& command, ApiClient& api, Output& output) {
  const std::string id = key_text(command.instance_id);
  Object body;
  if (command.reason) body.append("reason", *command.reason);
  const auto answer = api.post("/process-instances/" + id + "/pause", with_actor(std::move(body)));
  return report_deed(answer, output, "Instance " + id + " is paused.");
}

ExitCode resume(const ResumeCommand& command, ApiClient& api, Output& output) {
  const std::string id = key_text(command.instance_id);
  const auto answer = api.post("/process-instances/" + id + "/resume", with_actor({}));
  return report_deed(answer, output, "Instance " + id + " goes on.");
}

ExitCode set_variables(const SetCommand& command, ApiClient& api, Output& output) {
  const std::string id = key_text(command.instance_id);
  Object body{{"variables", command.variables}};
  if (command.scope_id) body.append("scope_id", key_text(*command.scope_id));
  const auto answer =
      api.post("/process-instances/" + id + "/variables", with_actor(std::move(body)));
  return report_deed(answer, output, "The variables of instance " + id + " are set.");
}

ExitCode modify(const ModifyCommand& command, ApiClient& api, Output& output) {
  const std::string id = key_text(command.instance_id);
  const auto answer = api.post("/process-instances/" + id + "/modify",
                               with_actor({{"modifications", modifications_of(command)},
                                           {"variables", command.variables},
                                           {"dry_run", command.dry_run}}));
  if (!answer || output.json() || !command.dry_run) {
    return report_deed(answer, output, "The tokens of instance " + id + " are moved.");
  }
  return print_facts_to_be(*answer, output);
}

namespace {

/// The only ad hoc sub-process that is open in the instance.
Outcome<std::string> open_ad_hoc(const std::string& id, ApiClient& api) {
  const auto instance = api.get("/process-instances/" + id);
  if (!instance) return std::unexpected(instance.error());
  std::vector<std::string> found;
  for (const auto& scope : list_of(*instance, "scopes")) {
    if (text_of(scope, "kind") == "ad_hoc" && text_of(scope, "state") == "open") {
      found.push_back(text_of(scope, "id"));
    }
  }
  if (found.size() == 1) return found.front();
  return std::unexpected(Failure{
      .code = ExitCode::failed,
      .message = found.empty() ? "Instance " + id + " has no ad hoc sub-process that is open."
                               : "Instance " + id +
                                     " has several open ad hoc sub-processes: name one by --scope.",
      .problem = {}});
}

} // namespace

ExitCode choose(const ChooseCommand& command, ApiClient& api, Output& output) {
  const std::string id = key_text(command.instance_id);
  const auto scope_id =
      command.scope_id ? Outcome<std::string>(key_text(*command.scope_id)) : open_ad_hoc(id, api);
  if (!scope_id) return report(output, scope_id.error());
  Array activities(command.activities.begin(), command.activities.end());
  const auto answer = api.post("/process-instances/" + id + "/ad-hoc-activities",
                               with_actor({{"scope_id", *scope_id},
                                           {"activities", std::move(activities)},
                                           {"variables", command.variables}}));
  return report_deed(answer, output, "The activities of instance " + id + " begin.");
}

namespace {

Object flow_restart_of(const RestartCommand& command) {
  Object body{{"from", command.from_step      ? "step"
                       : command.from_failure ? "failure"
                                              : "beginning"},
              {"insist", command.insist},
              {"latest", command.latest}};
  if (command.from_step) body.append("step", *command.from_step);
  if (command.input) body.append("input", *command.input);
  if (command.reason) body.append("reason", *command.reason);
  return body;
}

} // namespace

ExitCode restart(const RestartCommand& command, ApiClient& api, Output& output) {
  Array before;
  for (const auto& element : command.before)
    before.push_back(element);
  auto body = command.before.empty()
                  ? flow_restart_of(command)
                  : Object{{"start_before", std::move(before)}, {"variables", command.variables}};
  const auto answer = api.post("/process-instances/" + key_text(command.instance_id) + "/restart",
                               with_actor(std::move(body)));
  const auto id = answer ? text_of(*answer, "id") : std::string();
  return report_deed(answer, output, "Instance " + id + " has begun.");
}

ExitCode skip_step(const SkipStepCommand& command, ApiClient& api, Output& output) {
  const std::string id = key_text(command.instance_id);
  Object body{{"step", command.step}};
  if (command.result) body.append("result", *command.result);
  if (command.reason) body.append("reason", *command.reason);
  const auto answer =
      api.post("/process-instances/" + id + "/skip-step", with_actor(std::move(body)));
  return report_deed(answer, output,
                     "Step \"" + printable(command.step) + "\" of instance " + id + " is skipped.");
}

} // namespace perdure::cli
