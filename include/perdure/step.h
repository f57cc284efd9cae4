// Step<T>: a durable step of a flow, as perdure::Flow makes it; it is asked for when it is awaited,
// and what it gave is kept for ever. Also what can become of it.
//
//   auto hold = co_await flow.run("reserve", [&] { return reserve(order); }); // throws StepFailed
//   auto paid = co_await flow.wait<Payment>("payment", "payment.received", {.timeout = 24h})
//                   .outcome();                                               // does not throw
//   if (paid.timed_out()) ...
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "perdure/api.h"
#include "perdure/convert.h"
#include "perdure/task.h"
#include "perdure/value.h"

namespace perdure {

/// How often a run is tried. The pause before attempt n + 1 is initial * factor^(n - 1), at most
/// `cap`.
struct RunOptions {
  std::int64_t max_attempts = 3;
  std::chrono::milliseconds initial{250};
  double factor = 2;
  std::chrono::milliseconds cap{10'000};
  std::vector<std::string> non_retryable{}; ///< names of errors after which nothing is tried again
};

struct WaitOptions {
  std::optional<std::chrono::milliseconds> timeout{};
};

/// What a callback throws to give its error a name; other exceptions are named by their type.
class PERDURE_API StepError : public std::runtime_error {
public:
  StepError(std::string name, const std::string& message)
      : std::runtime_error(message), name_(std::move(name)) {}
  [[nodiscard]] const std::string& name() const { return name_; }

private:
  std::string name_;
};

/// What a callback throws so that it is not tried again.
class PERDURE_API NonRetryable : public StepError {
public:
  explicit NonRetryable(const std::string& message, std::string name = "NonRetryable")
      : StepError(std::move(name), message) {}
};

/// A step did not succeed and will not be tried again. Uncaught it fails what the step is in.
class PERDURE_API StepFailed : public StepError {
public:
  StepFailed(std::string step, std::string name, const std::string& message)
      : StepError(std::move(name), message), step_(std::move(step)) {}
  [[nodiscard]] const std::string& step() const { return step_; }

private:
  std::string step_;
};

/// What a step waited for did not come in time.
class PERDURE_API TimedOut : public StepFailed {
public:
  explicit TimedOut(const std::string& step)
      : StepFailed(step, "TimedOut", "Step \"" + step + "\" waited in vain until its timeout.") {}
};

/// The flow, or the branch of it, is cancelled; every later step of it throws this too. It is no
/// std::exception: what catches errors does not catch it.
class PERDURE_API Cancelled{};

namespace flow {

class Machine;
struct Node;

/// Code that can be cancelled without what is around it.
struct Branch {
  Branch* parent = nullptr;
  bool cancelled = false;
};

/// Kinds of steps that code asks for.
enum class AskKind { run, sleep, wait, call };
constexpr auto enum_names(AskKind) {
  return std::array<std::string_view, 4>{"run", "sleep", "wait", "call"};
}

/// What code asks for.
struct Ask {
  AskKind kind = AskKind::run;
  std::string name;
  bool nested = false;                              ///< run: has steps of its own
  RunOptions retry{};                               ///< run
  std::string target{};                             ///< wait: the event; call: what is called
  std::optional<std::chrono::milliseconds> after{}; ///< sleep; timeout of a wait
  std::optional<std::chrono::sys_time<std::chrono::milliseconds>> at{}; ///< sleep until then
  std::optional<Value> input{};                                         ///< call
  std::string call_id{}; ///< call: of the child; may be empty
};

/// How a step ended.
struct Ending {
  enum class Kind { succeeded, failed, timed_out, cancelled };
  Kind kind = Kind::succeeded;
  std::optional<Value> value{}; ///< succeeded: JSON null and nothing are two things
  std::string error_name{};     ///< failed
  std::string error_message{};  ///< failed
};

/// A step that code waits for, between the coroutine that does and the run. Stands still in memory.
class PERDURE_API Operation {
public:
  using Work = std::function<std::optional<Value>(std::stop_token)>;
  using Nested = std::function<Task<std::optional<Value>>(Flow&)>;

  Operation(Machine& machine, Node* parent, Ask ask);
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation();

  /// Keeps what the step gave in the type of who waits. Throws BadValue.
  virtual void accept(const Ending& ending);
  /// From a coroutine: false when the ending is known already.
  [[nodiscard]] bool begin(std::coroutine_handle<> waiter, Branch* branch);
  /// Of a step that is over: throws unless it succeeded.
  void raise() const;

