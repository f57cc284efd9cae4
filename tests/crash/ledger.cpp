#include "crash/ledger.h"

#include <gtest/gtest.h>

#include <utility>

namespace perdure::crash_test {

void Ledger::started(std::string_view order, std::string_view instance_id) {
  const std::lock_guard lock(mutex_);
  EXPECT_TRUE(instances_.emplace(order, instance_id).second) << order;
  EXPECT_TRUE(taken_instances_.emplace(instance_id).second)
      << order << " was given instance " << instance_id << ", which is another order's";
}

void Ledger::given(std::string_view task_id, std::int64_t attempt) {
  const std::lock_guard lock(mutex_);
  EXPECT_TRUE(given_.emplace(task_id, attempt).second)
      << "attempt " << attempt << " of task " << task_id << " was given to two workers";
}

void Ledger::completed(Completion completion) {
  const std::lock_guard lock(mutex_);
  if (completion.acknowledged) {
    EXPECT_TRUE(acknowledged_.insert(completion.task_id).second)
        << "task " << completion.task_id << " was acknowledged twice";
  }
  completions_[{completion.instance_id, completion.node_id}].push_back(std::move(completion));
}

std::map<std::string, std::string> Ledger::instances() const {
  const std::lock_guard lock(mutex_);
  return {instances_.begin(), instances_.end()};
}

std::vector<Completion> Ledger::completions_of(const std::string& instance_id,
                                               const std::string& node_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = completions_.find({instance_id, node_id});
  return found == completions_.end() ? std::vector<Completion>() : found->second;
}

} // namespace perdure::crash_test
