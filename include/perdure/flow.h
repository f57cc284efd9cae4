// Flow: what a durable workflow sees of its own run. A flow is a coroutine; each step that it
// awaits is kept in the database, so that it goes on where it was after a crash, in another
// process, months later.
//
//   perdure::Task<Receipt> fulfil(perdure::Flow& flow, Order order) {
//     auto hold = co_await flow.run("reserve-inventory", [&] { return reserve(order); });
//     co_await flow.sleep("payment-window", 1min);
//     auto paid = co_await flow.wait<Payment>("capture-payment", "payment.received",
//                                             {.timeout = 24h});
//     co_await flow.run("fulfil", [&] { return ship(order, paid); }, {.max_attempts = 5});
//     co_return Receipt{order.id};
//   }
//
// After an interruption the coroutine runs again from its beginning and is answered from what is
// kept. So its own code does the same each time: what is different from one time to the next (the
// world, the clock, chance) is asked for in `run`, `now`, `random` and `uuid`. Each step has a name
// of its own in the run; in a loop the name carries the count.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "perdure/api.h"
#include "perdure/engine.h"
#include "perdure/gather.h"
#include "perdure/step.h"

namespace perdure {

namespace flow {

template <class T>
inline constexpr bool kIsTask = false;
template <class T>
inline constexpr bool kIsTask<Task<T>> = true;
template <class T>
struct TaskValue {
  using type = T;
};
template <class T>
struct TaskValue<Task<T>> {
  using type = T;
};

/// How a callback of `run` is called.
template <class Fn>
concept Nesting = std::invocable<Fn&, Flow&>;
template <class Fn>
concept Stoppable = std::invocable<Fn&, std::stop_token>;
template <class Fn>
concept Callback = Nesting<Fn> || Stoppable<Fn> || std::invocable<Fn&>;

template <class Fn>
auto result_of() {
  if constexpr (Nesting<Fn>) {
    return std::type_identity<std::invoke_result_t<Fn&, Flow&>>();
  } else if constexpr (Stoppable<Fn>) {
    return std::type_identity<std::invoke_result_t<Fn&, std::stop_token>>();
  } else if constexpr (std::invocable<Fn&>) {
    return std::type_identity<std::invoke_result_t<Fn&>>();
  } else {
    return std::type_identity<void>(); // the compiler has said what is wrong
  }
}
template <class Fn>
inline constexpr bool kGivesTask = kIsTask<typename decltype(result_of<Fn>())::type>;
/// What the callback gives in the end; a task's is what it ends with.
template <class Fn>
using ResultOf =
    std::remove_cvref_t<typename TaskValue<typename decltype(result_of<Fn>())::type>::type>;

template <class T, class Get>
std::optional<Value> kept(Get&& get) {
  if constexpr (std::is_void_v<T>) {
    get();
    return std::nullopt;
  } else if constexpr (std::is_same_v<T, std::optional<Value>>) {
    return get();
  } else {
    return encode<T>(get());
  }
}

} // namespace flow

/// Belongs to one run and is good as long as its coroutine. Of one coroutine at a time: not for
/// other threads, and not for the inside of a plain callback.
class PERDURE_API Flow {
public:
  Flow(flow::Machine& machine, flow::Node* parent) : machine_(&machine), parent_(parent) {}
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  /// Does something in the world, once: the callback is called until it succeeds or its attempts
  /// are used up, and its result is kept. A plain callback runs on a pool thread and may block; it
  /// may take a std::stop_token that tells when nobody wants its result any more. One that takes
  /// `Flow&` and returns a Task is a coroutine with steps of its own.
  template <class Fn>
  [[nodiscard]] auto run(std::string name, Fn callback, RunOptions options = {}) {
    static_assert(flow::Callback<Fn>,
                  "The callback of a run takes nothing, a std::stop_token, or a perdure::Flow&.");
    static_assert(flow::Nesting<Fn> || !flow::kGivesTask<Fn>,
                  "A callback that returns a perdure::Task takes a perdure::Flow& for its steps.");
    using Result = flow::ResultOf<Fn>;
    auto operation = operation_of<Result>({.kind = flow::AskKind::run,
                                           .name = std::move(name),
                                           .nested = flow::Nesting<Fn>,
                                           .retry = std::move(options)});
    if constexpr (flow::Nesting<Fn>) {
      using Coroutine = std::invoke_result_t<Fn&, Flow&>;
      static_assert(flow::kIsTask<Coroutine>,
                    "A callback that takes a perdure::Flow& returns a perdure::Task.");
      if constexpr (flow::kIsTask<Coroutine>) {
        operation->nested = nest<Result>(std::move(callback));
      }
    } else if constexpr (flow::Callback<Fn> && !flow::kGivesTask<Fn>) {
      operation->work = work<Result>(std::move(callback));
    }
    return Step<Result>(std::move(operation));
  }

