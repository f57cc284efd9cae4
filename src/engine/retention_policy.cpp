#include "engine/retention_policy.h"

#include <algorithm>

namespace perdure::engine {

RetentionPolicy::Time RetentionPolicy::of(std::string_view process_id) const {
  const auto found = by_process.find(process_id);
  return found == by_process.end() ? standard : found->second;
}

RetentionPolicy::Time RetentionPolicy::shortest() const {
  auto shortest = standard;
  for (const auto& [process_id, time] : by_process) {
    if (time && (!shortest || *time < *shortest)) shortest = time;
  }
  return shortest;
}

std::vector<store::ExpiredInstance> expired(const RetentionPolicy& policy,
                                            std::span<const store::InstanceAge> instances,
                                            Instant now) {
  std::vector<store::ExpiredInstance> over;
  for (const auto& instance : instances) {
    const auto time = policy.of(instance.process_id);
    if (!time || !instance.ended_at || now - *instance.ended_at < *time) continue;
    over.push_back(
        {.id = instance.id, .retained_until = *instance.ended_at + *time, .facts = instance.facts});
  }
  return over;
}

std::span<const store::ExpiredInstance> portion(std::span<const store::ExpiredInstance> instances,
                                                std::size_t most_instances,
                                                std::int64_t most_facts) {
  std::int64_t facts = 0;
  std::size_t count = 0;
  for (const auto& instance : instances) {
    facts += instance.facts;
    if (count > 0 && (count == most_instances || facts > most_facts)) break;
    ++count;
  }
  return instances.first(count);
}

Result<RetentionPolicy::Time> parse_retention(std::string_view text) {
  if (text == "off") return RetentionPolicy::Time();
  constexpr Instant kStart{};
  const auto end = add_iso_duration(kStart, text);
  if (!end || *end < kStart) {
    return fail(ErrorCode::invalid_input,
                "\"" + std::string(text) +
                    "\" is no time to keep instances; write one such as \"P30D\", or \"off\" to "
                    "keep them for ever",
                "retention");
  }
  return RetentionPolicy::Time(*end - kStart);
}

} // namespace perdure::engine
