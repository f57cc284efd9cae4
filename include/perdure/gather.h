// Branches of a flow that run side by side: what Flow::all and Flow::any are made of. Each branch
// is a coroutine of its own that can be cancelled; whoever started them goes on when all have
// ended.
#pragma once

#include <array>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <deque>
#include <exception>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "perdure/api.h"
#include "perdure/step.h"
#include "perdure/task.h"

namespace perdure::flow {

/// Counts the branches that have ended. Lives in the frame of the coroutine that waits.
class PERDURE_API Gather {
public:
  enum class Rule { all, first };
  Gather(Machine& machine, Branch* parent, Rule rule)
      : machine_(machine), parent_(parent), rule_(rule) {}
  Gather(const Gather&) = delete;
  Gather& operator=(const Gather&) = delete;

  /// One more branch; its number is how many there were before.
  Branch* add();
  /// The branch has ended. What the rule says of the others is done.
  void arrived(std::size_t number, bool failed);
  /// The branch that counts: the first that ended or, of all, the first that failed.
  [[nodiscard]] std::optional<std::size_t> decisive() const { return decisive_; }

  [[nodiscard]] bool await_ready() const noexcept { return ended_ == branches_.size(); }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { waiter_ = waiter; }
  void await_resume() const noexcept {}

private:
  Machine& machine_;
  Branch* parent_;
  Rule rule_;
  std::deque<Branch> branches_;
  std::size_t ended_ = 0;
  std::optional<std::size_t> decisive_;
  std::coroutine_handle<> waiter_;
};

/// The branch of the coroutine that awaits it.
struct CurrentBranch {
  Branch* branch = nullptr;
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> own) noexcept {
    branch = own.promise().branch;
    return false;
  }
  [[nodiscard]] Branch* await_resume() const noexcept { return branch; }
};

template <class A>
auto awaited_of() {
  constexpr bool awaitable = requires(A&& branch) { std::move(branch).operator co_await(); };
  static_assert(awaitable || std::invocable<A&>,
                "A branch is a step, a task, or a callable that returns a task.");
  if constexpr (awaitable) {
    return std::type_identity<decltype(std::declval<A>().operator co_await().await_resume())>();
  } else if constexpr (std::invocable<A&>) {
    return awaited_of<std::invoke_result_t<A&>>();
  } else {
    return std::type_identity<void>();
  }
}
/// What a branch gives.
template <class A>
using Awaited = typename decltype(awaited_of<A>())::type;
/// The same where void cannot stand.
template <class T>
using Plain = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T>
struct Slot {
  std::optional<Plain<T>> value;
  std::exception_ptr error;
};

/// The coroutine of one branch: begins at once and tells its gathering when it ends.
class Arrival {
public:
  struct promise_type {
    template <class A, class T>
    promise_type(A&, Slot<T>&, Gather&, std::size_t, Branch* own) : branch(own) {}
    Branch* branch;
    Arrival get_return_object() {
      return Arrival(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    [[nodiscard]] std::suspend_never initial_suspend() const noexcept { return {}; }
    [[nodiscard]] std::suspend_always final_suspend() const noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); } // what the branch throws is in its slot
  };