  [[nodiscard]] Step<void> sleep(std::string name, std::chrono::milliseconds duration);
  [[nodiscard]] Step<void> sleep(std::string name,
                                 std::chrono::sys_time<std::chrono::milliseconds> until);

  /// Waits for an event of that name to this run; T is its payload. std::optional<Value> tells
  /// an event without payload from one whose payload is null.
  template <class T = void>
  [[nodiscard]] Step<T> wait(std::string name, std::string event, WaitOptions options = {}) {
    return Step<T>(operation_of<T>({.kind = flow::AskKind::wait,
                                    .name = std::move(name),
                                    .target = std::move(event),
                                    .after = options.timeout}));
  }

  /// Starts a flow or a BPMN process and waits for its end. `id` is the child's own; without one it
  /// follows from this run and the name of the step.
  template <class T = void, class Input = Object>
  [[nodiscard]] Step<T> call(std::string name, std::string process, const Input& input = {},
                             std::string id = {}) {
    return Step<T>(operation_of<T>({.kind = flow::AskKind::call,
                                    .name = std::move(name),
                                    .target = std::move(process),
                                    .input = encode(input),
                                    .call_id = std::move(id)}));
  }

  /// Steps, tasks and callables that return tasks, side by side: what each gave, in their order.
  /// The first that fails cancels the others, and is thrown when they have ended.
  template <class... A>
  [[nodiscard]] auto all(A... branches) {
    return flow::gather_all(machine_, std::move(branches)...);
  }
  template <class A>
  [[nodiscard]] auto all(std::vector<A> branches) {
    return flow::gather_list(machine_, std::move(branches));
  }
  /// The first that ends, well or not, is what counts; the others are cancelled, and have ended
  /// when this one does.
  template <class... A>
  [[nodiscard]] auto any(A... branches) {
    return flow::gather_any(machine_, std::move(branches)...);
  }
  /// Likewise: which one, and what it gave.
  template <class A>
  [[nodiscard]] auto any(std::vector<A> branches) {
    return flow::gather_first(machine_, std::move(branches));
  }

  /// The time, the same whenever this place of the run is passed again.
  [[nodiscard]] std::chrono::sys_time<std::chrono::milliseconds> now();
  /// Chance, likewise: 64 even bits.
  [[nodiscard]] std::uint64_t random();
  /// A random UUID (RFC 9562, version 4), likewise.
  [[nodiscard]] std::string uuid();
  /// Written once, however often this place is passed again.
  void log(std::string text);
  /// What runs of this kind are searched by.
  template <class T>
  void set_attribute(std::string name, const T& value) {
    set_attribute_value(std::move(name), encode(value));
  }
  /// True in runs that come here for the first time since the change of that name; false in those
  /// that passed here before it.
  [[nodiscard]] bool patched(const std::string& name);

  /// What undoes what was done so far. When the flow fails or is cancelled, the callbacks run as
  /// steps of these names, the last first. The callback owns what it needs: by then the variables
  /// of the coroutine are gone.
  template <class Fn>
  void compensate(std::string name, Fn callback, RunOptions options = {}) {
    constexpr bool plain = std::invocable<Fn&> && !flow::kGivesTask<Fn>;
    static_assert(plain, "What undoes something takes nothing, and is no coroutine.");
    if constexpr (plain) {
      add_compensation(std::move(name), work<flow::ResultOf<Fn>>(std::move(callback)),
                       std::move(options));
    }
  }

  /// Ends this run and begins the next one of the same name, with a history of its own.
  template <class Input>
  [[nodiscard]] Task<void> continue_as_new(const Input& input) {
    return continue_with(encode(input));
  }

private:
  template <class T>
  std::unique_ptr<flow::TypedOperation<T>> operation_of(flow::Ask ask) {
    return std::make_unique<flow::TypedOperation<T>>(*machine_, parent_, std::move(ask));
  }
  template <class T, class Fn>
  static flow::Operation::Work work(Fn callback) {
    // Shared, since std::function copies and a callback need not.
    auto shared = std::make_shared<Fn>(std::move(callback));
    return [shared](const std::stop_token& stop) -> std::optional<Value> {
      if constexpr (flow::Stoppable<Fn>) {
        return flow::kept<T>([&] { return (*shared)(stop); });
      } else {
        return flow::kept<T>([&] { return (*shared)(); });
      }
    };
  }
  template <class T, class Fn>
  static flow::Operation::Nested nest(Fn callback) {
    auto shared = std::make_shared<Fn>(std::move(callback));
    return [shared](Flow& inner) { return keep<T>(shared, (*shared)(inner)); };
  }
  template <class T, class Fn>
  static Task<std::optional<Value>> keep(std::shared_ptr<Fn> alive, Task<T> task) {
    (void)alive;
    if constexpr (std::is_void_v<T>) {
      co_await std::move(task);
      co_return std::nullopt;
    } else {
      auto result = co_await std::move(task);
      co_return flow::kept<T>([&] { return std::move(result); });
    }
  }
  void set_attribute_value(std::string name, Value value);
  void add_compensation(std::string name, flow::Operation::Work work, RunOptions options);
  Task<void> continue_with(Value input);

