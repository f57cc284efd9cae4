// What went wrong, as callers of the engine hear it.
#include <string>

#include "engine/round.h"

namespace perdure::engine {

Failure failure_of(const Error& error) {
  Failure failure{.message = error.message};
  switch (error.code) {
    case ErrorCode::invalid_input: failure.kind = Failure::Kind::invalid_input; break;
    case ErrorCode::not_found: failure.kind = Failure::Kind::not_found; break;
    case ErrorCode::invariant_violated:
      failure.kind = Failure::Kind::refused;
      failure.violation = error.where;
      break;
    // Who lost every race may try again: nothing changed.
    case ErrorCode::conflict:
    case ErrorCode::unavailable: failure.kind = Failure::Kind::unavailable; break;
    case ErrorCode::internal: failure.kind = Failure::Kind::internal; break;
  }
  return failure;
}

Failure failure_of(const facts::Refusal& refusal) {
  return {.kind = refusal.code == facts::RefusalCode::not_found ? Failure::Kind::not_found
                                                                : Failure::Kind::refused,
          .violation = std::string(name_of(refusal.code)),
          .message = refusal.message,
          .objections = refusal.objections};
}

} // namespace perdure::engine
