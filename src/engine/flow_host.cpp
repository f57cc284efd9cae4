#include "engine/flow_host.h"

#include <algorithm>

#include "facts/flow_host_name.h"

namespace perdure::engine {

FlowHost::FlowHost(Settings settings, Clock& clock, Log& log, Submit submit)
    : settings_(settings), clock_(clock), log_(log), submit_(std::move(submit)) {}

FlowHost::~FlowHost() { stop(); }

void FlowHost::start(std::string worker_id) {
  if (codes_.empty()) return;
  worker_id_ = std::move(worker_id);
  coroutines_.start(1);
  callbacks_.start(std::max<std::size_t>(settings_.callback_threads, 1));
}

void FlowHost::bind(Key definition_id, std::size_t code) {
  by_definition_[definition_id] = code;
  const auto [latest, fresh] = latest_.emplace(codes_[code].name, definition_id);
  if (!fresh && codes_[by_definition_.at(latest->second)].version < codes_[code].version) {
    latest->second = definition_id;
  }
}

void FlowHost::stop() {
  {
    std::unique_lock lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
    // What callbacks give is still written down, as long as the ring takes it.
    quiet_.wait(lock, [this] { return open_callbacks_ == 0; });
  }
  callbacks_.stop();
  coroutines_.stop();
  runs_.clear();
  order_.clear();
}

std::size_t FlowHost::resident() const {
  const std::lock_guard lock(mutex_);
  return runs_.size();
}

void FlowHost::await_quiet() {
  std::unique_lock lock(mutex_);
  quiet_.wait(lock, [this] { return open_callbacks_ == 0 && scheduled_ == 0; });
}

std::uint64_t FlowHost::posted() const {
  const std::lock_guard lock(mutex_);
  return posted_;
}

bool FlowHost::is_stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

// ---- runs in memory: the caller of these holds mutex_ -----------------------------------------

void FlowHost::enter(const RunPtr& run, std::int64_t seen) {
  run->place.seen = seen;
  run->place.among = order_.insert(order_.end(), run);
  runs_.emplace(run->id(), run);
}

void FlowHost::leave(FlowRun& run) {
  if (run.place.among == order_.end()) return; // it has left
  const auto among = std::exchange(run.place.among, order_.end());
  runs_.erase(run.id());
  order_.erase(among);
}

// Found and queued under one lock: no run goes in between. True: it is to be handed over, without
// the lock, or the thread that this wakes would have to wait for that first.
bool FlowHost::queue(const RunPtr& run, FlowRun::Message message) {
  ++posted_;
  run->place.inbox.push_back(std::move(message));
  if (std::exchange(run->place.scheduled, true)) return false;
  ++scheduled_;
  return true;
}

// ---- the thread of coroutines -----------------------------------------------------------------

void FlowHost::hand_over(RunPtr run) {
  coroutines_.submit([this, run = std::move(run)]() mutable {
    go_on(run);
    run.reset(); // what its frames hold goes on the thread that made them
    end_turn();
  });
}

void FlowHost::end_turn() {
  {
    const std::lock_guard lock(mutex_);
    --scheduled_;
  }
  quiet_.notify_all();
}

// ---- what is committed ------------------------------------------------------------------------

std::optional<FlowRun::Notices> FlowHost::notices_of(const facts::InstanceState& state,
                                                     std::span<const facts::Fact> facts) const {
  FlowRun::Notices message{.notices = {},
                           .sequence = state.instance.last_sequence,
                           .paused = {},
                           .input = {},
                           .over = is_terminal(state.instance.status)};
  bool says = message.over;
  using Kind = flow::Notice::Kind;
  const auto step_name = [&](Key step_id) { return state.steps.find(step_id)->slug; };
  const auto is_nested = [&](Key step_id) {
    const auto number = state.steps.find(step_id)->attempt_count;
    const auto* attempt = state.attempts.find(std::tuple(step_id, number));
    return attempt != nullptr && !attempt->worker_id;
  };
  for (const auto& fact : facts) {
    const auto* placed = std::get_if<facts::FlowPlaced>(&fact.data);
    if (placed ? !placed->queued : std::holds_alternative<facts::FlowAdmitted>(fact.data)) {
      message.input = state.instance.input;
      message.notices.push_back({.kind = Kind::begin});
    } else if (const auto* ended = std::get_if<facts::FlowStepEnded>(&fact.data)) {
      if (ended->heard) continue;
      message.notices.push_back(
          {Kind::step_ended, step_name(ended->step_id), flow::ending_of(*ended)});
    } else if (const auto* due = std::get_if<facts::FlowAttemptDue>(&fact.data)) {
      message.notices.push_back(
          {Kind::attempt_due, step_name(due->step_id), {}, is_nested(due->step_id)});
    } else if (std::holds_alternative<facts::FlowCancelRequested>(fact.data)) {
      message.notices.push_back({.kind = Kind::cancel});
    } else if (std::holds_alternative<facts::InstancePaused>(fact.data)) {
      message.paused = true;
    } else if (std::holds_alternative<facts::InstanceResumed>(fact.data)) {
      message.paused = false;
    } else if (std::holds_alternative<facts::IncidentResolved>(fact.data)) {
      message.retry = true;
    } else if (const auto* hosted = std::get_if<facts::FlowHosted>(&fact.data)) {
      // The run of a lost process is nobody's: this one goes on with it.
      message.lost = hosted->worker_id != worker_id_ && !facts::is_nobody(hosted->worker_id);
    } else if (const auto* begun = std::get_if<facts::FlowBegun>(&fact.data)) {
      // A run that begins with what an earlier one did is in nobody's hands.
      const bool others = begun->worker_id != worker_id_;
      message.lost = others && !message.input;
      message.inherits = others && message.input;
    } else {
      continue;
    }
    says = true;
  }
  return says ? std::optional(std::move(message)) : std::nullopt;
}

bool FlowHost::is_begun_here(std::span<const facts::Fact> facts) const {
  if (!std::holds_alternative<facts::InstanceStarted>(facts.front().data)) return false;
  return std::ranges::any_of(facts, [this](const facts::Fact& fact) {
    const auto* begun = std::get_if<facts::FlowBegun>(&fact.data);
    return begun != nullptr && begun->worker_id == worker_id_;
  });
}

std::optional<std::int64_t> FlowHost::committed(const facts::InstanceState& state,
                                                std::span<const facts::Fact> facts) {
  const auto code = by_definition_.find(state.instance.definition_id);
  if (code == by_definition_.end()) return {}; // another program has it, or a later one of ours
  const auto last = facts.back().sequence;
  if (is_begun_here(facts)) return last;
  auto message = notices_of(state, facts);
  RunPtr run;
  bool wakes = false;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return {};
    const auto found = runs_.find(state.instance.id);
    if (found == runs_.end()) {
      if (!message || message->over || message->lost) return {};
      run = new_run(state.instance.id, code->second);
      enter(run, last);
      const bool is_new = message->input && !message->inherits; // else it is built, and finds that
      wakes = queue(run, is_new ? FlowRun::Message(*std::move(message)) : FlowRun::Wake{});
    } else {
      run = found->second;
      // Another process has committed in between, and this one has not seen what.
      const bool behind = facts.front().sequence != run->place.seen + 1;
      run->place.seen = last;
      if (message && (!behind || message->over)) {
        wakes = queue(run, *std::move(message));
      } else if (behind) {
        wakes = queue(run, FlowRun::Behind{});
      }
    }
  }
  if (wakes) hand_over(std::move(run));
  return {};
}

