#include "app/key_check.h"

#include <algorithm>

#include "base/json.h"

namespace perdure::app {

namespace {

template <class Row>
Key highest_of(const facts::Table<Row>& table) {
  Key highest = kNoKey;
  for (const auto& slot : table.slots())
    highest = std::max(highest, slot.row.id);
  return highest;
}

} // namespace

Key highest_key(const facts::InstanceState& rows) {
  return std::max({rows.instance.id, highest_of(rows.scopes), highest_of(rows.tokens),
                   highest_of(rows.steps), highest_of(rows.external_tasks),
                   highest_of(rows.user_tasks), highest_of(rows.timers), highest_of(rows.joins),
                   highest_of(rows.incidents), highest_of(rows.dead_letters),
                   highest_of(rows.subscriptions), highest_of(rows.compensations),
                   highest_of(rows.evaluations), highest_of(rows.migrations)});
}

std::optional<Key> instance_of(const facts::IdempotencyRecord& record) {
  const auto outcome = json::parse(record.outcome);
  const auto* id = outcome ? outcome->find("instance_id") : nullptr;
  const auto* text = id ? id->as<std::string>() : nullptr;
  return text ? parse_key(*text) : std::nullopt;
}

std::optional<std::string> wrong_record(const facts::IdempotencyRecord& record,
                                        const std::optional<facts::ProcessInstance>& instance) {
  const auto start = "The command with the idempotency key \"" + record.key + "\" ";
  const auto id = instance_of(record);
  if (!id) return start + "has no instance in its outcome.";
  if (!instance) return std::nullopt; // gone at the end of its retention
  if (instance->tenant_id != record.tenant_id) {
    return start + "was of instance " + key_text(*id) + ", which is another tenant's.";
  }
  return std::nullopt;
}

} // namespace perdure::app
