#include "engine/ring.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace perdure::engine {

namespace {

/// Even when nothing is known to be due, the database is asked this often: memory may be wrong.
constexpr Duration kLongestSleep{5'000};
/// Without work for this long the database may tidy up.
constexpr Duration kQuiet{250};
/// After a failed database call the next look waits this long.
constexpr Duration kAfterFailure{1'000};
constexpr std::int64_t kDueRows = 512;
constexpr std::size_t kLongestQueue = 200'000;
constexpr auto kBadVariables = name_of(facts::RefusalCode::bad_variables);

Failure not_running() {
  return {.kind = Failure::Kind::unavailable,
          .message = "The engine is not running or has too much to do; try again in a moment."};
}

} // namespace

Engine::Ring::Ring(std::unique_ptr<store::Store> store, Compile compile, Clock& clock, Log& log,
                   Options options)
    : store_(std::move(store)),
      compile_(std::move(compile)),
      clock_(clock),
      log_(log),
      options_(std::move(options)),
      definitions_(*store_, compile_),
      models_(compile_),
      decisions_(*store_, definitions_, models_),
      catalog_(decisions_),
      cache_(options_.cached_instances),
      handlers_(options_.handler_threads, options_.handler_capacity,
                [this](Job job, JobResult result) { finish(std::move(job), std::move(result)); }),
      deliveries_(options_.completion_threads, log_, [this] { nudge(); }),
      limits_(*store_),
      flows_(options_.flows, clock_, log_, [this](Work work) { submit(std::move(work)); }),
      parts_{.store = *store_,
             .definitions = definitions_,
             .decisions = decisions_,
             .catalog = catalog_,
             .cache = cache_,
             .handlers = handlers_,
             .polls = polls_,
             .log = log_,
             .options = options_,
             .counters = counters_,
             .listeners = listeners_,
             .flows = flows_,
             .limits = limits_,
             .handler_worker_id = {},
             .keys = {},
             .backlog = {},
             .events = {}},
      retention_(*store_, cache_, options_.retention, counters_, log_) {
  listeners_.push_back(&deliveries_);
}

Engine::Ring::~Ring() { stop(); }

Result<void> Engine::Ring::start() {
  const auto keys = store_->take_keys(1);
  if (!keys) return std::unexpected(keys.error());
  // Unique per process start: locks of an earlier life are never mistaken for our own.
  parts_.handler_worker_id = handler_prefix() + key_text(keys->next);
  // The clock may have been set back since the last run: what was ready then is ready now.
  const auto last = store_->last_time();
  if (!last) return std::unexpected(last.error());
  if (*last) clock_.go_on_from(**last);
  const auto orphans = store_->locks_of(handler_prefix(), 1'000'000);
  if (!orphans) return std::unexpected(orphans.error());
  add_due(*orphans, true, later_);
  if (const auto told = deliveries_.start(*store_); !told) return told;
  if (const auto flows = start_flows(); !flows) return flows;
  next_sweep_ = clock_.now();
  {
    const std::lock_guard lock(mutex_);
    closed_ = false;
  }
  handlers_.start();
  thread_ = std::thread([this] { run(); });
  return {};
}

void Engine::Ring::end_waits() {
  {
    const std::lock_guard lock(mutex_);
    waits_over_ = true;
  }
  wake();
}

void Engine::Ring::stop() {
  if (!thread_.joinable()) return;
  flows_.stop();
  for (const auto& job : handlers_.close())
    submit(awaited_release_of(job));
  handlers_.stop();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    closed_ = true;
  }
  awake_.notify_one();
  thread_.join();
  deliveries_.stop(*store_, clock_.now());
  leave_flows();
  polls_.answer_all();
}

void Engine::Ring::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  awake_.notify_one();
}

void Engine::Ring::nudge() {
  {
    const std::lock_guard lock(mutex_);
    nudged_ = true;
    ++enqueued_;
  }
  awake_.notify_one();
}

