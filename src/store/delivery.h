// Delivery at the port of the database: what is on its way to instances, and who waits for it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "facts/rows.h"
#include "facts/view.h"
#include "perdure/result.h"
#include "store/flow_store.h"

namespace perdure::store {

/// A message that was received is taken. A conflict when somebody has it already.
struct MessageTaken {
  Key id = kNoKey;
  Key claimed_by = kNoKey; ///< the subscription, or the instance that it started
  Instant claimed_at{};
};
PERDURE_DESCRIBE(MessageTaken, id, claimed_by, claimed_at)

/// A pending event goes on or is done with. A conflict when somebody else did that.
struct PendingMoved {
  Key id = kNoKey;
  std::int64_t reached_before = 0;
  std::int64_t reached_id = 0;
  facts::PendingState state = facts::PendingState::delivered;
  std::optional<Instant> closed_at;
};
PERDURE_DESCRIBE(PendingMoved, id, reached_before, reached_id, state, closed_at)

/// A timer has started an instance. A conflict when another node did that.
struct StartMoved {
  Key id = kNoKey;
  std::int64_t occurrence_before = 0;
  std::int64_t occurrence = 0;
  Instant due_at{};
  facts::StartState state = facts::StartState::open;
  std::optional<Instant> closed_at;
};
PERDURE_DESCRIBE(StartMoved, id, occurrence_before, occurrence, due_at, state, closed_at)

/// What a unit says of events on their way: true together with it or not at all.
struct Delivered {
  std::vector<facts::InboundEvent> received; ///< new
  std::vector<Key> addressed;                ///< instances; a conflict when one is not live
  std::vector<facts::PendingEvent> sent;     ///< new, of nobody's instance
  std::vector<MessageTaken> taken;
  std::vector<PendingMoved> moved;
  std::vector<StartMoved> started;
  std::vector<FlowSlot> queued; ///< new
  std::vector<SlotAdmitted> admitted;
  std::vector<SlotLeft> left;
  std::vector<ScheduleMoved> scheduled;
  [[nodiscard]] bool empty() const {
    return received.empty() && sent.empty() && taken.empty() && moved.empty() && started.empty() &&
           queued.empty() && admitted.empty() && left.empty() && scheduled.empty();
  }
};

/// A subscription and whose it is.
struct Receiver {
  Key subscription_id = kNoKey;
  Key instance_id = kNoKey;
};

/// A subscription, and the oldest message that waits for one like it.
struct Match {
  Receiver receiver;
  Key message_id = kNoKey;
};

/// A message, and the oldest subscription that waits for one like it, if there is one.
struct Awaited {
  Key message_id = kNoKey;
  std::optional<Key> subscription_id;
};

/// What the engine asks of events. A message that names a key is for those that wait for this key,
/// and for those that wait for none in an instance whose business key it is; one that names none is
/// for those that wait for none.
class EventStore {
public:
  EventStore() = default;
  EventStore(const EventStore&) = delete;
  EventStore& operator=(const EventStore&) = delete;
  virtual ~EventStore() = default;

  /// Who waits for the message, oldest first, at most `limit`.
  [[nodiscard]] virtual Result<std::vector<Receiver>> message_receivers(
      std::string_view tenant_id, std::string_view name, const std::optional<std::string>& key,
      std::int64_t limit) = 0;
  /// What a message or signal of that name starts, newest first.
  [[nodiscard]] virtual Result<std::vector<facts::DefinitionSubscription>> starts(
      std::string_view tenant_id, facts::StartKind kind, std::string_view name) = 0;
  /// What conditions start, oldest first.
  [[nodiscard]] virtual Result<std::vector<facts::DefinitionSubscription>> conditional_starts(
      std::string_view tenant_id) = 0;
  /// The message that was received under that id.
  [[nodiscard]] virtual Result<std::optional<facts::InboundEvent>> message(
      std::string_view tenant_id, std::string_view name, std::string_view message_id) = 0;
  [[nodiscard]] virtual Result<std::optional<facts::InboundEvent>> message_by_id(Key id) = 0;
  /// Whose subscription it is, while it is open.
  [[nodiscard]] virtual Result<std::optional<Key>> instance_of_subscription(Key id) = 0;

  /// Of these subscriptions those for which a message waits.
  [[nodiscard]] virtual Result<std::vector<Match>> waiting_messages(
      std::span<const Key> subscriptions, Instant now) = 0;
  /// A page of messages in key order, those that somebody has or that expired too.
  [[nodiscard]] virtual Result<std::vector<Awaited>> awaited_messages(Key after, std::int64_t limit,
                                                                      Instant now) = 0;

  /// Events that are to be delivered, oldest first, at most `limit`. Other nodes leave them alone
  /// until the round ends.
  [[nodiscard]] virtual Result<std::vector<facts::PendingEvent>> pending_events(
      std::int64_t limit) = 0;
  /// Whether what is to start this instance for another one is still on its way.
  [[nodiscard]] virtual Result<bool> is_call_pending(Key called_instance_id) = 0;
  /// Instances behind `after`, in key order, that waited for the signal at that time.
  [[nodiscard]] virtual Result<std::vector<Key>> signal_receivers(std::string_view tenant_id,
                                                                  std::string_view name,
                                                                  Instant sent_at, Key after,
                                                                  std::int64_t limit) = 0;
  /// Starts whose time has come, at most `limit`, claimed as above.
  [[nodiscard]] virtual Result<std::vector<facts::DefinitionSubscription>> due_starts(
      Instant now, std::int64_t limit) = 0;
  /// The version of a process that a call is bound to: by its number, as the newest one with that
  /// tag, or as the one in the file of the calling definition.
  [[nodiscard]] virtual Result<std::optional<Key>> version_by_number(std::string_view tenant_id,
                                                                     std::string_view process_id,
                                                                     std::int64_t version) = 0;
  [[nodiscard]] virtual Result<std::optional<Key>> version_by_tag(std::string_view tenant_id,
                                                                  std::string_view process_id,
                                                                  std::string_view tag) = 0;
  [[nodiscard]] virtual Result<std::optional<Key>> version_beside(std::string_view process_id,
                                                                  Key caller_id) = 0;
  /// How many instances called each other down to this one, itself included; counts up to `limit`.
  [[nodiscard]] virtual Result<std::int64_t> call_depth(Key instance_id, std::int64_t limit) = 0;
  /// Drops messages that have expired and delivered events of nobody's instance, at most `limit` of
  /// each; returns how many.
  [[nodiscard]] virtual Result<std::int64_t> purge_events(Instant now, std::int64_t limit) = 0;
};

} // namespace perdure::store
