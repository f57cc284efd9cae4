// Flows of the tests, defined by lambdas.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "engine/flow_host.h"
#include "perdure/flow.h"

namespace perdure::engine {

/// The program of a coroutine that takes the flow, and the input if it wants it.
template <class Fn>
FlowCode code_of(std::string name, std::int64_t version, Fn fn) {
  return {
      .name = std::move(name), .version = version, .program = [fn](const Value& input) {
        return [fn, input](Flow& flow) -> Task<std::optional<Value>> {
          if constexpr (std::is_invocable_r_v<Task<void>, const Fn&, Flow&, Value>) {
            co_await fn(flow, input);
            co_return std::nullopt;
          } else if constexpr (std::is_invocable_v<const Fn&, Flow&, Value>) {
            co_return co_await fn(flow, input);
          } else if constexpr (std::is_same_v<std::invoke_result_t<const Fn&, Flow&>, Task<void>>) {
            co_await fn(flow);
            co_return std::nullopt;
          } else {
            co_return encode(co_await fn(flow));
          }
        };
      }};
}

} // namespace perdure::engine