std::optional<Instant> Engine::Ring::settle() {
  while (true) {
    const auto before = moves();
    const auto next = rest();
    flows_.await_quiet();
    handlers_.await_quiet();
    deliveries_.await_quiet();
    // Nothing went to and fro meanwhile: each was quiet from its look on.
    if (moves() == before) return next;
  }
}

std::uint64_t Engine::Ring::moves() {
  const auto given = flows_.posted() + handlers_.given();
  const std::lock_guard lock(mutex_);
  return enqueued_ + given;
}

std::optional<Instant> Engine::Ring::rest() {
  std::unique_lock lock(mutex_);
  resting_ = false;
  woken_ = true;
  awake_.notify_one();
  rested_.wait(lock, [this] { return resting_ || closed_; });
  return next_due_;
}

bool Engine::Ring::enqueue(auto& queue, auto&& item) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || queue.size() >= kLongestQueue) return false;
    queue.push_back(std::move(item));
    ++enqueued_;
  }
  awake_.notify_one();
  return true;
}

void Engine::Ring::submit(Work work) {
  work.arrived = clock_.now();
  if (enqueue(works_, work) || !work.reply) return;
  work.reply(std::unexpected(not_running()));
}

void Engine::Ring::submit(Poll poll) {
  poll.id = ++last_poll_;
  if (!enqueue(new_polls_, poll)) poll.reply(std::unexpected(not_running()));
}

void Engine::Ring::submit(Deployment deployment) {
  if (!enqueue(deployments_, deployment)) deployment.reply(std::unexpected(not_running()));
}

void Engine::Ring::submit(ScheduleChange change) {
  if (!enqueue(schedules_, change)) change.reply(std::unexpected(not_running()));
}

// The end of a job, on a pool thread: it comes back as an event like any worker's. Output that is
// refused is a failed attempt: the task must not wait for its lease to run out.
void Engine::Ring::finish(Job job, JobResult result) {
  Work work{.target = Target::instance,
            .key = job.task_id,
            .instance_id = job.instance_id,
            .attempt = job.attempt,
            .kept = true};
  if (result) {
    facts::TaskCompleted completed{.task_id = job.task_id, .worker_id = job.worker_id};
    if (!result->is_null()) completed.variables = std::move(*result);
    work.event = std::move(completed);
    work.reply = [this, job = std::move(job)](std::expected<Outcome, Failure> outcome) mutable {
      if (outcome || outcome.error().violation != kBadVariables) return;
      JobFailure failure{.error_name = std::string(kBadVariables),
                         .message = std::move(outcome.error().message)};
      finish(std::move(job), std::unexpected(std::move(failure)));
    };
  } else if (result.error().bpmn_error) {
    auto& error = result.error();
    facts::TaskErrorThrown thrown{.task_id = job.task_id,
                                  .worker_id = job.worker_id,
                                  .code = *std::move(error.bpmn_error),
                                  .message = std::move(error.message),
                                  .variables = {}};
    if (!error.variables.is_null()) thrown.variables = std::move(error.variables);
    work.event = std::move(thrown);
  } else {
    facts::TaskFailed failed{.task_id = job.task_id,
                             .worker_id = job.worker_id,
                             .error_name = std::move(result.error().error_name),
                             .error_message = std::move(result.error().message),
                             .retry_delay = result.error().retry_delay};
    if (!result.error().retryable) failed.retries = 0;
    work.event = std::move(failed);
  }
  submit(std::move(work));
}

// ---- the writer thread
// ------------------------------------------------------------------------------

void Engine::Ring::run() {
  while (true) {
    auto intake = take();
    // What nobody waits for is in the database and goes on with the next start.
    const bool awaited = std::ranges::any_of(later_, [](const Work& work) { return !!work.reply; });
    if (intake.stopping && intake.works.empty() && intake.deployments.empty() &&
        intake.schedules.empty() && !awaited) {
      for (auto& poll : intake.polls)
        polls_.add(std::move(poll));
      return;
    }
    turn(std::move(intake));
  }
}

