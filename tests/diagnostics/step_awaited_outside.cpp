// A step is awaited in a coroutine that is none of a flow.
// error: A step of a flow can be awaited in a coroutine that returns perdure::Task
#include "perdure/flow.h"

namespace {

struct Other {
  struct promise_type {
    Other get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
[[maybe_unused]] Other fulfil(perdure::Flow& flow) {
  co_await flow.sleep("nap", std::chrono::seconds(1));
}

} // namespace