  flow::Machine* machine_;
  flow::Node* parent_;
};

// ---- flows and the engine ---------------------------------------------------------------------

/// The code of a flow: for the input of a run, an object of variables, its coroutine.
struct FlowProgram {
  using Coroutine = std::function<Task<std::optional<Value>>(Flow&)>;
  std::function<Coroutine(const Value& input)> begin;
};

namespace flow {

template <class Signature>
struct Signed {
  static constexpr bool kIsFlow = false;
};
template <class R>
struct Signed<Task<R> (*)(Flow&)> {
  static constexpr bool kIsFlow = true;
  static constexpr bool kByValue = true;
  using Result = R;
  using Input = void;
};
template <class R, class In>
struct Signed<Task<R> (*)(Flow&, In)> {
  static constexpr bool kIsFlow = true;
  static constexpr bool kByValue = !std::is_reference_v<In> && !std::is_pointer_v<In>;
  using Result = R;
  using Input = In;
};

template <auto coroutine>
Task<typename Signed<decltype(coroutine)>::Result> run_coroutine(Flow& flow, Value variables) {
  using Input = typename Signed<decltype(coroutine)>::Input;
  if constexpr (std::is_void_v<Input>) {
    (void)variables;
    return coroutine(flow);
  } else {
    return coroutine(flow, decode<Input>(convert::unwrapped(variables, "input")));
  }
}

template <auto coroutine>
FlowProgram program_of() {
  using Result = typename Signed<decltype(coroutine)>::Result;
  return {[](const Value& input) -> FlowProgram::Coroutine {
    return [input](Flow& flow) -> Task<std::optional<Value>> {
      if constexpr (std::is_void_v<Result>) {
        co_await run_coroutine<coroutine>(flow, input);
        co_return std::nullopt;
      } else {
        auto result = co_await run_coroutine<coroutine>(flow, input);
        co_return kept<Result>([&] { return std::move(result); });
      }
    };
  }};
}

} // namespace flow

template <auto coroutine>
void Engine::define(std::string name, std::int64_t version) {
  define<coroutine>(std::move(name), FlowOptions{.version = version});
}

template <auto coroutine>
void Engine::define(std::string name, FlowOptions options) {
  using Signature = flow::Signed<decltype(coroutine)>;
  static_assert(Signature::kIsFlow,
                "A flow is a function perdure::Task<Result> f(perdure::Flow& flow, Input input), "
                "or one without input.");
  if constexpr (Signature::kIsFlow) {
    static_assert(Signature::kByValue,
                  "A flow takes its input by value: it goes on long after its caller is gone.");
    if constexpr (Signature::kByValue) {
      define_flow(std::move(name), options, flow::program_of<coroutine>());
    }
  }
}

template <class Input>
  requires(!std::is_same_v<Input, Value> && !std::is_same_v<Input, Object>)
Result<std::int64_t> Engine::start(const std::string& flow, const Input& input,
                                   StartOptions options) {
  return start(flow, convert::wrapped(encode(input), "input"), std::move(options));
}

template <class Input>
  requires(!std::is_same_v<Input, Value> && !std::is_same_v<Input, Object>)
Result<void> Engine::schedule(const std::string& name, const std::string& flow, const Input& input,
                              ScheduleOptions options) {
  return schedule(name, flow, convert::wrapped(encode(input), "input"), std::move(options));
}

template <class Payload>
Result<void> Engine::send(std::int64_t flow_id, const std::string& event, const Payload& payload,
                          std::optional<std::string> message_id) {
  return send_event(flow_id, event, convert::wrapped(encode(payload), "payload"),
                    std::move(message_id));
}

template <class T>
Result<T> Engine::result(std::int64_t flow_id, std::chrono::milliseconds limit) {
  auto value = output(flow_id, limit);
  if (!value) return Failure(value.error());
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    if (!*value) return fail(ErrorCode::conflict, "The flow gave nothing.");
    try {
      return decode<T>(**value);
    } catch (const BadValue& bad) {
      return fail(ErrorCode::conflict, bad.what());
    }
  }
}

} // namespace perdure