  explicit Arrival(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Arrival(Arrival&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Arrival& operator=(Arrival&&) = delete;
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;
  ~Arrival() {
    if (handle_) handle_.destroy();
  }

private:
  std::coroutine_handle<promise_type> handle_;
};

// The slot and the gathering belong to the coroutine that owns this one.
template <class A, class T>
Arrival arrive(A branch, Slot<T>& slot, Gather& gather, std::size_t number, Branch*) {
  try {
    if constexpr (std::invocable<A&> && std::is_void_v<T>) {
      co_await branch();
      slot.value.emplace();
    } else if constexpr (std::invocable<A&>) {
      slot.value.emplace(co_await branch());
    } else if constexpr (std::is_void_v<T>) {
      co_await std::move(branch);
      slot.value.emplace();
    } else {
      slot.value.emplace(co_await std::move(branch));
    }
  } catch (...) {
    slot.error = std::current_exception();
  }
  gather.arrived(number, slot.error != nullptr);
}

template <class A>
Arrival begin(A branch, Slot<Awaited<A>>& slot, Gather& gather, std::size_t number) {
  return arrive<A, Awaited<A>>(std::move(branch), slot, gather, number, gather.add());
}

template <class... A>
Task<std::tuple<Plain<Awaited<A>>...>> gather_all(Machine* machine, A... branches) {
  static_assert(sizeof...(A) > 0, "There is nothing to wait for.");
  std::tuple<Slot<Awaited<A>>...> slots;
  Gather gather(*machine, co_await CurrentBranch(), Gather::Rule::all);
  const auto arrivals = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<Arrival, sizeof...(A)>{
        begin(std::move(branches), std::get<I>(slots), gather, I)...};
  }(std::index_sequence_for<A...>());
  co_await gather;
  const auto check = [](const auto& slot, bool counts) {
    if (counts && slot.error) std::rethrow_exception(slot.error);
  };
  std::size_t place = 0;
  std::apply([&](const auto&... slot) { (check(slot, gather.decisive() == place++), ...); }, slots);
  co_return std::apply([](auto&... slot) { return std::tuple(*std::move(slot.value)...); }, slots);
}

template <class... A>
Task<std::variant<Plain<Awaited<A>>...>> gather_any(Machine* machine, A... branches) {
  static_assert(sizeof...(A) > 0, "There is nothing to wait for.");
  using Result = std::variant<Plain<Awaited<A>>...>;
  std::tuple<Slot<Awaited<A>>...> slots;
  Gather gather(*machine, co_await CurrentBranch(), Gather::Rule::first);
  const auto arrivals = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<Arrival, sizeof...(A)>{
        begin(std::move(branches), std::get<I>(slots), gather, I)...};
  }(std::index_sequence_for<A...>());
  co_await gather;
  std::optional<Result> result;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto take = [&]<std::size_t Index>(std::integral_constant<std::size_t, Index>) {
      auto& slot = std::get<Index>(slots);
      if (gather.decisive() != Index) return;
      if (slot.error) std::rethrow_exception(slot.error);
      result.emplace(std::in_place_index<Index>, *std::move(slot.value));
    };
    (take(std::integral_constant<std::size_t, I>()), ...);
  }(std::index_sequence_for<A...>());
  co_return *std::move(result);
}

/// The branches of a list, begun one after the other.
template <class A>
std::vector<Arrival> begin_all(std::vector<A> branches, std::deque<Slot<Awaited<A>>>& slots,
                               Gather& gather) {
  std::vector<Arrival> arrivals;
  arrivals.reserve(branches.size());
  for (auto& branch : branches) {
    slots.emplace_back();
    arrivals.push_back(begin(std::move(branch), slots.back(), gather, arrivals.size()));
  }
  return arrivals;
}

template <class A>
Task<std::vector<Plain<Awaited<A>>>> gather_list(Machine* machine, std::vector<A> branches) {
  std::deque<Slot<Awaited<A>>> slots;
  Gather gather(*machine, co_await CurrentBranch(), Gather::Rule::all);
  const auto arrivals = begin_all(std::move(branches), slots, gather);
  co_await gather;
  if (gather.decisive()) std::rethrow_exception(slots[*gather.decisive()].error);
  std::vector<Plain<Awaited<A>>> results;
  results.reserve(slots.size());
  for (auto& slot : slots)
    results.push_back(*std::move(slot.value));
  co_return results;
}

template <class A>
Task<std::pair<std::size_t, Plain<Awaited<A>>>> gather_first(Machine* machine,
                                                             std::vector<A> branches) {
  if (branches.empty()) throw std::invalid_argument("Flow::any was given no branch to wait for.");
  std::deque<Slot<Awaited<A>>> slots;
  Gather gather(*machine, co_await CurrentBranch(), Gather::Rule::first);
  const auto arrivals = begin_all(std::move(branches), slots, gather);
  co_await gather;
  const auto winner = *gather.decisive();
  if (slots[winner].error) std::rethrow_exception(slots[winner].error);
  co_return std::pair(winner, *std::move(slots[winner].value));
}

} // namespace perdure::flow