// Waits until there is something to do; takes at most one batch, the rest stays queued.
Engine::Ring::Intake Engine::Ring::take() {
  const auto now = clock_.now();
  const bool busy = !later_.empty() || parts_.events.any();
  const auto until = busy ? now : sleep_until(now);
  std::unique_lock lock(mutex_);
  const auto something = [this] {
    return stopping_ || woken_ || nudged_ || !works_.empty() || !new_polls_.empty() ||
           !deployments_.empty() || !schedules_.empty();
  };
  if (!something() && until > now) {
    resting_ = true;
    rested_.notify_all();
  }
  const auto pause = std::min(until - now, kQuiet);
  if (pause > Duration::zero() && !awake_.wait_for(lock, pause, something) && until - now > pause) {
    lock.unlock();
    store_->idle();
    lock.lock();
    awake_.wait_for(lock, until - now - pause, something);
  }
  if (woken_) next_sweep_ = now;
  woken_ = nudged_ = resting_ = false;
  Intake intake{.works = {},
                .polls = std::exchange(new_polls_, {}),
                .deployments = std::exchange(deployments_, {}),
                .schedules = std::exchange(schedules_, {}),
                .waits_over = waits_over_,
                .stopping = stopping_};
  if (works_.size() <= options_.max_batch) {
    intake.works = std::exchange(works_, {});
    return intake;
  }
  const auto middle = works_.begin() + static_cast<std::ptrdiff_t>(options_.max_batch);
  intake.works.assign(std::move_iterator(works_.begin()), std::move_iterator(middle));
  works_.erase(works_.begin(), middle);
  return intake;
}

Instant Engine::Ring::sleep_until(Instant now) {
  auto until = std::min(next_sweep_, now + kLongestSleep);
  if (const auto deadline = polls_.next_deadline()) until = std::min(until, *deadline);
  return std::min(until, retention_.next());
}

void Engine::Ring::turn(Intake intake) {
  for (auto& deployment : intake.deployments)
    deploy(std::move(deployment));
  for (auto& change : intake.schedules)
    apply(std::move(change));
  for (auto& poll : intake.polls) {
    // Nobody has asked for these types lately: what the memory says of them is void.
    for (const auto& type : poll.command.task_types)
      parts_.backlog.erase(type);
    polls_.add(std::move(poll));
  }
  const auto now = clock_.now();
  handlers_.measure(now);
  auto works = std::exchange(later_, {});
  std::ranges::move(intake.works, std::back_inserter(works));
  if (lives_ > 1) refuse_former_life(works);
  hold_contested(works);
  if (now >= next_sweep_) sweep(now, works);
  Round round(parts_, now);
  later_ = round.run(std::move(works));
  store_->end_round();
  std::ranges::move(round.take_kept(), std::back_inserter(kept_));
  note_due(round.next_due());
  note_due(deliveries_.step(*store_, now));
  // Asking again at once would only keep a database busy that has trouble enough.
  if (round.failed()) next_sweep_ = now + kAfterFailure;
  polls_.answer(intake.waits_over ? Instant::max() : now, round.outage());
  counters_.fetches_waiting = static_cast<std::int64_t>(polls_.size());
  retention_.step(now); // after the answers: nobody waits for it
}

// Something will be due then: the ring must not sleep longer.
void Engine::Ring::note_due(std::optional<Instant> due) {
  if (!due) return;
  next_sweep_ = std::min(next_sweep_, *due);
  next_due_ = std::min(next_due_.value_or(*due), *due);
}

// Who lost a race would lose the next one as well while many nodes want the same instance: now it
// takes its turn. In vain when a node is frozen that has the instance: then the commit decides.
void Engine::Ring::hold_contested(const std::vector<Work>& works) {
  std::vector<Key> contested;
  for (const auto& work : works) {
    if (work.overtaken > 0 && work.instance_id != kNoKey) contested.push_back(work.instance_id);
  }
  if (contested.empty()) return;
  if (const auto held = store_->hold(contested); !held) {
    log_.write(LogLevel::warning, "hold_failed", {{"error", held.error().message}});
  }
}

