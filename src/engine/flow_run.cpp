#include "engine/flow_run.h"

#include <algorithm>
#include <iterator>
#include <random>

#include "facts/refusal.h"
#include "flow/retry.h"
#include "flow/storable.h"

namespace perdure::engine {

namespace {

constexpr int kMaxRebuilds = 8;

/// Where the chance of a run comes from: new for each run, whatever its key.
std::int64_t fresh_seed() {
  static thread_local std::random_device device; // to open one costs more than a step of a flow
  return static_cast<std::int64_t>(std::uint64_t{device()} << 32 | device());
}

bool is_violation(const Failure& failure, facts::RefusalCode code) {
  return failure.violation == name_of(code);
}

/// A callback is to be called for it.
bool begins_attempt(const facts::FlowEntry& entry) {
  const bool asks =
      entry.doing == facts::FlowDoing::step_asked && entry.type == facts::StepType::run;
  return (asks || entry.doing == facts::FlowDoing::attempt_started) && !entry.nested;
}

} // namespace

FlowRun::FlowRun(Home& home, Clock& clock, Log& log, const FlowCode& code, std::string worker_id,
                 Key id)
    : home_(home),
      clock_(clock),
      log_(log),
      code_(code),
      worker_id_(std::move(worker_id)),
      id_(id) {}

std::vector<facts::FlowEntry> FlowRun::begin(const Value& input) {
  build_fresh(input);
  sent_ = std::exchange(outgoing_, {});
  in_flight_ = true;
  return sent_;
}

bool FlowRun::may_go() const {
  // What a paused run did is nowhere else, nor is what callbacks of a parked one gave.
  return callbacks_ == 0 && !in_flight_ && outgoing_.empty() && late_.empty();
}

// ---- what comes -------------------------------------------------------------------------------

void FlowRun::take(Message& message) {
  std::visit([this](auto& one) { on(one); }, message);
}

void FlowRun::on(Notices& message) {
  if (message.paused) paused_ = *message.paused;
  if (message.over || message.lost) over_ = true;
  if (message.retry) {
    parked_ = false;
    rebuilds_ = 0;
    stale_ = true;
  }
  if (message.input) {
    version_ = message.sequence;
    return build_fresh(*message.input);
  }
  // What was built from the database after these facts knows of them.
  if (!machine_ || message.sequence <= version_) return;
  if (message.over && !message.lost && !machine_->ended()) {
    deliver(flow::CancelSeen{}); // so that the code sees it, though nothing more is recorded
  }
  for (const auto& notice : message.notices)
    tell(notice);
  version_ = message.sequence;
  if (message.paused == false) release_held();
}

void FlowRun::on(CallbackEnded& message) {
  --callbacks_;
  home_.callback_ended();
  const auto call = calls_.find(message.name);
  if (call != calls_.end() && call->second.attempt == message.attempt) calls_.erase(call);
  if (over_) return;
  if (stale_ || parked_ || (machine_ && machine_->divergence())) {
    late_.push_back(std::move(message));
  } else {
    end_callback(message);
  }
}

void FlowRun::on(Answered& message) {
  in_flight_ = false;
  auto sent = std::exchange(sent_, {});
  if (!message.failure) {
    rebuilds_ = 0;
    for (const auto& entry : sent) {
      if (begins_attempt(entry)) begin_or_hold(entry);
      if (entry.doing == facts::FlowDoing::ended) over_ = true;
    }
    release_held();
    return;
  }
  if (is_violation(*message.failure, facts::RefusalCode::instance_paused)) {
    paused_ = true; // it goes out again when the flow is resumed
    std::ranges::move(outgoing_, std::back_inserter(sent));
    outgoing_ = std::move(sent);
    return;
  }
  if (is_violation(*message.failure, facts::RefusalCode::instance_finished)) {
    over_ = true;
    return;
  }
  log_.write(LogLevel::warning, "flow_refused",
             {{"instance_id", key_text(id_)}, {"error", message.failure->message}});
  stale_ = true;
}

void FlowRun::on(Wake&) {
  if (!machine_ && !over_) stale_ = true;
}

void FlowRun::on(Behind&) {
  behind_ = true;
  rebuilds_ = 0;
}

void FlowRun::on(Gone&) {
  over_ = true;
  for (auto& [name, call] : calls_)
    call.stop.request_stop();
}

// ---- what the code is told --------------------------------------------------------------------

void FlowRun::tell(const flow::Notice& notice) {
  if (!machine_ || over_) return;
  const auto* node = machine_->find(notice.name);
  switch (notice.kind) {
    case flow::Notice::Kind::begin: deliver(flow::Begun{fresh_seed()}); break;
    case flow::Notice::Kind::cancel: deliver(flow::CancelSeen{}); break;
    case flow::Notice::Kind::step_ended:
      // Dropped by the code meanwhile: the database takes that for the answer.
      if (node == nullptr || node->operation == nullptr || node->dropped) return;
      deliver(flow::StepEnded{notice.name, notice.ending, true});
      break;
    case flow::Notice::Kind::attempt_due:
      if (node == nullptr || node->operation == nullptr || node->dropped) return;
      if (node->operation->ask.nested) {
        deliver(flow::AttemptBegun{notice.name, node->attempt + 1});
      } else {
        machine_->set_attempt(notice.name, node->attempt + 1);
        outgoing_.push_back({.doing = facts::FlowDoing::attempt_started, .name = notice.name});
      }
      break;
  }
}

void FlowRun::deliver(flow::Observation heard) {
  machine_->deliver(std::move(heard), clock_.now());
  const auto entries = machine_->take();
  if (machine_->divergence()) {
    keep_result(entries);
  } else {
    std::ranges::transform(entries, std::back_inserter(outgoing_), flow::to_fact_entry);
  }
  for (auto& [name, call] : calls_) {
    const auto* node = machine_->find(name);
    if (node == nullptr || node->dropped || node->operation == nullptr) call.stop.request_stop();
  }
}

// A turn in which the code parts from its history does not count: mended, it hears the same once
// more. But what a callback gave is kept, so that it is not called again.
void FlowRun::keep_result(const std::vector<flow::Entry>& turn) {
  const auto* heard = turn.empty() ? nullptr : std::get_if<flow::Observation>(&turn.front());
  const auto* ended = heard ? std::get_if<flow::StepEnded>(heard) : nullptr;
  if (!ended || ended->recorded || ended->ending.kind != flow::Ending::Kind::succeeded) return;
  auto entry = flow::to_fact_entry(turn.front());
  entry.flag = true; // not heard
  outgoing_.push_back(std::move(entry));
}

// ---- what is sent -----------------------------------------------------------------------------

void FlowRun::send(facts::EventData event) {
  home_.submit({.target = Target::instance,
                .key = id_,
                .instance_id = id_,
                .event = std::move(event),
                .kept = true});
}

void FlowRun::flush() {
  if (!machine_ || over_ || stale_ || parked_ || in_flight_) return;
  if (outgoing_.empty()) {
    if (machine_->divergence()) park(); // all that came before it is recorded
    return;
  }
  const bool ends = outgoing_.back().doing == facts::FlowDoing::ended;
  if (paused_ && ends) return;
  in_flight_ = true;
  sent_ = std::exchange(outgoing_, {});
  if (paused_ || home_.is_stopping()) {
    for (auto& entry : sent_) {
      const bool runs = entry.doing == facts::FlowDoing::step_asked && begins_attempt(entry);
      if (runs) entry.flag = true;
    }
  }
  Work work{.target = Target::instance, .key = id_, .instance_id = id_, .kept = true};
  work.event = facts::FlowAdvanced{.worker_id = worker_id_, .version = version_, .entries = sent_};
  work.reply = [this, run = shared_from_this()](const std::expected<Outcome, Failure>& outcome) {
    home_.post(run, Answered{outcome ? std::nullopt : std::optional(outcome.error())});
  };
  home_.submit(std::move(work));
}

void FlowRun::park() {
  parked_ = true;
  const auto& parting = *machine_->divergence();
  send(facts::FlowDiverged{.worker_id = worker_id_,
                           .asked = parting.asked,
                           .recorded = parting.recorded,
                           .advice = parting.advice});
}

bool FlowRun::settle() {
  while (true) {
    flush();
    if (callbacks_ == 0) retired_.clear();
    if (in_flight_ || (over_ && callbacks_ > 0)) return false;
    if (over_) return true;
    if (behind_ && (outgoing_.empty() || paused_)) {
      stale_ = true;
      parked_ = false;
    }
    if (parked_) {
      if (callbacks_ == 0) machine_.reset();
      return false;
    }
    if (!stale_) return false;
    if (++rebuilds_ > kMaxRebuilds) {
      log_.write(LogLevel::error, "flow_not_built", {{"instance_id", key_text(id_)}});
      over_ = true;
    } else {
      build();
    }
  }
}

// ---- building ---------------------------------------------------------------------------------

std::unique_ptr<flow::Machine> FlowRun::new_machine(const Value& input) {
  return std::make_unique<flow::Machine>(
      flow::Machine::Options{.program = code_.program(input), .log = [this](std::string_view text) {
                               log_.write(LogLevel::info, "flow_log",
                                          {{"flow", code_.name},
                                           {"instance_id", id_ == kNoKey ? "" : key_text(id_)},
                                           {"text", std::string(text)}});
                             }});
}

void FlowRun::build_fresh(const Value& input) {
  machine_ = new_machine(input);
  deliver(flow::Begun{fresh_seed()});
}

void FlowRun::build() {
  stale_ = behind_ = false;
  if (callbacks_ > 0 && machine_) retired_.push_back(std::move(machine_));
  machine_.reset();
  outgoing_.clear();
  held_.clear();
  FactReader facts(home_.history(), id_);
  // The input stands in the first fact.
  const auto first = facts.next();
  if (!first) {
    over_ = !facts.error();
    parked_ = facts.error().has_value();
    return;
  }
  std::optional<facts::Fact> again = first;
  flow::Recorded recorded(
      [&] { return again ? std::exchange(again, std::nullopt) : facts.next(); });
  machine_ = new_machine(std::get<facts::InstanceStarted>(first->data).input);
  machine_->replay(recorded);
  while (!facts.error() && recorded.next()) { // what a machine that parted did not read
  }
  version_ = recorded.version();
  paused_ = recorded.paused();
  over_ = over_ || recorded.ended();
  parked_ = recorded.parked() || facts.error().has_value();
  if (over_ || parked_) return;
  catch_up(recorded, recorded.take_notices());
}

void FlowRun::catch_up(const flow::Recorded& recorded, std::deque<flow::Notice> notices) {
  if (machine_->divergence()) return;
  const bool cut_off = mark_calls(recorded);
  release_dropped();
  for (const auto& notice : notices)
    tell(notice);
  for (auto& message : std::exchange(late_, {}))
    end_callback(message);
  if (cut_off) send(facts::FlowHostLost{worker_id_, worker_id_});
}

// Which callbacks of the run are at work now, or have just ended. True: this process is said to
// call others too. It has begun and forgotten those: they are as lost as what a dead one did.
bool FlowRun::mark_calls(const flow::Recorded& recorded) {
  const auto is_called = [&](const std::string& name, std::int64_t attempt) {
    const auto call = calls_.find(name);
    if (call != calls_.end() && call->second.attempt == attempt) return true;
    return std::ranges::any_of(late_, [&](const CallbackEnded& ended) {
      return ended.name == name && ended.attempt == attempt;
    });
  };
  bool cut_off = false;
  for (const auto& [name, open] : recorded.runs()) {
    if (machine_->find(name) == nullptr) continue;
    machine_->set_attempt(name, open.attempt);
    if (!open.running || open.nested || open.worker_id != worker_id_) continue;
    const bool called = is_called(name, open.attempt);
    machine_->set_busy(name, called);
    cut_off = cut_off || !called;
  }
  for (const auto& [name, call] : calls_) {
    const auto* node = machine_->find(name);
    if (node != nullptr && node->dropped) machine_->set_busy(name, true);
  }
  return cut_off;
}

// Steps that nobody waits for and whose callbacks ran when they were dropped: they run no more.
void FlowRun::release_dropped() {
  for (bool found = true; found;) {
    found = false;
    for (const auto* node : machine_->open()) {
      if (!node->dropped || node->busy) continue;
      const auto name = node->name;
      deliver(flow::StepReleased{name});
      found = true;
      break;
    }
  }
}

// ---- callbacks --------------------------------------------------------------------------------

// Its attempt is in the database, or the step is, to be tried when the flow is resumed.
void FlowRun::begin_or_hold(const facts::FlowEntry& entry) {
  if (!entry.flag) return call(entry.name);
  const auto* node = machine_->find(entry.name);
  if (node == nullptr || node->dropped) return;
  machine_->set_attempt(entry.name, 0);
  held_.push_back(entry.name);
}

void FlowRun::release_held() {
  if (paused_ || over_ || stale_ || home_.is_stopping()) return;
  for (const auto& name : std::exchange(held_, {}))
    tell({.kind = flow::Notice::Kind::attempt_due, .name = name});
}

void FlowRun::call(const std::string& name) {
  const auto* node = machine_ ? machine_->find(name) : nullptr;
  if (node == nullptr || node->operation == nullptr || node->dropped || node->busy) return;
  if (over_) return; // others find the attempt cut off
  Call call{.attempt = node->attempt, .stop = {}};
  auto callback = [this, run = shared_from_this(), name, attempt = call.attempt,
                   stop = call.stop.get_token(), work = node->operation->work] {
    CallbackEnded ended{.name = name, .attempt = attempt, .value = {}, .failure = {}};
    try {
      ended.value = work(stop);
      if (ended.value) flow::require_storable(*ended.value, "what the callback gave");
    } catch (...) {
      ended.value.reset();
      ended.failure = flow::failure_of(std::current_exception());
    }
    home_.post(run, std::move(ended));
  };
  if (!home_.call(std::move(callback))) return; // the next process finds the attempt cut off
  ++callbacks_;
  machine_->set_busy(name, true);
  calls_.insert_or_assign(name, std::move(call));
}

// One that its run does not wait for any more is passed over.
void FlowRun::end_callback(CallbackEnded& message) {
  const auto* node = machine_ ? machine_->find(message.name) : nullptr;
  if (node == nullptr || !node->busy || node->attempt != message.attempt) return;
  if (node->operation == nullptr && !node->dropped) return; // it was skipped meanwhile
  machine_->set_busy(message.name, false);
  if (node->dropped) {
    deliver(flow::StepReleased{message.name});
  } else if (message.failure) {
    fail_or_retry(message.name, *message.failure);
  } else {
    deliver(flow::StepEnded{message.name, flow::Ending{.value = std::move(message.value)}});
  }
}

void FlowRun::fail_or_retry(const std::string& name, const flow::Failure& failure) {
  const auto* node = machine_->find(name);
  const auto pause = flow::pause_after(node->operation->ask.retry, node->attempt, failure);
  if (pause) {
    outgoing_.push_back({.doing = facts::FlowDoing::attempt_failed,
                         .name = name,
                         .after = pause,
                         .error_name = failure.name,
                         .error_message = failure.message});
    return;
  }
  deliver(flow::StepEnded{name, flow::Ending{.kind = flow::Ending::Kind::failed,
                                             .value = std::nullopt,
                                             .error_name = failure.name,
                                             .error_message = failure.message}});
}

} // namespace perdure::engine