// ---- starts ------------------------------------------------------------------------------------

bool FlowHost::begin(Work& work) {
  const auto& start = std::get<facts::StartRequested>(work.event);
  const auto latest = latest_.find(work.process_id);
  if (latest == latest_.end() || !work.tenant_id.empty() || work.dry_run) return false;
  if (!start.entries.empty()) return false; // it repeats an earlier run
  if (start.definition_id != kNoKey && start.definition_id != latest->second) return false;
  if (!start.start_node_id.empty() || !start.start_before.empty()) return false;
  if (codes_[by_definition_.at(latest->second)].limit) return false; // it may have to wait
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    ++posted_;
    ++scheduled_;
  }
  coroutines_.submit([this, work = std::move(work), id = latest->second]() mutable {
    begin_now(std::move(work), id);
    end_turn();
  });
  return true;
}

void FlowHost::begin_now(Work work, Key definition_id) {
  RunPtr run;
  {
    const std::lock_guard lock(mutex_);
    run = new_run(kNoKey, by_definition_.at(definition_id));
  }
  auto& start = std::get<facts::StartRequested>(work.event);
  start.entries = run->begin(start.variables);
  start.definition_id = definition_id;
  start.worker_id = run->worker_id();
  work.reply = [this, run,
                reply = std::move(work.reply)](std::expected<Outcome, Failure> outcome) mutable {
    if (outcome && outcome->flow_begun) {
      adopt(run, outcome->instance_id, *outcome->flow_begun);
    } else { // what its frames hold goes on the thread that made them
      coroutines_.submit([run] { run->forget(); });
    }
    if (reply) reply(std::move(outcome));
  };
  submit_(std::move(work));
}

