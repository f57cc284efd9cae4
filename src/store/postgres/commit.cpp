#include "store/postgres/commit.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "store/postgres/batch.h"
#include "store/postgres/error.h"

namespace perdure::store::postgres {

namespace queries = sql::postgres;

namespace {

constexpr int kMaxTries = 4;
/// Of the parameters of one transaction; a server takes at most 1 GiB in one message.
constexpr std::size_t kMaxBytes = 64U * 1024 * 1024;

Error moved_on(Key instance_id) {
  return {ErrorCode::conflict,
          "Instance " + key_text(instance_id) +
              " was changed by another decision; load it again and decide again.",
          "process_instance.version"};
}

Key instance_of(const Unit& unit) { return unit.state ? unit.state->instance.id : kNoKey; }

/// Whether the unit's instance must be found as it was read.
bool has_base(const Unit& unit) {
  return unit.state && unit.state->instance_change == facts::Change::updated;
}

bool ends(const Unit& unit) {
  return unit.state && facts::is_terminal(unit.state->instance.status);
}

/// Two arrays of numbers that belong together.
class PairParameter {
public:
  void add(std::int64_t first, std::int64_t second) {
    first_.add(first);
    second_.add(second);
  }
  [[nodiscard]] std::int32_t size() const { return first_.size(); }
  [[nodiscard]] Parameters take() {
    Parameters both;
    both.push_back(first_.take());
    both.push_back(second_.take());
    return both;
  }

private:
  ArrayParameter first_{kBigint};
  ArrayParameter second_{kBigint};
};

std::size_t bytes_of(const std::vector<Call>& calls) {
  std::size_t bytes = 0;
  for (const auto& call : calls) {
    for (const auto& parameter : call.parameters)
      bytes += parameter.bytes.size();
  }
  return bytes;
}

/// Says that the part has to be halved.
std::unexpected<Error> too_large() {
  return fail(ErrorCode::invalid_input,
              "The values of this change are too large for one transaction; send less.");
}

} // namespace

Commit::Commit(Link& link, std::span<const Unit> units, const std::string& channel,
               Counters& counters)
    : link_(link), units_(units), channel_(channel), counters_(counters), outcomes_(units.size()) {}

Result<std::vector<UnitOutcome>> Commit::run() {
  Part all(units_.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = i;
  std::ranges::sort(all, {}, [&](std::size_t i) { return std::pair(instance_of(units_[i]), i); });
  auto done = write(std::move(all), Locking::free);
  if (done && !busy_.empty()) done = write(std::exchange(busy_, {}), Locking::wait);
  // What was saved is acknowledged, whatever became of the rest.
  if (!done && !any_saved_) return std::unexpected(done.error());
  std::vector<UnitOutcome> outcomes;
  outcomes.reserve(outcomes_.size());
  for (auto& outcome : outcomes_) {
    outcomes.push_back(outcome ? std::move(*outcome) : UnitOutcome(std::unexpected(done.error())));
  }
  return outcomes;
}

Result<void> Commit::write(Part part, Locking locking) {
  for (int attempt = 1;; ++attempt) {
    auto done = transact(part, locking);
    if (done) return {};
    if (connection_) connection_->roll_back();
    if (!is_refusal(done.error())) return done;
    // Deadlock, or an instance that another node keeps: the next try waits in the order of keys.
    if (done.error().code == ErrorCode::conflict && attempt < kMaxTries) {
      locking = locking == Locking::free ? Locking::wait : Locking::skip;
      continue;
    }
    if (part.size() > 1) return write_halves(part);
    settle(part, done.error());
    return {};
  }
}

Result<void> Commit::write_halves(const Part& part) {
  const auto middle = part.begin() + static_cast<std::ptrdiff_t>(part.size() / 2);
  for (const auto& half : {Part(part.begin(), middle), Part(middle, part.end())}) {
    if (auto done = write(half, Locking::wait); !done) return done;
  }
  return {};
}

Result<void> Commit::transact(const Part& part, Locking locking) {
  const auto busy_before = busy_.size();
  auto winners = lock(part, locking);
  if (!winners) return std::unexpected(winners.error());
  winners = lock_events(std::move(*winners));
  if (!winners) return std::unexpected(winners.error());
  if (winners->empty()) {
    connection_->roll_back();
    return {};
  }
  auto done = save(*winners);
  // The part is written again as a whole, or in halves.
  if (!done) busy_.resize(busy_before);
  return done;
}

Result<Commit::Part> Commit::lock(const Part& part, Locking locking) {
  connection_ = link_.current();
  const bool begins = !connection_ || !connection_->in_transaction();
  std::vector<Call> calls;
  if (begins) calls.push_back({&queries::transaction_begin_write, {}});
  ArrayParameter wanted(kBigint);
  for (const auto i : part) {
    if (has_base(units_[i])) wanted.add(instance_of(units_[i]));
  }
  const bool asks = wanted.size() > 0;
  if (asks) {
    calls.push_back(
        {locking == Locking::wait ? &queries::instance_lock : &queries::instance_lock_free, {}});
    calls.back().parameters.push_back(wanted.take());
  }
  if (calls.empty()) return part;
  // A transaction that is not begun yet may begin on a new connection.
  const auto results = begins ? link_.run(calls) : connection_->run(calls);
  connection_ = link_.current();
  if (!results) return std::unexpected(results.error());
  if (!asks) return part;
  std::unordered_map<Key, std::int64_t> versions;
  const auto& locked = results->back();
  for (int row = 0; row < locked.size(); ++row)
    versions.emplace(locked.column<Key>(row, 0), locked.column<std::int64_t>(row, 1));
  Part winners;
  for (const auto i : part) {
    const auto& unit = units_[i];
    const auto found = versions.find(instance_of(unit));
    if (!has_base(unit) || (found != versions.end() && found->second == unit.base_version)) {
      winners.push_back(i);
    } else if (found == versions.end() && locking == Locking::free) {
      busy_.push_back(i);
    } else {
      outcomes_[i] = std::unexpected(moved_on(instance_of(unit)));
    }
  }
  return winners;
}

// The keys of all these kinds of rows are drawn from one sequence: one set tells them apart.
Result<Commit::Part> Commit::lock_events(Part part) {
  ArrayParameter messages(kBigint);
  ArrayParameter addressed(kBigint);
  std::unordered_set<Key> ending;
  PairParameter pending;
  PairParameter starts;
  PairParameter schedules;
  for (const auto i : part) {
    const auto& events = units_[i].events;
    if (ends(units_[i])) ending.insert(instance_of(units_[i]));
    for (const auto instance_id : events.addressed)
      addressed.add(instance_id);
    for (const auto& taken : events.taken)
      messages.add(taken.id);
    for (const auto& moved : events.moved)
      pending.add(moved.id, moved.reached_before);
    for (const auto& moved : events.started)
      starts.add(moved.id, moved.occurrence_before);
    for (const auto& moved : events.scheduled)
      schedules.add(moved.id, moved.occurrence_before);
  }
  std::vector<Call> calls;
  if (addressed.size() > 0) {
    calls.push_back({&queries::addressed_instance_lock, {}});
    calls.back().parameters.push_back(addressed.take());
  }
  if (messages.size() > 0) {
    calls.push_back({&queries::inbound_event_lock, {}});
    calls.back().parameters.push_back(messages.take());
  }
  if (pending.size() > 0) calls.push_back({&queries::pending_event_lock, pending.take()});
  if (starts.size() > 0) calls.push_back({&queries::definition_subscription_lock, starts.take()});
  if (schedules.size() > 0) calls.push_back({&queries::flow_schedule_lock, schedules.take()});
  if (calls.empty()) return part;
  connection_ = link_.current();
  const bool begins = !connection_ || !connection_->in_transaction();
  if (begins) calls.insert(calls.begin(), {&queries::transaction_begin_write, {}});
  const auto results = begins ? link_.run(calls) : connection_->run(calls);
  connection_ = link_.current();
  if (!results) return std::unexpected(results.error());
  std::unordered_set<Key> held;
  for (auto at = results->begin() + (begins ? 1 : 0); at != results->end(); ++at) {
    for (int row = 0; row < at->size(); ++row)
      held.insert(at->column<Key>(row, 0));
  }
  const auto is_held = [&](const auto& event) { return held.contains(event.id); };
  const auto lives = [&](Key instance_id) {
    return held.contains(instance_id) && !ending.contains(instance_id);
  };
  Part winners;
  for (const auto i : part) {
    const auto& events = units_[i].events;
    if (std::ranges::all_of(events.addressed, lives) &&
        std::ranges::all_of(events.taken, is_held) && std::ranges::all_of(events.moved, is_held) &&
        std::ranges::all_of(events.started, is_held) &&
        std::ranges::all_of(events.scheduled, is_held)) {
      winners.push_back(i);
    } else {
      outcomes_[i] = std::unexpected(
          Error{ErrorCode::conflict, "The event was delivered already; nothing is left to do.",
                "delivery"});
    }
  }
  return winners;
}

Result<void> Commit::save(const Part& winners) {
  Batch batch;
  for (const auto i : winners)
    batch.add(units_[i]);
  auto calls = batch.take();
  if (bytes_of(calls) > kMaxBytes && winners.size() > 1) return too_large();
  calls.push_back({&queries::wakeup_notify, parameters(channel_)});
  const auto results = connection_->run(calls);
  if (!results) return std::unexpected(results.error());
  if (auto complete = batch.check(*results); !complete) return complete;
  if (const auto done = connection_->query(queries::transaction_commit); !done) {
    return std::unexpected(done.error());
  }
  for (const auto i : winners)
    outcomes_[i] = UnitOutcome{};
  any_saved_ = true;
  counters_.rows.fetch_add(batch.rows(), std::memory_order_relaxed);
  counters_.commits.fetch_add(1, std::memory_order_relaxed);
  return {};
}

void Commit::settle(const Part& part, const Error& error) {
  for (const auto i : part)
    outcomes_[i] = std::unexpected(error);
}

} // namespace perdure::store::postgres
