// Replies: what the engine says of a command, as the answer of its request.
#pragma once

#include <optional>
#include <utility>

#include "api/parts.h"
#include "api/problems.h"
#include "engine/commands.h"

namespace perdure::api {

/// Answers with what `show` makes of the outcome, or with the failure.
template <class T, class Show>
[[nodiscard]] engine::Reply<T> reply_with(const net::Responder& responder, Show show) {
  return [responder, show = std::move(show)](engine::Answer<T> answer) {
    responder.send(answer ? show(*answer) : to_response(answer.error()));
  };
}

/// {"id":"<key>"} and, when given, the state in which the command left the row.
[[nodiscard]] net::Response done_response(Key id, std::string_view state = {});

/// How to answer a command that concerns an instance as a whole.
struct InstanceAnswer {
  int status = 200;
  net::Fields headers;
  bool minimal = false; ///< the id alone: the client asked for no more (RFC 7240)
};

/// True when the client sent "Prefer: return=minimal".
[[nodiscard]] bool prefers_minimal(const net::Request& request);

/// Answers with the instance as it is now, read on a thread of the pool. Where it cannot be read
/// the answer is its id alone: what was done is done.
void answer_with_instance(const PartsPtr& parts, const net::Responder& responder, Key instance_id,
                          InstanceAnswer how);

/// Answers a command that changed the instance, with the instance.
[[nodiscard]] engine::Reply<engine::Done> reply_with_instance(const PartsPtr& parts,
                                                              const net::Responder& responder,
                                                              Key instance_id,
                                                              const net::Request& request);

/// 404 when there is no such instance: an empty list is an answer only for one that exists.
[[nodiscard]] std::optional<net::Response> missing_instance(Parts& parts, Key instance_id);

} // namespace perdure::api
