#include "engine/deliveries.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "flow/storable.h"

namespace perdure::engine {

namespace {

/// Nobody else is given an end for so long; renewed while its handler runs.
constexpr Duration kLease{30'000};
constexpr Duration kRenewal{10'000};
constexpr Duration kFirstPause{1'000};
constexpr Duration kLongestPause{3'600'000};
/// After a failed database call.
constexpr Duration kAfterFailure{1'000};
/// Taken ahead for each thread, so that handlers that are quick do not wait for the database.
constexpr std::size_t kAhead = 32;

Duration pause_after(std::int64_t attempt) {
  auto pause = kFirstPause;
  for (std::int64_t i = 1; i < attempt && pause < kLongestPause; ++i)
    pause *= 2;
  return std::min(pause, kLongestPause);
}

} // namespace

Deliveries::Deliveries(std::size_t threads, Log& log, std::function<void()> nudge)
    : threads_(std::max<std::size_t>(threads, 1)), log_(log), nudge_(std::move(nudge)) {}

void Deliveries::add(std::string flow, CompletionHandler handler) {
  if (handler) {
    handlers_.insert_or_assign(std::move(flow), std::move(handler));
  } else {
    withdrawn_.push_back(std::move(flow));
  }
}

Result<void> Deliveries::start(store::CompletionStore& store) {
  for (const auto& flow : withdrawn_) {
    if (auto done = store.put_flow_kind({flow, false}); !done) return done;
  }
  for (const auto& [flow, handler] : handlers_) {
    if (auto done = store.put_flow_kind({flow, true}); !done) return done;
    flows_.push_back(flow);
  }
  if (!flows_.empty()) pool_.start(threads_);
  return {};
}

void Deliveries::committed(const facts::InstanceState& state, std::span<const facts::Fact>) {
  if (!state.completions.empty()) due_ = true;
}

std::optional<Instant> Deliveries::step(store::CompletionStore& store, Instant now) {
  if (flows_.empty()) return std::nullopt;
  next_.reset();
  auto done = settle(store, now);
  if (done && due_) done = take(store, now);
  if (!done) {
    log_.write(LogLevel::error, "completions_failed", {{"error", done.error().message}});
    note_next(now + kAfterFailure);
  }
  return next_;
}

void Deliveries::note_next(Instant at) { next_ = std::min(next_.value_or(at), at); }

// ---- what became of those that were taken -----------------------------------------------------

store::CompletionTold Deliveries::told_of(const Ended& ended, Instant now) const {
  const auto attempt = running_.at(ended.instance_id);
  store::CompletionTold told{.instance_id = ended.instance_id, .attempt = attempt};
  if (!ended.begun) {
    told.next_attempt_at = now;
  } else if (ended.error) {
    told.next_attempt_at = now + pause_after(attempt);
    told.error = ended.error;
  } else {
    told.delivered_at = now;
  }
  return told;
}

Result<void> Deliveries::settle(store::CompletionStore& store, Instant now) {
  std::vector<Ended> ended;
  {
    const std::lock_guard lock(mutex_);
    ended = std::exchange(ended_, {});
  }
  std::vector<store::CompletionTold> told;
  for (const auto& one : ended)
    told.push_back(told_of(one, now));
  if (now >= renewed_ + kRenewal) {
    renewed_ = now;
    for (const auto& [instance_id, attempt] : running_) {
      const bool is_over =
          std::ranges::find(ended, instance_id, &Ended::instance_id) != ended.end();
      if (!is_over)
        told.push_back({instance_id, attempt, std::nullopt, now + kLease, std::nullopt});
    }
  }
  if (told.empty()) return {};
  if (auto done = store.settle_completions(told); !done) {
    const std::lock_guard lock(mutex_);
    std::ranges::move(ended, std::back_inserter(ended_));
    return done;
  }
  for (const auto& one : ended) {
    running_.erase(one.instance_id);
    due_ = due_ || !one.begun;
  }
  for (const auto& one : told) {
    if (one.next_attempt_at) note_next(*one.next_attempt_at);
  }
  return {};
}

// ---- taking -----------------------------------------------------------------------------------

Result<void> Deliveries::take(store::CompletionStore& store, Instant now) {
  const auto room = threads_ * kAhead - std::min(threads_ * kAhead, running_.size());
  if (room == 0) return {}; // the end of one of them comes back here
  const auto taken =
      store.take_completions(flows_, now, now + kLease, static_cast<std::int64_t>(room));
  if (!taken) return std::unexpected(taken.error());
  due_ = taken->size() == room;
  if (due_) note_next(now);
  if (!taken->empty() && running_.empty()) renewed_ = now;
  for (const auto& due : *taken) {
    // Its lease was over while its handler ran: that one's word counts.
    if (!running_.insert_or_assign(due.instance_id, due.attempt).second) continue;
    submit(due);
  }
  return {};
}

void Deliveries::await_quiet() {
  std::unique_lock lock(mutex_);
  quiet_.wait(lock, [this] { return open_ == 0; });
}

void Deliveries::submit(const store::DueCompletion& due) {
  {
    const std::lock_guard lock(mutex_);
    ++open_;
  }
  pool_.submit([this, completion = Completion{.instance_id = due.instance_id,
                                              .flow = due.process_id,
                                              .status = due.status,
                                              .finished_at = due.finished_at,
                                              .attempt = due.attempt}] {
    auto ended = tell(completion);
    {
      const std::lock_guard lock(mutex_);
      ended_.push_back(std::move(ended));
    }
    nudge_();
    {
      const std::lock_guard lock(mutex_);
      --open_;
    }
    quiet_.notify_all();
  });
}

Deliveries::Ended Deliveries::tell(const Completion& completion) const {
  Ended ended{.instance_id = completion.instance_id, .begun = true, .error = {}};
  if (stopping_) {
    ended.begun = false;
    return ended;
  }
  try {
    handlers_.at(completion.flow)(completion);
  } catch (const std::exception& error) {
    ended.error = flow::readable(error.what());
  } catch (...) {
    ended.error = "The handler threw something that is no exception.";
  }
  return ended;
}

void Deliveries::stop(store::CompletionStore& store, Instant now) {
  if (flows_.empty() || stopping_.exchange(true)) return;
  pool_.stop();
  if (const auto done = settle(store, now); !done) {
    log_.write(LogLevel::error, "completions_failed", {{"error", done.error().message}});
  }
}

} // namespace perdure::engine