void Engine::Ring::deploy(Deployment deployment) {
  for (const auto& start : deployment.rows.starts) {
    if (start.due_at) next_sweep_ = std::min(next_sweep_, *start.due_at);
  }
  auto stored = store_->deploy(std::move(deployment.rows));
  definitions_.forget_latest();
  decisions_.forget_latest();
  parts_.events.starts_due = true;
  if (!stored) {
    deployment.reply(std::unexpected(failure_of(stored.error())));
    return;
  }
  deployment.reply(Deployed{std::move(stored->processes), std::move(stored->models),
                            std::move(deployment.warnings)});
}

// The sweep that is also the recovery: due timers, locks that ran out, tokens left ready.
void Engine::Ring::sweep(Instant now, std::vector<Work>& works) {
  parts_.backlog.clear();
  deliveries_.look();
  if (is_shared()) limits_.forget(); // another program may have brought others
  auto& events = parts_.events;
  events.pending = events.starts_due = events.schedules_due = events.admissions = true;
  events.check_page = store_->is_shared();
  if (std::exchange(events.check_later, false)) events.check_all = true;
  std::ranges::move(std::exchange(kept_, {}), std::back_inserter(works));
  renew_leases(now, works);
  const auto rows = store_->due_rows(now, kDueRows);
  const auto next = rows ? store_->next_due(now) : Result<std::optional<Instant>>(std::nullopt);
  if (!rows || !next) {
    const auto& error = !rows ? rows.error() : next.error();
    log_.write(LogLevel::error, "sweep_failed", {{"error", error.message}});
    next_sweep_ = now + kAfterFailure;
    return;
  }
  add_due(*rows, false, works);
  next_sweep_ = now + kLongestSleep;
  next_due_ = *next;
  if (*next) next_sweep_ = std::min(next_sweep_, **next);
  // Rows at hand are written off in this very turn: look again right after it when there may be
  // more.
  if (static_cast<std::int64_t>(rows->size()) == kDueRows) next_sweep_ = now;
  if (!handlers_.types().empty()) {
    next_sweep_ = std::min(next_sweep_, now + options_.handler_lease / 4);
  }
  sweep_flows(now, works);
  if (const auto purged = store_->purge_idempotency(now, kDueRows); !purged) {
    log_.write(LogLevel::error, "purge_failed", {{"error", purged.error().message}});
  }
  if (const auto purged = store_->purge_events(now, kDueRows); !purged) {
    log_.write(LogLevel::error, "purge_failed", {{"error", purged.error().message}});
  }
}

void Engine::Ring::add_due(const std::vector<store::DueRow>& rows, bool holder_gone,
                           std::vector<Work>& works) {
  for (const auto& row : rows) {
    Work work{.target = Target::instance, .key = row.id, .instance_id = row.instance_id};
    switch (row.kind) {
      case store::DueRow::Kind::timer: work.event = facts::TimerDue{row.id}; break;
      case store::DueRow::Kind::task_lock:
        work.event = facts::TaskLockExpired{row.id, holder_gone};
        break;
      case store::DueRow::Kind::ready_token: work.event = facts::Proceed{}; break;
    }
    works.push_back(std::move(work));
  }
}

// Handlers that take long keep their tasks: their leases are extended while they run.
void Engine::Ring::renew_leases(Instant now, std::vector<Work>& works) {
  const auto until = now + options_.handler_lease;
  for (const auto& job : handlers_.leases_ending(now + options_.handler_lease / 2)) {
    Work work{.target = Target::instance,
              .key = job.task_id,
              .instance_id = job.instance_id,
              .attempt = job.attempt};
    work.event = facts::TaskLockExtended{job.task_id, job.worker_id, until};
    work.reply = [this, job, until](const std::expected<Outcome, Failure>& outcome) {
      if (outcome) handlers_.renewed(job, until);
    };
    works.push_back(std::move(work));
  }
}

} // namespace perdure::engine
