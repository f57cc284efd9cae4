// Tasks as people see them: lists of both kinds, and completing one by hand.
#include <algorithm>
#include <utility>

#include "api/handlers.h"
#include "api/json_shapes.h"
#include "api/pages.h"
#include "api/replies.h"

namespace perdure::api {
namespace {

/// What the body of a completion by hand says.
struct ByHand {
  Key task_id = kNoKey;
  std::optional<Value> variables;
  std::optional<std::string> actor;
  std::optional<engine::Idempotency> idempotency;
};

Parsed<ByHand> read_by_hand(const net::Request& request, const Limits& limits) {
  const auto id = path_key(request, "task");
  if (!id) return std::unexpected(id.error());
  auto key = idempotency(request, limits);
  if (!key) return std::unexpected(std::move(key.error()));
  const auto body = parse_body(request, limits, true);
  if (!body) return std::unexpected(body.error());
  BodyReader reader(*body->as<Object>(), limits);
  ByHand by_hand{.task_id = *id,
                 .variables = reader.object("variables"),
                 .actor = reader.name("actor"),
                 .idempotency = std::move(*key)};
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  if (auto large = oversize(request, by_hand.variables, limits)) {
    return std::unexpected(std::move(*large));
  }
  return by_hand;
}

engine::Reply<engine::Done> reply_completed(const net::Responder& responder, Key task_id) {
  return reply_with<engine::Done>(responder,
                                  [task_id](auto) { return done_response(task_id, "completed"); });
}

void complete_external_by_hand(const PartsPtr& parts, ByHand by_hand,
                               const net::Responder& responder) {
  parts->engine.complete_task({.task_id = by_hand.task_id,
                               .variables = std::move(by_hand.variables),
                               .idempotency = std::move(by_hand.idempotency),
                               .actor = by_hand.actor.value_or("operator")},
                              reply_completed(responder, by_hand.task_id));
}

/// The list of one kind, as texts with their ids, so that both kinds can be shown as one list.
struct Shown {
  Key id = kNoKey;
  std::string json;
};

template <class Row>
Result<void> show(const Result<std::vector<Row>>& rows, std::vector<Shown>& shown) {
  if (!rows) return std::unexpected(rows.error());
  for (const auto& row : *rows)
    append_json(shown.emplace_back(row.id).json, row);
  return {};
}

Parsed<engine::ThrowCommand> read_escalation(const net::Request& request, const Limits& limits) {
  const auto id = path_key(request, "task");
  if (!id) return std::unexpected(id.error());
  const auto body = parse_body(request, limits);
  if (!body) return std::unexpected(body.error());
  BodyReader reader(*body->as<Object>(), limits);
  engine::ThrowCommand command{.task_id = *id,
                               .instance_id = {},
                               .worker_id = {},
                               .code = reader.required_name("code"),
                               .message = {},
                               .variables = reader.object("variables")};
  if (auto wrong = reader.finish()) return std::unexpected(std::move(*wrong));
  if (auto large = oversize(request, command.variables, limits)) {
    return std::unexpected(std::move(*large));
  }
  return command;
}

} // namespace

net::Response list_tasks(Parts& parts, const net::Request& request) {
  enum Kind : std::size_t { kUser, kExternal };
  QueryReader query(request, parts.limits());
  const auto page = read_page(query);
  const auto kind = query.one_of("type", {"user", "external"});
  const store::TaskFilter filter{.instance_id = query.key("instance_id"),
                                 .assignee = query.text("assignee"),
                                 .type = query.text("task_type"),
                                 .only_open = query.flag("open", true)};
  if (filter.assignee && kind == kExternal) query.complain("assignee", "is of user tasks only");
  if (filter.type && kind == kUser) query.complain("task_type", "is of external tasks only");
  if (filter.assignee && filter.type) query.complain("assignee", "cannot stand beside task_type");
  if (auto wrong = query.finish()) return std::move(*wrong);

  // A filter that only one kind has chooses that kind.
  const bool users = kind != kExternal && !filter.type;
  const bool externals = kind != kUser && !filter.assignee;
  std::vector<Shown> shown;
  Result<void> read;
  if (users) read = show(parts.reader.user_tasks(filter, page), shown);
  if (read && externals) read = show(parts.reader.external_tasks(filter, page), shown);
  if (!read) return to_response(read.error());
  std::ranges::sort(shown, {}, &Shown::id);
  if (std::cmp_greater(shown.size(), page.limit))
    shown.resize(static_cast<std::size_t>(page.limit));
  return page_response(shown, page, [](std::string& out, const Shown& task) { out += task.json; });
}

void escalate_task(const PartsPtr& parts, const net::Request& request,
                   const net::Responder& responder) {
  auto command = read_escalation(request, parts->limits());
  if (!command) {
    responder.send(std::move(command.error()));
    return;
  }
  parts->engine.throw_escalation(std::move(*command),
                                 reply_with<engine::Done>(responder, [id = command->task_id](auto) {
                                   return done_response(id);
                                 }));
}

void complete_task(const PartsPtr& parts, const net::Request& request,
                   const net::Responder& responder) {
  auto by_hand = read_by_hand(request, parts->limits());
  if (!by_hand) {
    responder.send(std::move(by_hand.error()));
    return;
  }
  engine::CompleteUserTaskCommand command{.task_id = by_hand->task_id,
                                          .variables = by_hand->variables,
                                          .idempotency = by_hand->idempotency,
                                          .actor = by_hand->actor};
  // The id tells no kind: what is no user task is an external one, or nothing.
  parts->engine.complete_user_task(
      std::move(command), [parts, responder, by_hand = std::move(*by_hand)](
                              const engine::Answer<engine::Done>& answer) {
        if (!answer && answer.error().kind == engine::Failure::Kind::not_found) {
          complete_external_by_hand(parts, by_hand, responder);
        } else {
          reply_completed(responder, by_hand.task_id)(answer);
        }
      });
}

} // namespace perdure::api
