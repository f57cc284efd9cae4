// Work: one event on its way through the ring, with what it needs to find its instance and to
// answer.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/commands.h"
#include "facts/event.h"
#include "store/delivery.h"

namespace perdure::engine {

/// Which row names the instance that the event is for.
/// `message`: whoever waits for it; `none`: it is an event on its way to others.
enum class Target { fresh, instance, external_task, user_task, incident, message, none };

/// Who is to get a task once its lock is committed.
struct Consumer {
  enum class Kind { none, handler, poll };
  Kind kind = Kind::none;
  std::uint64_t poll = 0;
};

/// What the ring answers to a work; commands make their own answer of it.
struct Outcome {
  Key instance_id = kNoKey;
  bool repeated = false;                           ///< an idempotency record answered
  Array facts{};                                   ///< of a dry run
  Array begun{};                                   ///< by conditions
  std::optional<std::int64_t> flow_begun{};        ///< its code had begun when sent: the last fact
  Correlated::Fate fate = Correlated::Fate::taken; ///< of a message
};

/// A message that looks for its receiver.
struct Message {
  std::string name;
  std::optional<std::string> key;
  std::optional<std::string> id;
  Value variables; ///< an object
  Duration time_to_live{};
  bool refuse_ambiguous = false;
  bool start_once_per_key = false;
  bool starts_nothing = false;
  std::optional<Key> run_id{}; ///< it is for that run, or the one that continues it
};

/// Variables that begin the processes whose conditions they make true.
struct Offer {
  Object variables;
  std::optional<std::string> business_key;
};

/// The rows that brought a work, or that it leaves: true with what the work changes, or not at all.
struct Errand {
  std::optional<Message> message;             ///< it looks for a receiver each time
  std::optional<Offer> offer;                 ///< it looks for processes that begin
  std::optional<facts::PendingEvent> pending; ///< done with when the work is
  std::optional<Key> inbound_id;              ///< a message that was waiting
  Key subscription_id = kNoKey;               ///< that has it
  store::Delivered events;                    ///< as they are to be written
  Correlated::Fate fate = Correlated::Fate::taken;
  int searches = 0; ///< how often its receiver was gone when it came
};

struct AuditDraft {
  std::string actor;
  std::string action;
  Value details;
};

struct Work {
  Target target = Target::instance;
  Key key = kNoKey;         ///< of the row that `target` names
  Key instance_id = kNoKey; ///< known at once, or found by the ring
  bool hinted = false;      ///< the caller named the instance: it may be wrong
  std::int64_t attempt = 0; ///< of the lease that the sender was given; 0: any
  std::string process_id;   ///< fresh: latest version of this process, unless the event names one
  facts::EventData event;
  std::string tenant_id;
  std::optional<Instant> arrived; ///< when it was sent to the engine; none: the engine made it
  std::optional<Idempotency> idempotency;
  std::optional<AuditDraft> audit;
  bool dry_run = false;           ///< decided and answered, never committed
  Consumer consumer;              ///< of a TaskLocked event
  std::unique_ptr<Errand> errand; ///< of an event on its way
  int tries = 0;         ///< grows with every refused commit; from 1 on it is decided alone
  int overtaken = 0;     ///< how often another node was faster
  bool in_doubt = false; ///< a commit of it was not answered: it may be done
  bool kept = false;     ///< nobody sends it again: kept while the database cannot take it
  std::move_only_function<void(std::expected<Outcome, Failure>)> reply; ///< may be empty
};

/// A task that its holder was given and has not begun: it goes back, and the attempt does not
/// count.
[[nodiscard]] inline Work release_of(const Job& job) {
  return {.target = Target::instance,
          .key = job.task_id,
          .instance_id = job.instance_id,
          .attempt = job.attempt,
          .event = facts::TaskReleased{job.task_id, job.worker_id}};
}

/// The same, and a stop waits for it.
[[nodiscard]] inline Work awaited_release_of(const Job& job) {
  auto work = release_of(job);
  work.reply = [](const std::expected<Outcome, Failure>&) {};
  return work;
}

} // namespace perdure::engine
