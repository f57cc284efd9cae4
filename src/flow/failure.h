// Failure: what an exception says, as it is kept.
#pragma once

#include <exception>
#include <string>

namespace perdure::flow {

struct Failure {
  std::string name; ///< of a StepError its own, else the exception's type
  std::string message;
  bool retryable = true;
};

/// Of the exception that is being handled or was caught before.
[[nodiscard]] Failure failure_of(const std::exception_ptr& error);

} // namespace perdure::flow
