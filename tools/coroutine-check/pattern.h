// What the patterns of the coroutine check share: a value that counts its lives, and a miniature of
// perdure::Flow whose steps suspend as the real ones do. The coroutines return the real
// perdure::Task. Each file of patterns/ has a function `check` in the namespace of its name; `run`
// makes a program of them.
#pragma once

#define PERDURE_ANY_COMPILER // what this compiler makes of coroutines is just the question

#include <coroutine>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "perdure/task.h"

namespace coroutine_check {

/// Ends the program: the pattern is compiled wrongly.
[[noreturn]] inline void fail(const char* what) {
  std::printf("%s\n", what);
  std::fflush(stdout);
  std::_Exit(1);
}
inline void expect(bool holds, const char* what) {
  if (!holds) fail(what);
}

/// Too long for the buffer of a small string: memory that is freed twice is noticed.
inline const std::string kText = "a text that is too long for the buffer of a small string";

/// A value like an order or a string. Knows where it was made: one that is destroyed twice, or at
/// another place than that where it was made, ends the program.
class Counted {
public:
  Counted(std::string value = kText) : text(std::move(value)), self_(this) { ++live; }
  Counted(const char* value) : Counted(std::string(value)) {}
  Counted(const Counted& other) : text(other.alive().text), self_(this) { ++live; }
  Counted(Counted&& other) noexcept : text(std::move(other.alive().text)), self_(this) { ++live; }
  Counted& operator=(const Counted& other) {
    text = other.alive().text;
    return alive();
  }
  Counted& operator=(Counted&& other) noexcept {
    text = std::move(other.alive().text);
    return alive();
  }
  ~Counted() {
    if (self_ != this) fail("an object is destroyed twice, or is not where it was made");
    self_ = nullptr;
    --live;
    ended.push_back(std::move(text));
  }

  std::string text;
  static inline int live = 0;                   ///< made and not destroyed
  static inline std::vector<std::string> ended; ///< the texts of the destroyed ones, in order

private:
  const Counted& alive() const {
    if (self_ != this) fail("an object is used that is destroyed, or is not where it was made");
    return *this;
  }
  Counted& alive() { return const_cast<Counted&>(std::as_const(*this).alive()); }

  const Counted* volatile self_;
};

/// The coroutines that rest, in the order in which they will go on.
inline std::deque<std::coroutine_handle<>> resting;

/// Rests once, then gives the value that it owns.
template <class T>
struct Later {
  T value;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) { resting.push_back(waiter); }
  T await_resume() { return std::move(value); }
};
template <class T>
Later<T> later(T value) {
  return {std::move(value)};
}

/// Rests once, then gives what the function gives that it owns.
template <class Fn>
struct Owner {
  Fn function;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) { resting.push_back(waiter); }
  auto await_resume() { return function(); }
};
template <class Fn>
Owner<Fn> own(Fn function) {
  return {std::move(function)};
}

/// A step: what is awaited is on the heap, as in perdure::Step.
template <class T>
class [[nodiscard]] Step {
public:
  using Work = std::function<T()>;
  explicit Step(std::unique_ptr<Work> work) : work_(std::move(work)) {}

  struct Awaiter {
    std::unique_ptr<Work> work;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) const { resting.push_back(waiter); }
    T await_resume() { return (*work)(); }
  };
  Awaiter operator co_await() && { return Awaiter{std::move(work_)}; }

private:
  std::unique_ptr<Work> work_;
};

struct RunOptions {
  int max_attempts = 3;
  Counted note{};
  std::vector<std::string> non_retryable{};
};

template <class T>
using Plain = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
template <class T>
struct Slot {
  std::optional<T> value;
  std::exception_ptr error;
};

/// Counts branches that are under way; rests until none is.
struct Gather {
  std::size_t open = 0;
  std::coroutine_handle<> waiter;

  [[nodiscard]] bool await_ready() const noexcept { return open == 0; }
  void await_suspend(std::coroutine_handle<> own) noexcept { waiter = own; }
  void await_resume() const noexcept {}
  void arrived() {
    if (--open == 0 && waiter) resting.push_back(waiter);
  }
};

