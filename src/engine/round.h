// Round: one turn of the ring. Resolves the waiting works to instances, loads what is not in
// memory, decides each, hands fresh tasks to hungry workers, commits all in one transaction,
// answers.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/check.h"
#include "engine/decisions.h"
#include "engine/definitions.h"
#include "engine/engine.h"
#include "engine/flow_limits.h"
#include "engine/handlers.h"
#include "engine/polls.h"
#include "engine/state_cache.h"
#include "engine/work.h"
#include "flow/decide.h"

namespace perdure::engine {

class FlowHost;

/// What the memory knows of events on their way. The rows are the truth: it only says when to look.
struct EventNotes {
  /// How often the delivery of a pending event failed.
  struct Trials {
    int tries = 0;
    int overtaken = 0;
  };
  bool pending = true;       ///< some may be to deliver
  bool starts_due = true;    ///< the time of some may have come
  bool schedules_due = true; ///< likewise of some schedules
  bool admissions = true;    ///< runs may wait to be let in that have room
  std::vector<Key> opened;   ///< subscriptions for which a message may wait
  std::vector<Key> kept;     ///< messages for which somebody may wait
  Key checked = kNoKey;      ///< messages up to here were offered to those who wait
  bool check_all = true;     ///< offer the others too: nobody did since the start
  bool check_page = false;   ///< offer the next page
  bool check_later = false;  ///< a look failed: all of them with the next sweep
  std::unordered_map<Key, Trials> trials;
  [[nodiscard]] bool any() const {
    return pending || starts_due || schedules_due || admissions || check_all || check_page ||
           !opened.empty() || !kept.empty();
  }
};

/// What rounds share; owned by the ring, of the writer thread only.
struct Parts {
  store::Store& store;
  Definitions& definitions;
  Decisions& decisions;
  const Catalog& catalog;
  StateCache& cache;
  Handlers& handlers;
  Polls& polls;
  Log& log;
  const Options& options;
  Counters& counters;
  std::vector<Listener*>& listeners;
  FlowHost& flows;
  FlowLimits& limits;
  std::string handler_worker_id;
  KeyRange keys;
  /// Types of which ready tasks may lie in the database without a taker; absent: unknown, so maybe.
  std::map<std::string, bool> backlog;
  EventNotes events;
};

class Round {
public:
  Round(Parts& parts, Instant now) : parts_(parts), now_(now) {}

  /// Decides and commits. Works that must wait for the next round come back.
  [[nodiscard]] std::vector<Work> run(std::vector<Work> works);

  /// The earliest time at which something that this round wrote will be due; nullopt: nothing.
  [[nodiscard]] std::optional<Instant> next_due() const { return next_due_; }
  /// Works that the database could not take and that nobody will send again.
  [[nodiscard]] std::vector<Work> take_kept() { return std::move(kept_); }
  /// The database could not do all that it was asked for.
  [[nodiscard]] bool failed() const { return failed_; }
  /// Why the database could not say which tasks are ready.
  [[nodiscard]] const std::optional<Failure>& outage() const { return outage_; }

private:
  struct Refused {
    Work* work;
    facts::Refusal refusal;
  };
  struct Assignment {
    Consumer consumer;
    Job job;
  };
  /// A place that is set aside, and the lock that goes with it.
  struct Claim {
    Consumer consumer;
    facts::TaskLocked locked;
  };
  /// What this round does to one instance.
  struct Unit {
    Key instance_id = kNoKey;
    facts::InstanceState* state = nullptr;
    std::int64_t base_version = 0;
    definition::DefinitionPtr definition;
    std::vector<facts::Fact> facts;
    std::vector<Work*> accepted;
    std::vector<Refused> refused;
    std::vector<Assignment> assignments;
    std::vector<facts::IdempotencyRecord> idempotency;
    std::vector<facts::AuditEntry> audit;
    std::int64_t moves = 0; ///< of tokens, in all decisions of this round
    store::Delivered events;
    bool was_paused = false; ///< when the database last saw it
    bool alone = false;      ///< takes no further work in this round
    bool broken = false;     ///< a bug was found: the state is gone
  };

  /// Rows that belong to no instance.
  struct Loose {
    Work* work = nullptr; ///< to be answered; may be none
    store::Unit unit;
    Outcome outcome;
  };

  // Events on their way (round_events.cpp).
  void take_events(std::vector<Work>& works);
  void take_pending(std::vector<Work>& works);
  [[nodiscard]] std::optional<Work> work_of(facts::PendingEvent event);
  [[nodiscard]] bool call(Work& work, const facts::PendingEvent& event);
  [[nodiscard]] Result<Key> called_version(const facts::PendingEvent& event);
  static void report_failed_call(Work& work, const facts::PendingEvent& event, std::string why);
  void take_starts(std::vector<Work>& works);
  void match_opened(std::vector<Work>& works);

  // Many flows (round_flows.cpp).
  void let_in(std::vector<Work>& works);
  [[nodiscard]] Result<void> let_in(const std::string& name, std::vector<Work>& works);
  void take_schedules(std::vector<Work>& works);
  void fire(const store::FlowSchedule& schedule, std::vector<Work>& works);
  [[nodiscard]] bool queues(const std::string& process_id);
  [[nodiscard]] Result<void> inherit(const Unit& unit, facts::FlowAdmission& admission);
  void note_slot(Unit& unit, const facts::Fact& fact);
  void note_flow(const Unit& unit);

