#include "api/replies.h"

#include "api/json_shapes.h"

namespace perdure::api {
namespace {

net::Response with(InstanceAnswer how, std::string body) {
  auto response = json_response(std::move(body), how.status);
  response.headers = std::move(how.headers);
  return response;
}

std::string id_text(Key id) {
  std::string body;
  ObjectWriter(body).member("id", id);
  return body;
}

} // namespace

net::Response done_response(Key id, std::string_view state) {
  std::string body;
  {
    ObjectWriter object(body);
    object.member("id", id);
    if (!state.empty()) object.member("state", state);
  }
  return json_response(std::move(body));
}

bool prefers_minimal(const net::Request& request) {
  return request.header("Prefer") == "return=minimal";
}

void answer_with_instance(const PartsPtr& parts, const net::Responder& responder, Key instance_id,
                          InstanceAnswer how) {
  if (how.minimal) {
    responder.send(with(std::move(how), id_text(instance_id)));
    return;
  }
  const bool taken = parts->pool.post([parts, responder, instance_id, how] {
    const auto instance = parts->reader.instance(instance_id);
    std::string body;
    if (instance && *instance) {
      append_json(body, **instance, Detail::full);
    } else {
      body = id_text(instance_id);
    }
    responder.send(with(how, std::move(body)));
  });
  if (!taken) responder.send(with(std::move(how), id_text(instance_id)));
}

engine::Reply<engine::Done> reply_with_instance(const PartsPtr& parts,
                                                const net::Responder& responder, Key instance_id,
                                                const net::Request& request) {
  return [parts, responder, instance_id,
          minimal = prefers_minimal(request)](const engine::Answer<engine::Done>& answer) {
    if (answer) {
      answer_with_instance(parts, responder, instance_id, {.minimal = minimal});
    } else {
      responder.send(to_response(answer.error()));
    }
  };
}

std::optional<net::Response> missing_instance(Parts& parts, Key instance_id) {
  const auto instance = parts.reader.instance(instance_id);
  if (!instance) return to_response(instance.error());
  if (!*instance) return not_found("process instance", key_text(instance_id));
  return std::nullopt;
}

} // namespace perdure::api