  Machine* machine;
  Node* parent; ///< the run that the step is in; none: the flow
  Node* node = nullptr;
  Ask ask;
  Work work;
  Nested nested;
  Branch* branch = nullptr;
  std::coroutine_handle<> waiter;
  Ending ending;
};

template <class T>
class TypedOperation final : public Operation {
public:
  using Operation::Operation;
  void accept(const Ending& given) override {
    Operation::accept(given);
    if (given.kind != Ending::Kind::succeeded) return;
    if constexpr (std::is_same_v<T, std::optional<Value>>) {
      value = given.value;
    } else if constexpr (!std::is_void_v<T>) {
      if (!given.value) throw BadValue("the step gave nothing, where a value is expected");
      value = decode<T>(*given.value);
    }
  }
  std::optional<std::conditional_t<std::is_void_v<T>, std::monostate, T>> value;
};

/// The branch that a coroutine is in, so that it can be cancelled without the others.
template <class Promise>
Branch* branch_of(std::coroutine_handle<Promise> handle) {
  constexpr bool in_task = requires(Promise promise) { promise.branch; };
  static_assert(in_task,
                "A step of a flow can be awaited in a coroutine that returns "
                "perdure::Task, and nowhere else.");
  if constexpr (in_task) {
    return handle.promise().branch;
  } else {
    return nullptr;
  }
}

template <class T>
struct StepAwaiter {
  std::unique_ptr<TypedOperation<T>> operation;
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> waiter) {
    return operation->begin(waiter, branch_of(waiter));
  }
};

} // namespace flow

/// What became of a step.
template <class T>
class Outcome {
public:
  explicit Outcome(std::unique_ptr<flow::TypedOperation<T>> operation)
      : operation_(std::move(operation)) {
    if (operation_->ending.kind == flow::Ending::Kind::cancelled) throw Cancelled();
  }

  [[nodiscard]] bool succeeded() const { return kind() == flow::Ending::Kind::succeeded; }
  [[nodiscard]] bool failed() const { return kind() == flow::Ending::Kind::failed; }
  [[nodiscard]] bool timed_out() const { return kind() == flow::Ending::Kind::timed_out; }
  [[nodiscard]] const std::string& error_name() const { return operation_->ending.error_name; }
  [[nodiscard]] const std::string& error_message() const {
    return operation_->ending.error_message;
  }
  /// What the step gave. Throws what co_await would have thrown.
  T value() && {
    operation_->raise();
    if constexpr (!std::is_void_v<T>) return *std::move(operation_->value);
  }

private:
  [[nodiscard]] flow::Ending::Kind kind() const { return operation_->ending.kind; }
  std::unique_ptr<flow::TypedOperation<T>> operation_;
};

template <class T>
class [[nodiscard("a step is taken when it is awaited: co_await it")]] Step {
public:
  explicit Step(std::unique_ptr<flow::TypedOperation<T>> operation)
      : operation_(std::move(operation)) {}

  struct Awaiter : flow::StepAwaiter<T> {
    T await_resume() {
      this->operation->raise();
      if constexpr (!std::is_void_v<T>) return *std::move(this->operation->value);
    }
  };
  Awaiter operator co_await() && { return Awaiter{{std::move(operation_)}}; }
  template <class Own = Step>
  Awaiter operator co_await() & {
    static_assert(task::kAgain<Own>,
                  "A step is awaited once: co_await it where it is made, or "
                  "co_await std::move(step).");
    return std::move(*this).operator co_await();
  }

  /// The same step, awaited without an exception for its failure or timeout.
  class [[nodiscard("a step is taken when it is awaited: co_await it")]] AsOutcome {
  public:
    explicit AsOutcome(std::unique_ptr<flow::TypedOperation<T>> operation)
        : operation_(std::move(operation)) {}
    struct Awaiter : flow::StepAwaiter<T> {
      Outcome<T> await_resume() { return Outcome<T>(std::move(this->operation)); }
    };
    Awaiter operator co_await() && { return Awaiter{{std::move(operation_)}}; }

  private:
    std::unique_ptr<flow::TypedOperation<T>> operation_;
  };
  AsOutcome outcome() && { return AsOutcome(std::move(operation_)); }

private:
  std::unique_ptr<flow::TypedOperation<T>> operation_;
};

} // namespace perdure
