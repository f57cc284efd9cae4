// Operations on running instances: hold, let go on, set variables, move tokens by hand.
#include <utility>

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

struct RestartRequest {
  Key instance_id = kNoKey;
  std::vector<std::string> start_before{};
  std::optional<std::string> actor{};
};

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
        if (read.start_before.empty()) {
          reader.complain("start_before", "must name at least one element");
        }
        corrections = reader.object("variables");
      });
  if (!command) {
    responder.send(std::move(command.error()));
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
  parts->engine.start_instance(
      {.definition_id = old.definition_id,
       .process_id = {},
       .tenant_id = old.tenant_id,
       .business_key = old.business_key,
       .variables = std::move(variables),
       .start_before = std::move(command->start_before),
       .restart_of = *id,
       .actor = std::move(command->actor)},
      [parts, responder,
       minimal = prefers_minimal(request)](const engine::Answer<engine::Started>& started) {
        if (!started) {
          responder.send(to_response(started.error()));
          return;
        }
        answer_with_instance(parts, responder, started->instance_id,
                             {.status = 201,
                              .headers = {{"Location", "/api/v1/process-instances/" +
                                                           key_text(started->instance_id)}},
                              .minimal = minimal});
      });
}

} // namespace perdure::api
