// What a server on loopback must ask of a browser's request: the page of a stranger can point a
// name of its own at 127.0.0.1 (DNS rebinding), and then every check of origins passes. Only the
// name it used gives it away.
#pragma once

#include <string_view>

#include "net/responder.h"

namespace perdure::net {

/// True for a Host header value (name, optional port) that only this machine can be meant by:
/// localhost, a name below it, or a loopback address literal.
[[nodiscard]] bool is_local_name(std::string_view host);

/// True for an address to listen on that only this machine can reach.
[[nodiscard]] bool is_loopback(std::string_view address);

/// The handler behind a guard: a request for another name is answered with 421 (RFC 9110 section
/// 15.5.20). One without a Host header passes: no browser sends that.
[[nodiscard]] Handler only_local_names(Handler handler);

} // namespace perdure::net
