// Task<T>: what a coroutine of a flow returns. It begins when somebody awaits it, and ends with a
// value or with the exception that left it.
//
//   perdure::Task<int> twice(int number) { co_return 2 * number; }
//   int four = co_await twice(2);
//
// A coroutine takes its parameters by value: it may go on long after its caller's objects are gone.
// A parameter that is a reference is an error of the compiler, but for perdure::Flow&.
#pragma once

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13 && !defined(PERDURE_ANY_COMPILER)
#error "This g++ compiles coroutines wrongly. Compile flows with clang 19."
#endif

#include <coroutine>
#include <exception>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace perdure {

class Flow;
template <class T = void>
class Task;
namespace flow {
struct Branch;
}

namespace task {

/// What promises of all types share: who goes on at the end, and the branch of the flow.
struct Promise {
  std::coroutine_handle<> continuation = std::noop_coroutine();
  flow::Branch* branch = nullptr;

  struct Final {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Own>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Own> own) const noexcept {
      return own.promise().continuation;
    }
    void await_resume() const noexcept {}
  };

  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] Final final_suspend() const noexcept { return {}; }
};

template <class T>
struct ValuePromise : Promise {
  std::variant<std::monostate, T, std::exception_ptr> result;

  Task<T> get_return_object();
  template <class Given = T>
  void return_value(Given&& value) {
    result.template emplace<1>(std::forward<Given>(value));
  }
  void unhandled_exception() { result.template emplace<2>(std::current_exception()); }
  T take() {
    if (result.index() == 2) std::rethrow_exception(std::get<2>(std::move(result)));
    return std::get<1>(std::move(result));
  }
};

template <>
struct ValuePromise<void> : Promise {
  std::exception_ptr error;

  Task<void> get_return_object();
  void return_void() {}
  void unhandled_exception() { error = std::current_exception(); }
  void take() {
    if (error) std::rethrow_exception(std::exchange(error, nullptr));
  }
};

template <class T>
inline constexpr bool kIsFlow = std::is_same_v<std::remove_cvref_t<T>, Flow>;
/// What can be the object of a member function: no number, and no text.
template <class T>
inline constexpr bool kHasMembers =
    std::is_class_v<std::remove_cvref_t<T>> && !std::is_convertible_v<T, std::string_view>;
/// The object of a member function or of a lambda: the language passes it by reference.
template <class First, class... Rest>
inline constexpr bool kMayBeObject = false;
template <class First, class Second, class... Rest>
inline constexpr bool kMayBeObject<First, Second, Rest...> = kHasMembers<First> && kIsFlow<Second>;

/// What is awaited a second time.
template <class Awaited>
inline constexpr bool kAgain = false;

template <class... Args>
struct Parameters {
  static constexpr bool kOwned = true;
};
template <class First, class... Rest>
struct Parameters<First, Rest...> {
  template <class T>
  static constexpr bool kOwns = !std::is_reference_v<T> || kIsFlow<T>;
  // The object of a member function comes first, by reference: one that is not const can be no
  // temporary; one that is const is told from a parameter by what follows it.
  static constexpr bool kObject = std::is_lvalue_reference_v<First> && kHasMembers<First> &&
                                  !std::is_const_v<std::remove_reference_t<First>>;
  static constexpr bool kCallable = requires { &std::remove_cvref_t<First>::operator(); };
  static constexpr bool kOwned =
      (kOwns<First> || kObject || kCallable || kMayBeObject<First, Rest...>) &&
      (kOwns<Rest> && ...);
};

} // namespace task

/// A coroutine that has not begun or is under way; its end comes to who awaits it, once. Whoever
/// has the task owns the coroutine's frame. Not thread-safe.
template <class T>
class [[nodiscard("a task does nothing until it is awaited: co_await it")]] Task {
public:
  using promise_type = task::ValuePromise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  struct Awaiter {
    Handle handle;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Waiter>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Waiter> waiter) const noexcept {
      if constexpr (requires { waiter.promise().branch; }) {
        handle.promise().branch = waiter.promise().branch;
      }
      handle.promise().continuation = waiter;
      return handle;
    }
    T await_resume() const { return handle.promise().take(); }
  };
  Awaiter operator co_await() && noexcept { return Awaiter{handle_}; }
  template <class Own = Task>
  Awaiter operator co_await() & noexcept {
    static_assert(task::kAgain<Own>,
                  "A task is awaited once: co_await it where it is made, or "
                  "co_await std::move(task).");
    return Awaiter{handle_};
  }

  /// For who drives coroutines without awaiting them: runs it until it rests.
  void begin(flow::Branch* branch = nullptr) const {
    handle_.promise().branch = branch;
    handle_.resume();
  }
  [[nodiscard]] bool done() const { return handle_.done(); }
  /// Of a task that is done: its value, or its exception.
  T take() const { return handle_.promise().take(); }

private:
  Handle handle_;
};

template <class T>
Task<T> task::ValuePromise<T>::get_return_object() {
  return Task<T>(Task<T>::Handle::from_promise(*this));
}
inline Task<void> task::ValuePromise<void>::get_return_object() {
  return Task<void>(Task<void>::Handle::from_promise(*this));
}

} // namespace perdure

template <class T, class... Args>
struct std::coroutine_traits<perdure::Task<T>, Args...> {
  static_assert(perdure::task::Parameters<Args...>::kOwned,
                "A coroutine that returns perdure::Task takes a parameter by reference. What it "
                "refers to may be gone when the coroutine goes on: take it by value, or take a "
                "pointer to what outlives every run.");
  using promise_type = typename perdure::Task<T>::promise_type;
};
