// Ring: the writer thread and its queue. Sleeps until there is work or a row is due, then turns a
// Round.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/forward_clock.h"
#include "engine/retention.h"
#include "engine/round.h"

namespace perdure::engine {

/// A compiled deployment on its way to the database.
struct Deployment {
  std::vector<facts::ProcessDefinition> rows;
  std::vector<facts::DefinitionSubscription> starts;
  std::vector<definition::Diagnostic> warnings;
  Reply<Deployed> reply;
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

  // Thread-safe. After stop() they answer "unavailable" at once.
  void submit(Work work);
  void submit(Poll poll);
  void submit(Deployment deployment);

  [[nodiscard]] Handlers& handlers() { return handlers_; }
  [[nodiscard]] std::vector<Listener*>& listeners() { return listeners_; }
  /// How the worker ids of in-process handlers begin.
  [[nodiscard]] std::string handler_prefix() const { return options_.node_name + ":"; }
  [[nodiscard]] const Compile& compile() const { return compile_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }

private:
  /// What the queue gave for one turn.
  struct Intake {
    std::vector<Work> works;
    std::vector<Poll> polls;
    std::vector<Deployment> deployments;
    bool waits_over = false;
    bool stopping = false;
  };

  /// Moves the item in and wakes the writer; false (item untouched) when closed or full.
  [[nodiscard]] bool enqueue(auto& queue, auto&& item);
  void run();
  [[nodiscard]] Intake take();
  [[nodiscard]] Instant sleep_until(Instant now);
  void turn(Intake intake);
  void hold_contested(const std::vector<Work>& works);
  void deploy(Deployment deployment);
  void sweep(Instant now, std::vector<Work>& works);
  void add_due(const std::vector<store::DueRow>& rows, bool holder_gone, std::vector<Work>& works);
  void renew_leases(Instant now, std::vector<Work>& works);
  void finish(Job job, JobResult result);

  std::unique_ptr<store::Store> store_;
  const Compile compile_;
  ForwardClock clock_;
  Log& log_;
  const Options options_;
  Counters counters_;
  std::vector<Listener*> listeners_;
  Definitions definitions_;
  StateCache cache_;
  Polls polls_;
  Handlers handlers_;
  Parts parts_;
  Retention retention_;

  std::atomic<std::uint64_t> last_poll_{0};
  std::mutex mutex_;
  std::condition_variable awake_;
  std::vector<Work> works_;
  std::vector<Poll> new_polls_;
  std::vector<Deployment> deployments_;
  bool woken_ = false;
  bool waits_over_ = false; ///< fetches are answered at once
  bool stopping_ = false;
  bool closed_ = true; ///< not running: commands are turned away

  std::vector<Work> later_; ///< put off by the last round
  std::vector<Work> kept_;  ///< the database could not take them: tried again with the next sweep
  Instant next_sweep_{};    ///< when rows may be due; the past: look at once
  std::thread thread_;
};

} // namespace perdure::engine
