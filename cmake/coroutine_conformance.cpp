// Does this compiler compile coroutines right? CMake builds and runs this program before anything
// else. Some compilers destroy a temporary of a co_await expression twice, or lay out the coroutine
// frame wrongly; durable flows are made of exactly these expressions, so such a compiler is
// refused. The program counts constructions and destructions. It prints what is wrong and exits
// with 1.
#include <coroutine>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

namespace {

int live = 0;   ///< objects alive now; must be zero between two checks
int failed = 0; ///< checks that did not hold

/// A value with a non-trivial copy, as a captured order or string would be.
struct Counted {
  std::string text;

  explicit Counted(std::string value) : text(std::move(value)) { ++live; }
  Counted(const Counted& other) : text(other.text) { ++live; }
  Counted(Counted&& other) noexcept : text(std::move(other.text)) { ++live; }
  Counted& operator=(const Counted&) = default;
  Counted& operator=(Counted&&) = default;
  ~Counted() { --live; }
};

/// Starts at once, keeps its frame until destroyed.
struct Task {
  struct promise_type {
    Task get_return_object() {
      return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };

  std::coroutine_handle<promise_type> handle;

  explicit Task(std::coroutine_handle<promise_type> value) : handle(value) {}
  Task(Task&& other) noexcept : handle(std::exchange(other.handle, {})) {}
  ~Task() {
    if (handle) handle.destroy();
  }
};

std::coroutine_handle<> waiting; ///< the coroutine that rests at an await

/// Suspends; after resumption the await yields what the function returns.
template <class Function>
struct Run {
  Function function;

  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) { waiting = handle; }
  auto await_resume() { return function(); }
};

template <class Function>
Run<Function> run(const char*, Function function) {
  return {std::move(function)};
}

struct Options {
  Counted name{"default"};
  int attempts = 3;
};

auto run_with(Options options) {
  return run("options", [options = std::move(options)] { return options.name.text; });
}

void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("miscompiled: %s\n", what);
  ++failed;
}

Task captured_lambda(std::string& result) {
  const Counted order("a text that is too long for the small string buffer");
  result = co_await run("charge", [order] { return order.text; });
}

Task aggregate_argument(std::string& result) {
  result = co_await run_with(
      {.name = Counted("an aggregate with a text of some length"), .attempts = 1});
}

bool body_ran = false;

Task await_in_condition() {
  if (co_await run("condition", [] { return true; })) body_ran = true;
}

/// Resumes the coroutine at its one await and destroys it.
template <class Coroutine>
void drive(Coroutine coroutine) {
  const Task task = coroutine();
  waiting.resume();
}

} // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IONBF, 0); // what is printed stays, even when the program crashes
  std::string result;
  drive([&] { return captured_lambda(result); });
  check(result.starts_with("a text") && live == 0, "co_await f(\"x\", [captured] { ... })");
  drive([&] { return aggregate_argument(result); });
  check(result.starts_with("an aggregate") && live == 0, "co_await f({.name = ...})");
  drive([] { return await_in_condition(); });
  check(body_ran, "if (co_await ...)");
  return failed == 0 ? 0 : 1;
}