/// The coroutine of one branch: begins at once.
class Arrival {
public:
  struct promise_type {
    Arrival get_return_object() {
      return Arrival(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() const noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };

  explicit Arrival(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Arrival(Arrival&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;
  Arrival& operator=(Arrival&&) = delete;
  ~Arrival() {
    if (handle_) handle_.destroy();
  }

private:
  std::coroutine_handle<promise_type> handle_;
};

template <class A, class T>
Arrival arrive(A branch, Slot<T>& slot, Gather& gather) {
  ++gather.open;
  try {
    slot.value.emplace(co_await branch());
  } catch (...) {
    slot.error = std::current_exception();
  }
  gather.arrived();
}

} // namespace coroutine_check

namespace perdure {

class Flow {
public:
  /// A callback, which may be a coroutine that takes a Flow.
  template <class Fn>
  auto run(std::string name, Fn callback, coroutine_check::RunOptions options = {}) {
    names.push_back(std::move(name));
    coroutine_check::expect(options.note.text.size() > 1, "the options of a step are lost");
    if constexpr (std::is_invocable_v<Fn&, Flow&>) {
      return nest(*this, std::move(callback));
    } else {
      using T = std::invoke_result_t<Fn&>;
      using Work = typename coroutine_check::Step<T>::Work;
      auto shared = std::make_shared<Fn>(std::move(callback)); // it may be of one owner only
      return coroutine_check::Step<T>(std::make_unique<Work>([shared] { return (*shared)(); }));
    }
  }
  coroutine_check::Step<std::string> run_erased(std::string name,
                                                std::function<std::string()> callback) {
    return run(std::move(name), std::move(callback));
  }
  coroutine_check::Step<std::size_t> run_list(std::vector<std::string> list = {"one", "two"}) {
    return run("list", [list = std::move(list)] { return list.size(); });
  }
  coroutine_check::Step<std::string> run_options(coroutine_check::RunOptions options) {
    return run("options", [options = std::move(options)] {
      return options.note.text + std::to_string(options.max_attempts);
    });
  }
  /// What two callables that give tasks give.
  template <class A, class B>
  Task<std::pair<std::string, std::string>> all(A first, B second) {
    coroutine_check::Slot<std::string> one;
    coroutine_check::Slot<std::string> two;
    coroutine_check::Gather gather;
    const auto a = coroutine_check::arrive(std::move(first), one, gather);
    const auto b = coroutine_check::arrive(std::move(second), two, gather);
    co_await gather;
    if (one.error) std::rethrow_exception(one.error);
    if (two.error) std::rethrow_exception(two.error);
    co_return std::pair(*std::move(one.value), *std::move(two.value));
  }

  std::vector<std::string> names; ///< of the steps, as they were asked for

private:
  template <class Fn>
  static auto nest(Flow& flow, Fn callback) -> std::invoke_result_t<Fn&, Flow&> {
    co_return co_await callback(flow);
  }
};

} // namespace perdure

namespace coroutine_check {

using perdure::Flow;
using perdure::Task;

/// Lets what rests go on until the task is done; what it gave.
template <class T>
T drive(Task<T> task) {
  task.begin();
  while (!task.done()) {
    expect(!resting.empty(), "a coroutine rests for ever");
    const auto next = resting.front();
    resting.pop_front();
    next.resume();
  }
  return task.take();
}

/// The same for a coroutine and its arguments.
template <class T, class... Parameters, class... Args>
T finish(Task<T> (*coroutine)(Flow&, Parameters...), Args&&... args) {
  Flow flow;
  return drive(coroutine(flow, std::forward<Args>(args)...));
}

struct Pattern {
  const char* name;
  void (*check)();
};

/// Checks the pattern of that name; the exit code of the program.
inline int check_pattern(std::initializer_list<Pattern> patterns, const char* name) {
  for (const auto& pattern : patterns) {
    if (std::strcmp(pattern.name, name) != 0) continue;
    try {
      pattern.check();
    } catch (const std::exception& error) {
      fail(error.what());
    }
    expect(Counted::live == 0, "an object is never destroyed");
    return 0;
  }
  fail("there is no such pattern");
}

} // namespace coroutine_check
