// Events on their way, on PostgreSQL: who waits for them, and what starts by them.
#include <array>
#include <utility>

#include "store/postgres/store.h"

namespace perdure::store::postgres {

namespace queries = sql::postgres;

namespace {

Receiver read_receiver(const QueryResult& result, int row) {
  return {result.column<Key>(row, 0), result.column<Key>(row, 1)};
}

} // namespace

Result<std::vector<Receiver>> PostgresStore::message_receivers(
    std::string_view tenant_id, std::string_view name, const std::optional<std::string>& key,
    std::int64_t limit) {
  const auto result =
      key ? side_.query(queries::message_receivers, parameters(tenant_id, name, *key, limit))
          : side_.query(queries::message_receivers_without_key, parameters(tenant_id, name, limit));
  if (!result) return std::unexpected(result.error());
  std::vector<Receiver> receivers;
  for (int i = 0; i < result->size(); ++i)
    receivers.push_back(read_receiver(*result, i));
  return receivers;
}

Result<std::vector<facts::DefinitionSubscription>> PostgresStore::starts(std::string_view tenant_id,
                                                                         facts::StartKind kind,
                                                                         std::string_view name) {
  const auto result = side_.query(queries::starts_by_event, parameters(tenant_id, kind, name));
  if (!result) return std::unexpected(result.error());
  return result->rows<facts::DefinitionSubscription>();
}

Result<std::vector<facts::DefinitionSubscription>> PostgresStore::conditional_starts(
    std::string_view tenant_id) {
  const auto result = side_.query(queries::conditional_starts, parameters(tenant_id));
  if (!result) return std::unexpected(result.error());
  return result->rows<facts::DefinitionSubscription>();
}

Result<std::optional<facts::InboundEvent>> PostgresStore::message(std::string_view tenant_id,
                                                                  std::string_view name,
                                                                  std::string_view message_id) {
  const auto result =
      side_.query(queries::inbound_event_by_message, parameters(tenant_id, name, message_id));
  if (!result) return std::unexpected(result.error());
  return result->row<facts::InboundEvent>();
}

Result<std::optional<facts::InboundEvent>> PostgresStore::message_by_id(Key id) {
  const auto result = side_.query(queries::inbound_event_by_id, parameters(id));
  if (!result) return std::unexpected(result.error());
  return result->row<facts::InboundEvent>();
}

Result<std::optional<Key>> PostgresStore::instance_of_subscription(Key id) {
  const auto result = side_.query(queries::instance_of_subscription, parameters(id));
  if (!result) return std::unexpected(result.error());
  return result->row<Key>();
}

Result<std::vector<Match>> PostgresStore::waiting_messages(std::span<const Key> subscriptions,
                                                           Instant now) {
  ArrayParameter wanted(kBigint);
  for (const auto id : subscriptions)
    wanted.add(id);
  Parameters given;
  given.push_back(wanted.take());
  given.push_back(parameter(now));
  const auto result = side_.query(queries::waiting_messages, std::move(given));
  if (!result) return std::unexpected(result.error());
  std::vector<Match> matches;
  for (int i = 0; i < result->size(); ++i) {
    const auto message = result->column<std::optional<Key>>(i, 2);
    if (message) matches.push_back({read_receiver(*result, i), *message});
  }
  return matches;
}

Result<std::vector<Awaited>> PostgresStore::awaited_messages(Key after, std::int64_t limit,
                                                             Instant now) {
  const auto result = side_.query(queries::awaited_messages, parameters(after, limit, now));
  if (!result) return std::unexpected(result.error());
  std::vector<Awaited> awaited;
  for (int i = 0; i < result->size(); ++i) {
    awaited.push_back({result->column<Key>(i, 0), result->column<std::optional<Key>>(i, 1)});
  }
  return awaited;
}

Result<std::vector<facts::PendingEvent>> PostgresStore::pending_events(std::int64_t limit) {
  const auto result = claim(queries::pending_events, parameters(limit));
  if (!result) return std::unexpected(result.error());
  return result->rows<facts::PendingEvent>();
}

Result<bool> PostgresStore::is_call_pending(Key called_instance_id) {
  const auto result = side_.query(queries::is_call_pending, parameters(called_instance_id));
  if (!result) return std::unexpected(result.error());
  return result->size() > 0;
}

Result<std::vector<Key>> PostgresStore::signal_receivers(std::string_view tenant_id,
                                                         std::string_view name, Instant sent_at,
                                                         Key after, std::int64_t limit) {
  const auto result =
      side_.query(queries::signal_receivers, parameters(tenant_id, name, sent_at, after, limit));
  if (!result) return std::unexpected(result.error());
  return result->rows<Key>();
}

Result<std::vector<facts::DefinitionSubscription>> PostgresStore::due_starts(Instant now,
                                                                             std::int64_t limit) {
  const auto result = claim(queries::due_starts, parameters(now, limit));
  if (!result) return std::unexpected(result.error());
  return result->rows<facts::DefinitionSubscription>();
}

Result<std::optional<Key>> PostgresStore::version_by_number(std::string_view tenant_id,
                                                            std::string_view process_id,
                                                            std::int64_t version) {
  const auto result =
      side_.query(queries::version_by_number, parameters(tenant_id, process_id, version));
  if (!result) return std::unexpected(result.error());
  return result->row<Key>();
}

Result<std::optional<Key>> PostgresStore::version_by_tag(std::string_view tenant_id,
                                                         std::string_view process_id,
                                                         std::string_view tag) {
  const auto result = side_.query(queries::version_by_tag, parameters(tenant_id, process_id, tag));
  if (!result) return std::unexpected(result.error());
  return result->row<Key>();
}

Result<std::optional<Key>> PostgresStore::version_beside(std::string_view process_id,
                                                         Key caller_id) {
  const auto result = side_.query(queries::version_beside, parameters(process_id, caller_id));
  if (!result) return std::unexpected(result.error());
  return result->row<Key>();
}

Result<std::int64_t> PostgresStore::call_depth(Key instance_id, std::int64_t limit) {
  const auto result = side_.query(queries::call_depth, parameters(instance_id, limit));
  if (!result) return std::unexpected(result.error());
  return result->size() > 0 ? result->column<std::int64_t>(0, 0) : 0;
}

Result<std::int64_t> PostgresStore::purge_events(Instant now, std::int64_t limit) {
  std::int64_t purged = 0;
  for (const auto* query : {&queries::inbound_event_purge, &queries::pending_event_purge}) {
    const auto done = side_.query(*query, parameters(now, limit));
    if (!done) return std::unexpected(done.error());
    purged += done->changes();
  }
  return purged;
}

} // namespace perdure::store::postgres
