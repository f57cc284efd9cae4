// Calls: what goes between a call activity and the instance that it called, and how an instance
// ends, since its caller must learn of it.
#pragma once

#include <string>
#include <string_view>

#include "decide/draft.h"
#include "perdure/value.h"

namespace perdure::decide {

/// No live token is left: the instance completes, and its caller is told.
void complete_instance(Draft& draft);

/// An error that nothing here catches ends the instance; its caller goes on with the error.
void fail_to_caller(Draft& draft, std::string_view code, std::string_view message,
                    const Object& variables);

/// Sends to the instance that called this one; there must be one.
void send_to_caller(Draft& draft, facts::PendingKind kind, std::string_view node_id,
                    std::string_view code, Object payload);

/// The call activity ended before the instance that it called.
void cancel_call(Draft& draft, std::string_view node_id, Key called_instance_id);

} // namespace perdure::decide
