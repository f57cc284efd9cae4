// Operations on running instances: hold, let go on, set variables, move tokens by hand, go on with
// another version.
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "api/handlers.h"
#include "api/instance_view.h"
#include "api/json_shapes.h"
#include "api/replies.h"
#include "base/json.h"

namespace perdure::api {
namespace {

using facts::Modification;
using facts::ModificationKind;

/// The body of a request, read for one instance.
template <class T, class Read>
Parsed<T> read_command(const net::Request& request, const Limits& limits, bool may_be_empty,
                       const Read& read) {
  const auto id = path_key(request, "process instance");
  if (!id) return std::unexpected(id.error());
  const auto body = parse_body(request, limits, may_be_empty);
  if (!body) return std::unexpected(body.error());
  BodyReader reader(*body->as<Object>(), limits);
  T command{.instance_id = *id};
  read(reader, command);
  command.actor = reader.name("actor");
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  return command;
}

Parsed<Modification> read_modification(const Object& object, const Limits& limits) {
  BodyReader reader(object, limits);
  Modification change;
  const auto kind = reader.required_name("kind");
  if (const auto known = enum_from<ModificationKind>(kind)) {
    change.kind = *known;
  } else {
    reader.complain("kind", "is none of start_before, start_after, cancel and cancel_token");
  }
  if (change.kind == ModificationKind::cancel_token) {
    const auto token_id = reader.key("token_id");
    if (!token_id) reader.complain("token_id", "is missing: name the token");
    change.token_id = token_id.value_or(kNoKey);
  } else {
    change.node_id = reader.required_name("element_id");
  }
  const bool is_start =
      change.kind == ModificationKind::start_before || change.kind == ModificationKind::start_after;
  if (is_start) change.scope_id = reader.key("scope_id").value_or(kNoKey);
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  return change;
}

Parsed<engine::ModifyCommand> read_modify(const net::Request& request, const Limits& limits) {
  std::vector<Object> objects;
  auto command = read_command<engine::ModifyCommand>(
      request, limits, false, [&](BodyReader& reader, engine::ModifyCommand& read) {
        objects = reader.required_objects("modifications");
        read.request.variables = reader.object("variables");
        read.dry_run = reader.flag("dry_run");
      });
  if (!command) return command;
  if (auto large = oversize(request, command->request.variables, limits)) {
    return std::unexpected(std::move(*large));
  }
  for (const auto& object : objects) {
    auto change = read_modification(object, limits);
    if (!change) return std::unexpected(std::move(change.error()));
    command->request.modifications.push_back(std::move(*change));
  }
  return command;
}

/// The version to go on with, by its number or its key, and what has another id in it.
facts::MigrateRequested read_migration(BodyReader& reader) {
  facts::MigrateRequested read;
  const auto version = reader.integer("version", {.least = 1});
  const auto key = reader.key("definition_id");
  if (version.has_value() == key.has_value()) {
    reader.complain("version", "or definition_id must name the version, and not both");
  }
  read.version = version.value_or(0);
  read.definition_id = key.value_or(kNoKey);
  read.mapping = reader.name_map("mapping");
  return read;
}

/// One portion of the instances that run with a version.
struct PortionRequest {
  Key definition_id = kNoKey;
  facts::MigrateRequested request{};
  bool dry_run = false;
  facts::InstanceStatus status = facts::InstanceStatus::running;
  store::Page page{};
  std::optional<std::string> actor{};
};

Parsed<PortionRequest> read_portion(const net::Request& request, const Limits& limits) {
  const auto id = path_key(request, "process definition");
  if (!id) return std::unexpected(id.error());
  const auto body = parse_body(request, limits);
  if (!body) return std::unexpected(body.error());
  BodyReader reader(*body->as<Object>(), limits);
  PortionRequest read{.definition_id = *id};
  read.request = read_migration(reader);
  read.dry_run = reader.flag("dry_run");
  if (reader.flag("paused")) read.status = facts::InstanceStatus::paused;
  read.page.limit = reader.integer("limit", {.least = 1, .most = limits.max_page}).value_or(100);
  if (const auto after = reader.key("after")) read.page.after = *after;
  read.actor = reader.name("actor");
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  return read;
}

struct RestartRequest {
  Key instance_id = kNoKey;
  std::vector<std::string> start_before{};
  std::optional<engine::RestartFlowCommand> flow{}; ///< instead
  std::optional<std::string> actor{};
};

/// Where the new run of a flow goes on; nullopt when the body says nothing of it.
std::optional<engine::RestartFlowCommand> read_flow_restart(BodyReader& reader) {
  engine::RestartFlowCommand read;
  const auto from = reader.name("from");
  read.from.step = reader.text("step").value_or("");
  read.input = reader.object("input");
  read.insist = reader.flag("insist");
  read.latest = reader.flag("latest");
  read.reason = reader.text("reason");
  if (!from) return std::nullopt;
  using Kind = flow::RestartPoint::Kind;
  if (*from == "step") {
    read.from.kind = Kind::step;
  } else if (*from == "failure") {
    read.from.kind = Kind::failure;
  } else if (*from != "beginning") {
    reader.complain("from", "is none of beginning, step and failure");
  }
  if ((read.from.kind == Kind::step) == read.from.step.empty()) {
    reader.complain("step", "must name a step when from is \"step\", and only then");
  }
  return read;
}

engine::Reply<engine::Started> reply_with_new_instance(const PartsPtr& parts,
                                                       const net::Responder& responder,
                                                       const net::Request& request) {
  return [parts, responder,
          minimal = prefers_minimal(request)](const engine::Answer<engine::Started>& started) {
    if (!started) {
      responder.send(to_response(started.error()));
      return;
    }
    answer_with_instance(
        parts, responder, started->instance_id,
        {.status = 201,
         .headers = {{"Location", "/api/v1/process-instances/" + key_text(started->instance_id)}},
         .minimal = minimal});
  };
}

} // namespace

void pause_instance(const PartsPtr& parts, const net::Request& request,
                    const net::Responder& responder) {
  auto command = read_command<engine::PauseCommand>(
      request, parts->limits(), true,
      [](BodyReader& reader, engine::PauseCommand& read) { read.reason = reader.text("reason"); });
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  const auto id = command->instance_id;
  parts->engine.pause(std::move(*command), reply_with_instance(parts, responder, id, request));
}

void resume_instance(const PartsPtr& parts, const net::Request& request,
                     const net::Responder& responder) {
  auto command = read_command<engine::ResumeCommand>(request, parts->limits(), true,
                                                     [](BodyReader&, engine::ResumeCommand&) {});
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  const auto id = command->instance_id;
  parts->engine.resume(std::move(*command), reply_with_instance(parts, responder, id, request));
}

void set_variables(const PartsPtr& parts, const net::Request& request,
                   const net::Responder& responder) {
  auto command = read_command<engine::SetVariablesCommand>(
      request, parts->limits(), false, [](BodyReader& reader, engine::SetVariablesCommand& read) {
        auto variables = reader.object("variables");
        if (!variables || variables->as<Object>()->empty()) {
          reader.complain("variables", "must have at least one member");
        }
        read.variables = std::move(variables).value_or(Object{});
        read.scope_id = reader.key("scope_id");
      });
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  if (auto large = oversize(request, command->variables, parts->limits())) {
    responder.send(std::move(*large));
    return;
  }
  const auto id = command->instance_id;
  parts->engine.set_variables(std::move(*command),
                              reply_with_instance(parts, responder, id, request));
}

void modify_instance(const PartsPtr& parts, const net::Request& request,
                     const net::Responder& responder) {
  auto command = read_modify(request, parts->limits());
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  const auto id = command->instance_id;
  const bool dry_run = command->dry_run;
  parts->engine.modify(
      std::move(*command),
      [responder, dry_run, done = reply_with_instance(parts, responder, id, request)](
          engine::Answer<engine::Modified> answer) mutable {
        if (!answer) return done(std::unexpected(std::move(answer.error())));
        if (!dry_run) return done(engine::Done{});
        responder.send(json_response(json::write(Object{{"facts", std::move(answer->facts)}})));
      });
}

void choose_activities(const PartsPtr& parts, const net::Request& request,
                       const net::Responder& responder) {
  auto key = idempotency(request, parts->limits());
  auto command = key ? read_command<engine::ChooseCommand>(
                           request, parts->limits(), false,
                           [](BodyReader& reader, engine::ChooseCommand& read) {
                             const auto scope_id = reader.key("scope_id");
                             if (!scope_id) {
                               reader.complain("scope_id",
                                               "is missing: name the open scope of "
                                               "the ad hoc sub-process");
                             }
                             read.scope_id = scope_id.value_or(kNoKey);
                             read.activities = reader.names("activities");
                             if (read.activities.empty()) {
                               reader.complain("activities", "must name at least one activity");
                             }
                             read.variables = reader.object("variables");
                           })
                     : std::unexpected(std::move(key.error()));
  if (command) {
    if (auto large = oversize(request, command->variables, parts->limits())) {
      command = std::unexpected(std::move(*large));
    }
  }
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  command->idempotency = std::move(*key);
  const auto id = command->instance_id;
  parts->engine.choose_activities(std::move(*command),
                                  reply_with_instance(parts, responder, id, request));
}

void migrate_instance(const PartsPtr& parts, const net::Request& request,
                      const net::Responder& responder) {
  auto command = read_command<engine::MigrateCommand>(
      request, parts->limits(), false, [](BodyReader& reader, engine::MigrateCommand& read) {
        read.request = read_migration(reader);
        read.dry_run = reader.flag("dry_run");
      });
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  const auto id = command->instance_id;
  const bool dry_run = command->dry_run;
  parts->engine.migrate(
      std::move(*command),
      [responder, dry_run, done = reply_with_instance(parts, responder, id, request)](
          engine::Answer<engine::Migrated> answer) mutable {
        if (!answer) return done(std::unexpected(std::move(answer.error())));
        if (!dry_run) return done(engine::Done{});
        responder.send(json_response(json::write(Object{{"facts", std::move(answer->facts)}})));
      });
}

// A portion is sent as a whole, so that many instances share a commit. What is refused does not
// hold up the others; where the next portion begins is told, so that the caller can go on whenever
// it likes.
void migrate_instances(const PartsPtr& parts, const net::Request& request,
                       const net::Responder& responder) {
  const auto portion = read_portion(request, parts->limits());
  if (!portion) {
    responder.send(portion.error());
    return;
  }
  const auto definition = parts->reader.definition(portion->definition_id);
  if (!definition || !*definition) {
    responder.send(definition ? not_found("process definition", key_text(portion->definition_id))
                              : to_response(definition.error()));
    return;
  }
  const auto rows = parts->reader.instances(
      {.process_id = (*definition)->process_id, .status = portion->status, .business_key = {}},
      portion->page);
  if (!rows) {
    responder.send(to_response(rows.error()));
    return;
  }
  std::vector<std::pair<Key, std::future<engine::Answer<engine::Migrated>>>> answers;
  for (const auto& [instance, incidents] : *rows) {
    if (instance.definition_id != portion->definition_id) continue;
    auto promise = std::make_shared<std::promise<engine::Answer<engine::Migrated>>>();
    answers.emplace_back(instance.id, promise->get_future());
    parts->engine.migrate({.instance_id = instance.id,
                           .request = portion->request,
                           .dry_run = portion->dry_run,
                           .actor = portion->actor},
                          [promise](engine::Answer<engine::Migrated> answer) {
                            promise->set_value(std::move(answer));
                          });
  }
  Array migrated;
  Array refused;
  for (auto& [id, future] : answers) {
    const auto answer = future.get();
    if (answer) {
      migrated.push_back(key_text(id));
    } else {
      refused.push_back(Object{{"instance_id", key_text(id)}, {"detail", answer.error().message}});
    }
  }
  Object result{
      {"migrated", std::move(migrated)}, {"refused", std::move(refused)}, {"next_after", nullptr}};
  if (std::cmp_greater_equal(rows->size(), portion->page.limit)) {
    result.set("next_after", key_text(rows->back().first.id));
  }
  responder.send(json_response(json::write(result)));
}

// The variables are those of the old instance's root scope as they are now, corrected by those of
// the request.
void restart_instance(const PartsPtr& parts, const net::Request& request,
                      const net::Responder& responder) {
  std::optional<Key> id;
  std::optional<Value> corrections;
  auto command = read_command<RestartRequest>(
      request, parts->limits(), false, [&](BodyReader& reader, RestartRequest& read) {
        id = read.instance_id;
        read.start_before = reader.names("start_before");
        read.flow = read_flow_restart(reader);
        corrections = reader.object("variables");
        if (read.start_before.empty() == !read.flow) {
          reader.complain("start_before",
                          "must name at least one element, unless the instance is "
                          "a flow and from says where it goes on");
        }
        if (read.flow && corrections) {
          reader.complain("variables", "are of a process: a flow has input");
        }
      });
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  if (command->flow) {
    command->flow->instance_id = *id;
    command->flow->actor = std::move(command->actor);
    parts->engine.restart_flow(*std::move(command->flow),
                               reply_with_new_instance(parts, responder, request));
    return;
  }
  const auto view = read_view(parts->reader, *id);
  if (!view || !*view) {
    responder.send(view ? not_found("process instance", key_text(*id)) : to_response(view.error()));
    return;
  }
  auto variables = root_variables((*view)->scopes);
  if (corrections) {
    for (const auto& [name, value] : *corrections->as<Object>())
      variables.as<Object>()->set(name, value);
  }
  const auto& old = (*view)->instance;
  parts->engine.start_instance({.definition_id = old.definition_id,
                                .process_id = {},
                                .tenant_id = old.tenant_id,
                                .business_key = old.business_key,
                                .variables = std::move(variables),
                                .start_before = std::move(command->start_before),
                                .restart_of = *id,
                                .actor = std::move(command->actor)},
                               reply_with_new_instance(parts, responder, request));
}

void skip_step(const PartsPtr& parts, const net::Request& request,
               const net::Responder& responder) {
  auto command = read_command<engine::SkipStepCommand>(
      request, parts->limits(), false, [](BodyReader& reader, engine::SkipStepCommand& read) {
        read.step = reader.text("step").value_or("");
        if (read.step.empty()) reader.complain("step", "must name the step");
        read.output = reader.value("result");
        read.reason = reader.text("reason");
      });
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  const auto id = command->instance_id;
  parts->engine.skip_step(std::move(*command), reply_with_instance(parts, responder, id, request));
}

} // namespace perdure::api
