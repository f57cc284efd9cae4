#include "engine/flow_host.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <type_traits>

#include "base/check.h"
#include "base/json.h"
#include "facts/refusal.h"
#include "flow/retry.h"
#include "flow/storable.h"

namespace perdure::engine {

namespace {

constexpr int kMaxRebuilds = 8;

/// Where the chance of a run comes from: new for each run, whatever its key.
std::int64_t fresh_seed() {
  std::random_device device;
  return static_cast<std::int64_t>(std::uint64_t{device()} << 32 | device());
}

bool is_violation(const Failure& failure, facts::RefusalCode code) {
  return failure.violation == name_of(code);
}

} // namespace

FlowHost::FlowHost(Settings settings, Clock& clock, Log& log, Submit submit)
    : settings_(settings), clock_(clock), log_(log), submit_(std::move(submit)) {}

FlowHost::~FlowHost() { stop(); }

void FlowHost::start(std::string worker_id) {
  if (codes_.empty()) return;
  worker_id_ = std::move(worker_id);
  coroutines_.start(1);
  callbacks_.start(settings_.callback_threads);
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

// ---- what is committed ------------------------------------------------------------------------

std::optional<FlowHost::Notices> FlowHost::notices_of(const facts::InstanceState& state,
                                                      std::span<const facts::Fact> facts) const {
  Notices message{.notices = {},
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
    if (const auto* placed = std::get_if<facts::FlowPlaced>(&fact.data)) {
      if (placed->queued) continue;
      message.input = state.instance.input;
      message.notices.push_back({.kind = Kind::begin});
    } else if (std::holds_alternative<facts::FlowAdmitted>(fact.data)) {
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
      message.lost = hosted->worker_id != worker_id_ && !hosted->worker_id.ends_with("/lost");
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

// A start that came with what its code did first.
bool FlowHost::is_begun_here(std::span<const facts::Fact> facts) const {
  const auto* placed = facts.size() < 3 ? nullptr : std::get_if<facts::FlowPlaced>(&facts[1].data);
  const auto* begun = placed ? std::get_if<facts::FlowBegun>(&facts[2].data) : nullptr;
  return begun != nullptr && begun->worker_id == worker_id_;
}

void FlowHost::committed(const facts::InstanceState& state, std::span<const facts::Fact> facts) {
  const auto code = by_definition_.find(state.instance.definition_id);
  if (code == by_definition_.end()) return; // another program has it, or a later one of ours
  if (is_begun_here(facts)) {               // whoever sent the start has its coroutine
    begun_until_ = facts.back().sequence;
    return;
  }
  auto message = notices_of(state, facts);
  const auto id = state.instance.id;
  bool behind = false;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    const auto found = runs_.find(id);
    if (found != runs_.end()) {
      // Another process has committed in between, and this one has not seen what.
      behind = facts.front().sequence != found->second->seen + 1;
      found->second->seen = facts.back().sequence;
    } else {
      if (!message || message->over || message->lost) return;
      add_run(id, code->second, facts.back().sequence);
      if (!message->input || message->inherits) message.reset(); // it is built, and finds all that
    }
    if (!message && found != runs_.end() && !behind) return;
  }
  if (message && (!behind || message->over)) return post(id, *std::move(message));
  post(id, behind ? Message(Behind{}) : Message(Wake{}));
}

// ---- starts ------------------------------------------------------------------------------------

bool FlowHost::begin(Work& work) {
  const auto& start = std::get<facts::StartRequested>(work.event);
  const auto latest = latest_.find(work.process_id);
  if (latest == latest_.end() || !work.tenant_id.empty() || work.dry_run) return false;
  if (!start.entries.empty()) return false; // it repeats an earlier run
  if (start.definition_id != kNoKey && start.definition_id != latest->second) return false;
  if (!start.start_node_id.empty() || !start.start_before.empty() || is_stopping()) return false;
  if (codes_[by_definition_.at(latest->second)].limit) return false; // it may have to wait
  {
    const std::lock_guard lock(mutex_);
    ++posted_;
    ++scheduled_;
  }
  coroutines_.submit([this, work = std::move(work), id = latest->second]() mutable {
    begin_now(std::move(work), id, by_definition_.at(id));
    {
      const std::lock_guard lock(mutex_);
      --scheduled_;
    }
    quiet_.notify_all();
  });
  return true;
}

void FlowHost::begin_now(Work work, Key definition_id, std::size_t code) {
  RunPtr run;
  {
    const std::lock_guard lock(mutex_);
    run = std::make_shared<Run>(kNoKey, code, worker_id_);
  }
  auto& start = std::get<facts::StartRequested>(work.event);
  build_fresh(run, start.variables);
  start.definition_id = definition_id;
  start.worker_id = run->worker_id;
  start.entries = run->outgoing;
  run->sent = std::exchange(run->outgoing, {});
  run->in_flight = true;
  work.reply = [this, run,
                reply = std::move(work.reply)](std::expected<Outcome, Failure> outcome) mutable {
    if (outcome && outcome->flow_begun) {
      adopt(run, outcome->instance_id);
    } else { // what its frames hold goes on the thread that made them
      coroutines_.submit([run] { run->machine.reset(); });
    }
    if (reply) reply(std::move(outcome));
  };
  submit_(std::move(work));
}

// Its start is committed: what it asked for may begin.
void FlowHost::adopt(const RunPtr& run, Key instance_id) {
  {
    const std::lock_guard lock(mutex_);
    run->id = instance_id;
    run->seen = begun_until_;
    run->place = order_.insert(order_.end(), run);
    runs_.emplace(instance_id, run);
  }
  post(run, Answered{});
}

// The caller holds mutex_.
void FlowHost::add_run(Key instance_id, std::size_t code, std::int64_t seen) {
  const auto run = std::make_shared<Run>(instance_id, code, worker_id_);
  run->seen = seen;
  run->place = order_.insert(order_.end(), run);
  runs_.emplace(instance_id, run);
}

void FlowHost::wake(const store::ReadyFlow& flow) {
  const auto code = by_definition_.find(flow.definition_id);
  if (code == by_definition_.end()) return;
  bool behind = false;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    const auto found = runs_.find(flow.instance_id);
    if (found == runs_.end()) {
      add_run(flow.instance_id, code->second, flow.last_sequence);
    } else {
      behind = found->second->seen < flow.last_sequence;
      if (!behind) return;
      found->second->seen = flow.last_sequence;
    }
  }
  post(flow.instance_id, behind ? Message(Behind{}) : Message(Wake{}));
}

void FlowHost::begin_anew(std::string worker_id) {
  std::unordered_map<Key, RunPtr> gone;
  {
    const std::lock_guard lock(mutex_);
    worker_id_ = std::move(worker_id);
    for (const auto& [id, run] : runs_)
      run->place = order_.end();
    order_.clear();
    gone.swap(runs_);
  }
  for (const auto& [id, run] : gone)
    post(run, Gone{});
}

void FlowHost::post(Key instance_id, Message message) {
  RunPtr run;
  {
    const std::lock_guard lock(mutex_);
    const auto found = runs_.find(instance_id);
    if (found == runs_.end()) return;
    run = found->second;
    ++posted_;
    run->inbox.push_back(std::move(message));
    if (std::exchange(run->scheduled, true)) return;
    ++scheduled_;
  }
  coroutines_.submit([this, run] { go_on(run); });
}

void FlowHost::post(const RunPtr& run, Message message) {
  {
    const std::lock_guard lock(mutex_);
    ++posted_;
    run->inbox.push_back(std::move(message));
    if (std::exchange(run->scheduled, true)) return;
    ++scheduled_;
  }
  coroutines_.submit([this, run] { go_on(run); });
}

// ---- one run, one thread at a time ------------------------------------------------------------

void FlowHost::go_on(const RunPtr& run) {
  while (true) {
    std::vector<Message> messages;
    {
      const std::lock_guard lock(mutex_);
      if (run->inbox.empty()) {
        run->scheduled = false;
        if (run->place != order_.end()) order_.splice(order_.end(), order_, run->place);
        break;
      }
      messages = std::exchange(run->inbox, {});
    }
    for (auto& message : messages)
      std::visit([&](auto& one) { take(run, one); }, message);
    flush(run);
    settle(run);
  }
  trim();
  {
    const std::lock_guard lock(mutex_);
    --scheduled_;
  }
  quiet_.notify_all();
}

void FlowHost::take(const RunPtr& run, Notices& message) {
  if (message.paused) run->paused = *message.paused;
  if (message.over || message.lost) run->over = true;
  if (message.retry) {
    run->parked = false;
    run->rebuilds = 0;
    run->stale = true;
  }
  if (message.input) {
    run->version = message.sequence;
    return build_fresh(run, *message.input);
  }
  // What was built from the database after these facts knows of them.
  if (!run->machine || message.sequence <= run->version) return;
  if (message.over && !message.lost && !run->machine->ended()) {
    deliver(run, flow::CancelSeen{}); // so that the code sees it, though nothing more is recorded
  }
  for (const auto& notice : message.notices)
    tell(run, notice);
  run->version = message.sequence;
  if (message.paused == false) release_held(run);
}

void FlowHost::tell(const RunPtr& run, const flow::Notice& notice) {
  if (!run->machine || run->over) return;
  const auto* node = run->machine->find(notice.name);
  switch (notice.kind) {
    case flow::Notice::Kind::begin: deliver(run, flow::Begun{fresh_seed()}); break;
    case flow::Notice::Kind::cancel: deliver(run, flow::CancelSeen{}); break;
    case flow::Notice::Kind::step_ended:
      // Dropped by the code meanwhile: the database takes that for the answer.
      if (node == nullptr || node->operation == nullptr || node->dropped) return;
      deliver(run, flow::StepEnded{notice.name, notice.ending, true});
      break;
    case flow::Notice::Kind::attempt_due:
      if (node == nullptr || node->operation == nullptr || node->dropped) return;
      if (node->operation->ask.nested) {
        deliver(run, flow::AttemptBegun{notice.name, node->attempt + 1});
      } else {
        run->machine->set_attempt(notice.name, node->attempt + 1);
        run->outgoing.push_back({.doing = facts::FlowDoing::attempt_started, .name = notice.name});
      }
      break;
  }
}

void FlowHost::take(const RunPtr& run, CallbackEnded& message) {
  --run->callbacks;
  {
    const std::lock_guard lock(mutex_);
    --open_callbacks_;
  }
  quiet_.notify_all();
  const auto call = run->calls.find(message.name);
  if (call != run->calls.end() && call->second.attempt == message.attempt) run->calls.erase(call);
  if (run->over) return;
  if (run->stale) {
    run->late.push_back(std::move(message));
  } else {
    end_callback(run, message);
  }
}

// One that its run does not wait for any more is passed over.
void FlowHost::end_callback(const RunPtr& run, CallbackEnded& message) {
  const auto* node = run->machine ? run->machine->find(message.name) : nullptr;
  if (node == nullptr || !node->busy || node->attempt != message.attempt) return;
  if (node->operation == nullptr && !node->dropped) return; // it was skipped meanwhile
  run->machine->set_busy(message.name, false);
  if (node->dropped) {
    deliver(run, flow::StepReleased{message.name});
  } else if (message.failure) {
    fail_or_retry(run, message.name, *message.failure);
  } else {
    deliver(run, flow::StepEnded{message.name, flow::Ending{.value = std::move(message.value)}});
  }
}

void FlowHost::fail_or_retry(const RunPtr& run, const std::string& name,
                             const flow::Failure& failure) {
  const auto* node = run->machine->find(name);
  const auto pause = flow::pause_after(node->operation->ask.retry, node->attempt, failure);
  if (pause) {
    run->outgoing.push_back({.doing = facts::FlowDoing::attempt_failed,
                             .name = name,
                             .after = pause,
                             .error_name = failure.name,
                             .error_message = failure.message});
    return;
  }
  deliver(run, flow::StepEnded{name, flow::Ending{.kind = flow::Ending::Kind::failed,
                                                  .value = std::nullopt,
                                                  .error_name = failure.name,
                                                  .error_message = failure.message}});
}

void FlowHost::take(const RunPtr& run, Answered& message) {
  run->in_flight = false;
  auto sent = std::exchange(run->sent, {});
  if (!message.failure) {
    run->rebuilds = 0;
    for (const auto& entry : sent) {
      const bool begins =
          entry.doing == facts::FlowDoing::attempt_started ||
          (entry.doing == facts::FlowDoing::step_asked && entry.type == facts::StepType::run);
      if (begins && !entry.nested) begin_or_hold(run, entry);
      if (entry.doing == facts::FlowDoing::ended) run->over = true;
    }
    release_held(run);
    return;
  }
  if (is_violation(*message.failure, facts::RefusalCode::instance_paused)) {
    run->paused = true; // it goes out again when the flow is resumed
    std::ranges::move(run->outgoing, std::back_inserter(sent));
    run->outgoing = std::move(sent);
    return;
  }
  if (is_violation(*message.failure, facts::RefusalCode::instance_finished)) {
    run->over = true;
    return;
  }
  log_.write(LogLevel::warning, "flow_refused",
             {{"instance_id", key_text(run->id)}, {"error", message.failure->message}});
  run->stale = true;
}

void FlowHost::take(const RunPtr& run, Wake&) {
  if (!run->machine && !run->over) run->stale = true;
}

void FlowHost::take(const RunPtr& run, Behind&) {
  run->behind = true;
  run->rebuilds = 0;
}

void FlowHost::take(const RunPtr& run, Gone&) {
  run->over = true;
  for (auto& [name, call] : run->calls)
    call.stop.request_stop();
}

void FlowHost::deliver(const RunPtr& run, flow::Observation heard) {
  run->machine->deliver(std::move(heard), clock_.now());
  for (const auto& entry : run->machine->take())
    run->outgoing.push_back(flow::to_fact_entry(entry));
  for (auto& [name, call] : run->calls) {
    const auto* node = run->machine->find(name);
    if (node == nullptr || node->dropped || node->operation == nullptr) call.stop.request_stop();
  }
}

// ---- building ---------------------------------------------------------------------------------

std::unique_ptr<flow::Machine> FlowHost::machine_of(const Run& run, const Value& input) {
  const auto& code = codes_[run.code];
  return std::make_unique<flow::Machine>(flow::Machine::Options{
      .program = code.program(input),
      .log = [this, &run, &name = code.name](std::string_view text) {
        log_.write(LogLevel::info, "flow_log",
                   {{"flow", name},
                    {"instance_id", run.id == kNoKey ? "" : key_text(run.id)},
                    {"text", std::string(text)}});
      }});
}

void FlowHost::build_fresh(const RunPtr& run, const Value& input) {
  run->machine = machine_of(*run, input);
  deliver(run, flow::Begun{fresh_seed()});
}

void FlowHost::build(const RunPtr& run) {
  run->stale = run->behind = false;
  if (run->callbacks > 0 && run->machine) run->retired.push_back(std::move(run->machine));
  run->machine.reset();
  run->outgoing.clear();
  run->held.clear();
  FactReader facts(read_, run->id);
  // The input stands in the first fact.
  const auto first = facts.next();
  if (!first) {
    run->over = !facts.error();
    run->parked = facts.error().has_value();
    return;
  }
  std::optional<facts::Fact> again = first;
  flow::Recorded recorded(
      [&] { return again ? std::exchange(again, std::nullopt) : facts.next(); });
  run->machine = machine_of(*run, std::get<facts::InstanceStarted>(first->data).input);
  run->machine->replay(recorded);
  while (!facts.error() && recorded.next()) { // what a machine that parted did not read
  }
  run->version = recorded.version();
  run->paused = recorded.paused();
  run->over = run->over || recorded.ended();
  run->parked = recorded.parked() || facts.error().has_value();
  if (run->over || run->parked) return;
  catch_up(run, recorded, recorded.take_notices());
}

void FlowHost::catch_up(const RunPtr& run, const flow::Recorded& recorded,
                        std::deque<flow::Notice> notices) {
  if (run->machine->divergence()) return;
  const bool cut_off = mark_calls(run, recorded);
  release_dropped(run);
  for (const auto& notice : notices)
    tell(run, notice);
  for (auto& message : std::exchange(run->late, {}))
    end_callback(run, message);
  if (!cut_off) return;
  submit_({.target = Target::instance,
           .key = run->id,
           .instance_id = run->id,
           .event = facts::FlowHostLost{run->worker_id, run->worker_id},
           .kept = true});
}

// Which callbacks of the run are at work now, or have just ended. True: this process is said to
// call others too. It has begun and forgotten those: they are as lost as what a dead one did.
bool FlowHost::mark_calls(const RunPtr& run, const flow::Recorded& recorded) {
  const auto is_called = [&](const std::string& name, std::int64_t attempt) {
    const auto call = run->calls.find(name);
    if (call != run->calls.end() && call->second.attempt == attempt) return true;
    return std::ranges::any_of(run->late, [&](const CallbackEnded& ended) {
      return ended.name == name && ended.attempt == attempt;
    });
  };
  bool cut_off = false;
  for (const auto& [name, open] : recorded.runs()) {
    if (run->machine->find(name) == nullptr) continue;
    run->machine->set_attempt(name, open.attempt);
    if (!open.running || open.nested || open.worker_id != run->worker_id) continue;
    const bool called = is_called(name, open.attempt);
    run->machine->set_busy(name, called);
    cut_off = cut_off || !called;
  }
  for (const auto& [name, call] : run->calls) {
    const auto* node = run->machine->find(name);
    if (node != nullptr && node->dropped) run->machine->set_busy(name, true);
  }
  return cut_off;
}

// Steps that nobody waits for and whose callbacks ran when they were dropped: they run no more.
void FlowHost::release_dropped(const RunPtr& run) {
  for (bool found = true; found;) {
    found = false;
    for (const auto* node : run->machine->open()) {
      if (!node->dropped || node->busy) continue;
      const auto name = node->name;
      deliver(run, flow::StepReleased{name});
      found = true;
      break;
    }
  }
}

// ---- callbacks --------------------------------------------------------------------------------

// Its attempt is in the database, or the step is, to be tried when the flow is resumed.
void FlowHost::begin_or_hold(const RunPtr& run, const facts::FlowEntry& entry) {
  if (!entry.flag) return call(run, entry.name);
  const auto* node = run->machine->find(entry.name);
  if (node == nullptr || node->dropped) return;
  run->machine->set_attempt(entry.name, 0);
  run->held.push_back(entry.name);
}

void FlowHost::release_held(const RunPtr& run) {
  if (run->paused || run->over || run->stale || is_stopping()) return;
  for (const auto& name : std::exchange(run->held, {}))
    tell(run, {.kind = flow::Notice::Kind::attempt_due, .name = name});
}

bool FlowHost::is_stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

void FlowHost::call(const RunPtr& run, const std::string& name) {
  const auto* node = run->machine ? run->machine->find(name) : nullptr;
  if (node == nullptr || node->operation == nullptr || node->dropped || node->busy) return;
  if (run->over) return; // others find the attempt cut off
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return; // the next process finds the attempt cut off
    ++open_callbacks_;
  }
  ++run->callbacks;
  run->machine->set_busy(name, true);
  auto& call = run->calls[name];
  call = {.attempt = node->attempt, .stop = {}};
  callbacks_.submit([this, run, name, attempt = call.attempt, stop = call.stop.get_token(),
                     work = node->operation->work] {
    CallbackEnded ended{.name = name, .attempt = attempt, .value = {}, .failure = {}};
    try {
      ended.value = work(stop);
      if (ended.value) flow::require_storable(*ended.value, "what the callback gave");
    } catch (...) {
      ended.value.reset();
      ended.failure = flow::failure_of(std::current_exception());
    }
    post(run, std::move(ended));
  });
}

// ---- after each turn --------------------------------------------------------------------------

void FlowHost::flush(const RunPtr& run) {
  if (!run->machine || run->over || run->stale) return;
  if (const auto& parting = run->machine->divergence(); parting && !run->parked) {
    run->parked = true;
    run->outgoing.clear();
    submit_({.target = Target::instance,
             .key = run->id,
             .instance_id = run->id,
             .event = facts::FlowDiverged{.worker_id = run->worker_id,
                                          .asked = parting->asked,
                                          .recorded = parting->recorded,
                                          .advice = parting->advice},
             .kept = true});
  }
  if (run->parked || run->in_flight || run->outgoing.empty()) return;
  const bool ends = run->outgoing.back().doing == facts::FlowDoing::ended;
  if (run->paused && ends) return;
  run->in_flight = true;
  run->sent = std::exchange(run->outgoing, {});
  if (run->paused || is_stopping()) {
    for (auto& entry : run->sent) {
      const bool runs = entry.doing == facts::FlowDoing::step_asked &&
                        entry.type == facts::StepType::run && !entry.nested;
      if (runs) entry.flag = true;
    }
  }
  Work work{.target = Target::instance, .key = run->id, .instance_id = run->id, .kept = true};
  work.event = facts::FlowAdvanced{
      .worker_id = run->worker_id, .version = run->version, .entries = run->sent};
  work.reply = [this, run](const std::expected<Outcome, Failure>& outcome) {
    post(run, Answered{outcome ? std::nullopt : std::optional(outcome.error())});
  };
  submit_(std::move(work));
}

// What is not current is built anew, and what is over goes as soon as no callback refers to it.
void FlowHost::settle(const RunPtr& run) {
  if (run->callbacks == 0) run->retired.clear();
  if (run->in_flight || (run->over && run->callbacks > 0)) return;
  if (run->over) return drop(run);
  if (run->behind && (run->outgoing.empty() || run->paused)) {
    run->stale = true;
    run->parked = false;
  }
  if (run->parked) {
    if (run->callbacks == 0) run->machine.reset();
    return;
  }
  if (!run->stale) return;
  if (++run->rebuilds > kMaxRebuilds) {
    log_.write(LogLevel::error, "flow_not_built", {{"instance_id", key_text(run->id)}});
    run->over = true;
    return settle(run);
  }
  build(run);
  flush(run);
  if (run->over || run->parked) settle(run);
}

void FlowHost::drop(const RunPtr& run) {
  run->machine.reset();
  const std::lock_guard lock(mutex_);
  if (run->place == order_.end()) return;
  order_.erase(run->place);
  run->place = order_.end();
  runs_.erase(run->id);
}

// Runs that only wait go when there are too many; an event brings them back.
void FlowHost::trim() {
  std::vector<RunPtr> gone;
  {
    const std::lock_guard lock(mutex_);
    auto next = order_.begin();
    for (std::size_t looked = 0;
         runs_.size() > settings_.resident && next != order_.end() && looked < 64; ++looked) {
      const auto run = *next++;
      if (run->scheduled || !run->inbox.empty() || run->callbacks > 0 || run->in_flight) continue;
      if (!run->outgoing.empty()) continue; // it is paused, and these are nowhere else
      order_.erase(run->place);
      run->place = order_.end();
      runs_.erase(run->id);
      gone.push_back(run);
    }
  }
}

} // namespace perdure::engine
