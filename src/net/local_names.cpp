#include "net/local_names.h"

#include <utility>

#include "net/problem.h"

namespace perdure::net {

namespace {

std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) {
    const auto end = host.find(']');
    return end == std::string_view::npos ? host : host.substr(0, end + 1);
  }
  return host.substr(0, host.find(':'));
}

/// 127.x.y.z written with digits and dots alone: "127.evil.example" is a name.
bool is_loopback_literal(std::string_view text) {
  return text.starts_with("127.") &&
         text.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool ends_with_name(std::string_view text, std::string_view name) {
  return text.size() >= name.size() && same_name(text.substr(text.size() - name.size()), name);
}

} // namespace

bool is_local_name(std::string_view host) {
  const auto name = without_port(host);
  return same_name(name, "localhost") || ends_with_name(name, ".localhost") || name == "[::1]" ||
         is_loopback_literal(name);
}

bool is_loopback(std::string_view address) {
  return same_name(address, "localhost") || address == "::1" || is_loopback_literal(address);
}

Handler only_local_names(Handler handler) {
  return [handler = std::move(handler)](Request request, Responder responder) {
    const auto host = request.header("Host");
    if (host && !is_local_name(*host)) {
      responder.send(problem(421,
                             "This server listens on this machine only and is called localhost or "
                             "127.0.0.1; let it listen on another address to give it a name."));
      return;
    }
    handler(std::move(request), std::move(responder));
  };
}

} // namespace perdure::net
