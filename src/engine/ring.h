// Ring: the writer thread and its queue. Sleeps until there is work or a row is due, then turns a
// Round.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/deliveries.h"
#include "engine/flow_host.h"
#include "engine/flow_limits.h"
#include "engine/forward_clock.h"
#include "engine/retention.h"
#include "engine/round.h"

namespace perdure::engine {

/// A compiled deployment on its way to the database.
struct Deployment {
  store::Deployment rows;
  std::vector<definition::Diagnostic> warnings;
  Reply<Deployed> reply;
};

/// A schedule on its way to the database: one that is put in the place of another, or goes.
struct ScheduleChange {
  std::string name;
  std::optional<store::FlowSchedule> schedule; ///< none: it goes
  Reply<Done> reply;
};

class Engine::Ring {
public:
  Ring(std::unique_ptr<store::Store> store, Compile compile, Clock& clock, Log& log,
       Options options);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  Result<void> start();
  void end_waits();
  void stop();
  void wake();
  [[nodiscard]] std::optional<Instant> settle();

  // Thread-safe. After stop() they answer "unavailable" at once.
  void submit(Work work);
  void submit(Poll poll);
  void submit(Deployment deployment);
  void submit(ScheduleChange change);

  [[nodiscard]] Handlers& handlers() { return handlers_; }
  [[nodiscard]] FlowHost& flows() { return flows_; }
  [[nodiscard]] Deliveries& deliveries() { return deliveries_; }
  [[nodiscard]] std::vector<Listener*>& listeners() { return listeners_; }
  /// How the worker ids of in-process handlers begin.
  [[nodiscard]] std::string handler_prefix() const { return options_.node_name + ":"; }
  [[nodiscard]] const Compile& compile() const { return compile_; }
  [[nodiscard]] DecisionModels& models() { return models_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }

private:
  /// What the queue gave for one turn.
  struct Intake {
    std::vector<Work> works;
    std::vector<Poll> polls;
    std::vector<Deployment> deployments;
    std::vector<ScheduleChange> schedules;
    bool waits_over = false;
    bool stopping = false;
  };

  /// Moves the item in and wakes the writer; false (item untouched) when closed or full.
  [[nodiscard]] bool enqueue(auto& queue, auto&& item);
  /// What has moved since the start between the writer and the threads that work for it.
  [[nodiscard]] std::uint64_t moves();
  /// Waits until the writer has looked for due rows and has nothing more to do.
  [[nodiscard]] std::optional<Instant> rest();
  void run();
  [[nodiscard]] Intake take();
  [[nodiscard]] Instant sleep_until(Instant now);
  void turn(Intake intake);
  void note_due(std::optional<Instant> due);
  void hold_contested(const std::vector<Work>& works);
  void deploy(Deployment deployment);
  void sweep(Instant now, std::vector<Work>& works);
  void add_due(const std::vector<store::DueRow>& rows, bool holder_gone, std::vector<Work>& works);
  void renew_leases(Instant now, std::vector<Work>& works);

  // Flows (ring_flows.cpp).
  [[nodiscard]] Result<void> start_flows();
  [[nodiscard]] Result<void> define_flows();
  [[nodiscard]] Result<void> put_limits();
  void leave_flows();
  void sweep_flows(Instant now, std::vector<Work>& works);
  void keep_host(Instant now);
  [[nodiscard]] Result<void> begin_anew(Instant now);
  void refuse_former_life(std::vector<Work>& works);
  void take_over(Instant now, std::vector<Work>& works);
  void add_lost(const std::vector<store::FlowAttempt>& attempts, std::vector<Work>& works);
  void wake_ready(Instant now);
  void apply(ScheduleChange change);
  [[nodiscard]] Result<void> change_schedule(ScheduleChange& change);
  [[nodiscard]] bool is_shared() const { return store_->is_shared(); }

  void finish(Job job, JobResult result);
  /// Lets the writer turn, without a sweep.
  void nudge();

  std::unique_ptr<store::Store> store_;
  const Compile compile_;
  ForwardClock clock_;
  Log& log_;
  const Options options_;
  Counters counters_;
  std::vector<Listener*> listeners_;
  Definitions definitions_;
  DecisionModels models_;
  Decisions decisions_;
  Catalog catalog_;
  StateCache cache_;
  Polls polls_;
  Handlers handlers_;
  Deliveries deliveries_;
  FlowLimits limits_;
  FlowHost flows_;
  Parts parts_;
  Retention retention_;

  std::atomic<std::uint64_t> last_poll_{0};
  std::mutex mutex_;
  std::condition_variable awake_;
  std::vector<Work> works_;
  std::vector<Poll> new_polls_;
  std::vector<Deployment> deployments_;
  std::vector<ScheduleChange> schedules_;
  bool woken_ = false;
  bool nudged_ = false;
  bool waits_over_ = false; ///< fetches are answered at once
  bool stopping_ = false;
  bool closed_ = true; ///< not running: commands are turned away
  std::condition_variable rested_;
  bool resting_ = false; ///< the writer has nothing to do until time passes or something comes
  std::uint64_t enqueued_ = 0;

  std::vector<Work> later_; ///< put off by the last round
  std::vector<Work> kept_;  ///< the database could not take them: tried again with the next sweep
  Instant next_sweep_{};    ///< when rows may be due; the past: look at once
  std::optional<Instant> next_due_; ///< when the next row is

  std::string flow_worker_id_; ///< of this process, as long as the others take it for alive
  int lives_ = 0;              ///< how many such names it had
  Instant next_heartbeat_{};
  Instant next_look_{};       ///< for flows that nobody goes on with
  Key looked_until_ = kNoKey; ///< the last one of the page before
  std::thread thread_;
};

} // namespace perdure::engine