// Its start is committed: what it asked for may begin.
void FlowHost::adopt(const RunPtr& run, Key instance_id, std::int64_t seen) {
  {
    const std::lock_guard lock(mutex_);
    run->adopt(instance_id);
    enter(run, seen);
  }
  post(run, FlowRun::Answered{});
}

FlowHost::RunPtr FlowHost::new_run(Key instance_id, std::size_t code) {
  FlowRun::Home& home = *this;
  auto run = std::make_shared<FlowRun>(home, clock_, log_, codes_[code], worker_id_, instance_id);
  run->place.among = order_.end();
  return run;
}

void FlowHost::wake(const store::ReadyFlow& flow) {
  const auto code = by_definition_.find(flow.definition_id);
  if (code == by_definition_.end()) return;
  RunPtr run;
  bool wakes = false;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    const auto found = runs_.find(flow.instance_id);
    if (found == runs_.end()) {
      run = new_run(flow.instance_id, code->second);
      enter(run, flow.last_sequence);
      wakes = queue(run, FlowRun::Wake{});
    } else if (found->second->place.seen < flow.last_sequence) {
      run = found->second;
      run->place.seen = flow.last_sequence;
      wakes = queue(run, FlowRun::Behind{});
    }
  }
  if (wakes) hand_over(std::move(run));
}

void FlowHost::begin_anew(std::string worker_id) {
  std::vector<RunPtr> gone;
  {
    const std::lock_guard lock(mutex_);
    worker_id_ = std::move(worker_id);
    while (!order_.empty()) {
      gone.push_back(order_.front());
      leave(*gone.back());
    }
  }
  for (const auto& run : gone)
    post(run, FlowRun::Gone{});
}

// ---- one run, one thread at a time ------------------------------------------------------------

void FlowHost::post(const RunPtr& run, FlowRun::Message message) {
  bool wakes = false;
  {
    const std::lock_guard lock(mutex_);
    wakes = queue(run, std::move(message));
  }
  if (wakes) hand_over(run);
}

void FlowHost::go_on(const RunPtr& run) {
  while (true) {
    std::vector<FlowRun::Message> messages;
    {
      const std::lock_guard lock(mutex_);
      auto& place = run->place;
      if (place.inbox.empty()) {
        place.scheduled = false;
        if (place.among != order_.end()) order_.splice(order_.end(), order_, place.among);
        break;
      }
      messages = std::exchange(place.inbox, {});
    }
    for (auto& message : messages)
      run->take(message);
    if (!run->settle()) continue;
    run->forget();
    const std::lock_guard lock(mutex_);
    leave(*run);
  }
  trim();
}

// Runs that only wait go when there are too many; an event brings them back.
void FlowHost::trim() {
  std::vector<RunPtr> gone; // what their frames hold goes without the lock
  const std::lock_guard lock(mutex_);
  auto next = order_.begin();
  for (std::size_t looked = 0;
       runs_.size() > settings_.resident && next != order_.end() && looked < 64; ++looked) {
    const auto run = *next++;
    if (run->place.scheduled || !run->may_go()) continue;
    leave(*run);
    gone.push_back(run);
  }
}

// ---- callbacks --------------------------------------------------------------------------------

bool FlowHost::call(std::move_only_function<void()> callback) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    ++open_callbacks_;
  }
  callbacks_.submit(std::move(callback));
  return true;
}

void FlowHost::callback_ended() {
  {
    const std::lock_guard lock(mutex_);
    --open_callbacks_;
  }
  quiet_.notify_all();
}

} // namespace perdure::engine
