// Events on their way, on SQLite: who waits for them, and what starts by them.
#include <string>
#include <tuple>
#include <utility>

#include "base/json.h"
#include "store/sqlite/store.h"

namespace perdure::store::sqlite {

namespace queries = sql::sqlite;

namespace {

template <class Item>
Result<std::vector<Item>> collect(Statement& statement, Item (*read)(Statement&)) {
  std::vector<Item> items;
  const auto done = statement.each([&](Statement& row) { items.push_back(read(row)); });
  if (!done) return std::unexpected(done.error());
  return items;
}

Receiver read_receiver(Statement& row) { return {row.column<Key>(0), row.column<Key>(1)}; }

} // namespace

Result<std::vector<Receiver>> SqliteStore::message_receivers(std::string_view tenant_id,
                                                             std::string_view name,
                                                             const std::optional<std::string>& key,
                                                             std::int64_t limit) {
  if (!key) {
    return collect(
        connection_->statement(queries::message_receivers_without_key).bind(tenant_id, name, limit),
        read_receiver);
  }
  return collect(
      connection_->statement(queries::message_receivers).bind(tenant_id, name, *key, limit),
      read_receiver);
}

Result<std::vector<facts::DefinitionSubscription>> SqliteStore::starts(std::string_view tenant_id,
                                                                       facts::StartKind kind,
                                                                       std::string_view name) {
  return connection_->statement(queries::starts_by_event)
      .bind(tenant_id, kind, name)
      .rows<facts::DefinitionSubscription>();
}

Result<std::vector<facts::DefinitionSubscription>> SqliteStore::conditional_starts(
    std::string_view tenant_id) {
  return connection_->statement(queries::conditional_starts)
      .bind(tenant_id)
      .rows<facts::DefinitionSubscription>();
}

Result<std::optional<facts::InboundEvent>> SqliteStore::message(std::string_view tenant_id,
                                                                std::string_view name,
                                                                std::string_view message_id) {
  return connection_->statement(queries::inbound_event_by_message)
      .bind(tenant_id, name, message_id)
      .row<facts::InboundEvent>();
}

Result<std::optional<facts::InboundEvent>> SqliteStore::message_by_id(Key id) {
  return connection_->statement(queries::inbound_event_by_id).bind(id).row<facts::InboundEvent>();
}

Result<std::optional<Key>> SqliteStore::instance_of_subscription(Key id) {
  return connection_->statement(queries::instance_of_subscription).bind(id).row<Key>();
}

Result<std::vector<Match>> SqliteStore::waiting_messages(std::span<const Key> subscriptions,
                                                         Instant now) {
  std::string list;
  Array wanted;
  for (const auto id : subscriptions)
    wanted.push_back(id);
  json::append(list, wanted);
  std::vector<Match> matches;
  const auto done = connection_->statement(queries::waiting_messages)
                        .bind(std::string_view(list), now)
                        .each([&](Statement& row) {
                          const auto message = row.column<std::optional<Key>>(2);
                          if (message) matches.push_back({read_receiver(row), *message});
                        });
  if (!done) return std::unexpected(done.error());
  return matches;
}

Result<std::vector<Awaited>> SqliteStore::awaited_messages(Key after, std::int64_t limit,
                                                           Instant now) {
  return collect<Awaited>(connection_->statement(queries::awaited_messages).bind(after, limit, now),
                          [](Statement& row) {
                            return Awaited{row.column<Key>(0), row.column<std::optional<Key>>(1)};
                          });
}

Result<std::vector<facts::PendingEvent>> SqliteStore::pending_events(std::int64_t limit) {
  return connection_->statement(queries::pending_events).bind(limit).rows<facts::PendingEvent>();
}

Result<bool> SqliteStore::is_call_pending(Key called_instance_id) {
  const auto found =
      connection_->statement(queries::is_call_pending).bind(called_instance_id).row<Key>();
  if (!found) return std::unexpected(found.error());
  return found->has_value();
}

Result<std::vector<Key>> SqliteStore::signal_receivers(std::string_view tenant_id,
                                                       std::string_view name, Instant sent_at,
                                                       Key after, std::int64_t limit) {
  return collect<Key>(connection_->statement(queries::signal_receivers)
                          .bind(tenant_id, name, sent_at, after, limit),
                      [](Statement& row) { return row.column<Key>(0); });
}

Result<std::vector<facts::DefinitionSubscription>> SqliteStore::due_starts(Instant now,
                                                                           std::int64_t limit) {
  return connection_->statement(queries::due_starts)
      .bind(now, limit)
      .rows<facts::DefinitionSubscription>();
}

Result<std::optional<Key>> SqliteStore::version_by_number(std::string_view tenant_id,
                                                          std::string_view process_id,
                                                          std::int64_t version) {
  return connection_->statement(queries::version_by_number)
      .bind(tenant_id, process_id, version)
      .row<Key>();
}

Result<std::optional<Key>> SqliteStore::version_by_tag(std::string_view tenant_id,
                                                       std::string_view process_id,
                                                       std::string_view tag) {
  return connection_->statement(queries::version_by_tag)
      .bind(tenant_id, process_id, tag)
      .row<Key>();
}

Result<std::optional<Key>> SqliteStore::version_beside(std::string_view process_id, Key caller_id) {
  return connection_->statement(queries::version_beside).bind(process_id, caller_id).row<Key>();
}

Result<std::int64_t> SqliteStore::call_depth(Key instance_id, std::int64_t limit) {
  const auto depth =
      connection_->statement(queries::call_depth).bind(instance_id, limit).row<std::int64_t>();
  if (!depth) return std::unexpected(depth.error());
  return depth->value_or(0);
}

Result<std::int64_t> SqliteStore::purge_events(Instant now, std::int64_t limit) {
  std::int64_t purged = 0;
  for (const auto* query : {&queries::inbound_event_purge, &queries::pending_event_purge}) {
    auto& purge = connection_->statement(*query).bind(now, limit);
    if (const auto done = purge.run(); !done) return std::unexpected(done.error());
    purged += purge.changes();
  }
  return purged;
}

} // namespace perdure::store::sqlite