  void check_messages(std::vector<Work>& works);
  void offer_kept(std::vector<Work>& works);
  bool offer_page(Key after, std::int64_t limit, std::vector<Work>& works);
  void offer_message(Key message_id, const store::Receiver& receiver, std::vector<Work>& works);
  [[nodiscard]] bool fits_in(Work& work, const Unit& unit);
  [[nodiscard]] bool find_receiver(Work& work);
  [[nodiscard]] bool find_run(Work& work);
  [[nodiscard]] bool was_received(Work& work);
  [[nodiscard]] bool find_start(Work& work);
  [[nodiscard]] bool keep_message(Work& work);
  void spread_signal(Work& work);
  [[nodiscard]] std::vector<facts::PendingEvent> starts_by_signal(
      const facts::PendingEvent& signal);
  void send_signal(Work& work);
  void begin_by_conditions(Work& work);
  [[nodiscard]] Result<std::vector<facts::DefinitionSubscription>> starts_that_hold(
      const Work& work);
  void write_loose(Work* work, store::Delivered events, Outcome outcome = {});
  void write_errand(Unit& unit, const Work& work);
  void miss(Work& work, Failure failure);
  void discard(const facts::PendingEvent& event, std::string_view why);
  void put_back(Work& work, int EventNotes::Trials::* counter);
  void note_events(const Unit& unit);
  [[nodiscard]] Result<void> ensure_keys(std::int64_t count);
  void commit_loose();
  void finish_loose(Loose& loose, const store::UnitOutcome& outcome);

  // Before deciding.
  [[nodiscard]] bool resolve(Work& work);
  [[nodiscard]] bool find_definition(Work& work);
  [[nodiscard]] Result<std::optional<Key>> owner_of(const Work& work);
  [[nodiscard]] bool answered_before(Work& work);
  void offer_backlog(std::vector<Work>& works);
  [[nodiscard]] std::optional<Claim> claim_for(const std::string& type, Key task_id);
  void load_missing(const std::vector<Work*>& works);
  void drop_outdated(const std::vector<Work*>& works, std::vector<Key>& missing);

  // Migration (round_migration.cpp).
  [[nodiscard]] std::expected<definition::DefinitionPtr, Failure> migration_target(
      const Unit& unit, facts::MigrateRequested& request);
  [[nodiscard]] bool prepare_migration(const Unit& unit, Work& work);
  [[nodiscard]] decide::Decision decide_migration(Unit& unit, const facts::Event& event,
                                                  const decide::Policy& policy);

  // Deciding.
  void decide_one(Work& work);
  void begin_instance(Work& work);
  [[nodiscard]] std::expected<Unit*, Failure> unit_of(Key instance_id);
  void try_out(const Unit& unit, Work& work);
  [[nodiscard]] bool was_misled(Work& work, const Unit* unit);
  [[nodiscard]] static bool lost_its_lease(const Work& work, const Unit& unit);
  [[nodiscard]] static Instant time_of(const Unit& unit, Instant at);
  [[nodiscard]] Instant time_of(const Work& work) const;
  [[nodiscard]] flow::Kind kind_of(const Unit& unit, const facts::EventData& data);
  [[nodiscard]] decide::Decision decide_event(Unit& unit, const facts::EventData& data, Instant at);
  void accept(Unit& unit, Work& work, decide::Decision decision);
  void refuse(Unit& unit, Work& work, facts::Refusal refusal);
  void found_bug(Unit& unit, Work* work, const BugFound& bug);
  void put_off(Unit& unit, Work& work, const decide::CatalogUnavailable& reason);
  void abandon(Unit& unit);
  void log_bug(Key instance_id, const BugFound& bug);
  void set_aside(Key instance_id, std::string why);
  void assign_fresh_tasks(Unit& unit);
  void assign(Unit& unit, Key task_id);
  [[nodiscard]] Result<void> ensure_keys(const Unit& unit, const facts::EventData& event);
  [[nodiscard]] Job job_of(const Unit& unit, Key task_id) const;
  void add_facts(Unit& unit, std::vector<facts::Fact> facts);
  void note_due(const facts::Fact& fact);

  // After deciding.
  void commit();
  void succeed(Unit& unit);
  void proceed_with(const Unit& unit);
  void give_up(Unit& unit, const Error& error);
  void refused_for_good(const Unit& unit, Work& work, const Error& error);
  [[nodiscard]] Failure business_key_taken(const Unit& unit, const Work& work);
  void again(Work& work, int Work::* counter = &Work::tries);
  void release(const Consumer& consumer);
  void reply(Work& work, std::expected<Outcome, Failure> outcome);
  void turn_away(Work& work, Failure failure);

  Parts& parts_;
  Instant now_;
  std::optional<Instant> next_due_;
  std::vector<Unit> units_;
  std::vector<Loose> loose_;
  std::set<Key> messages_offered_;
  std::set<Key> pending_seen_;
  std::unordered_map<Key, std::size_t> unit_by_instance_;
  std::set<std::pair<std::string, std::string>> idempotency_seen_;
  std::optional<Error> load_error_; ///< why instances that exist may be missing
  std::vector<Work> later_;
  std::vector<Work> kept_;
  bool failed_ = false;
  std::optional<Failure> outage_;
};

[[nodiscard]] Failure failure_of(const Error& error);
[[nodiscard]] Failure failure_of(const facts::Refusal& refusal);

} // namespace perdure::engine
