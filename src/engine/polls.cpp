#include "engine/polls.h"

#include <algorithm>
#include <utility>

namespace perdure::engine {

bool Poll::wants(const std::string& type) const {
  return missing() > 0 && wanted->load() &&
         std::ranges::find(command.task_types, type) != command.task_types.end();
}

void Polls::add(Poll poll) { polls_.push_back(std::move(poll)); }

Poll* Polls::taker(const std::string& type) {
  const auto found =
      std::ranges::find_if(polls_, [&](const Poll& poll) { return poll.wants(type); });
  return found == polls_.end() ? nullptr : &*found;
}

Poll* Polls::find(std::uint64_t id) {
  const auto found = std::ranges::find(polls_, id, &Poll::id);
  return found == polls_.end() ? nullptr : &*found;
}

std::vector<std::string> Polls::types() const {
  std::vector<std::string> types;
  for (const auto& poll : polls_) {
    if (poll.missing() == 0 || !poll.wanted->load()) continue;
    for (const auto& type : poll.command.task_types) {
      if (std::ranges::find(types, type) == types.end()) types.push_back(type);
    }
  }
  return types;
}

std::size_t Polls::demand(const std::string& type) const {
  std::size_t demand = 0;
  for (const auto& poll : polls_) {
    if (poll.wants(type)) demand += poll.missing();
  }
  return demand;
}

void Polls::answer(Instant now, const std::optional<Failure>& outage) {
  std::list<Poll> answered;
  for (auto poll = polls_.begin(); poll != polls_.end();) {
    const auto next = std::next(poll);
    const bool over = now >= poll->deadline || !poll->wanted->load();
    if (poll->reserved == 0 && (over || !poll->jobs.empty())) {
      answered.splice(answered.end(), polls_, poll);
    }
    poll = next;
  }
  for (auto& poll : answered) {
    if (outage && poll.jobs.empty()) {
      poll.reply(std::unexpected(*outage));
    } else {
      poll.reply(std::move(poll.jobs));
    }
  }
}

void Polls::answer_all() {
  auto answered = std::exchange(polls_, {});
  for (auto& poll : answered)
    poll.reply(std::move(poll.jobs));
}

std::optional<Instant> Polls::next_deadline() const {
  std::optional<Instant> next;
  for (const auto& poll : polls_) {
    if (!next || poll.deadline < *next) next = poll.deadline;
  }
  return next;
}

} // namespace perdure::engine
