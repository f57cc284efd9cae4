// Draft: one decision on a flow in the making. Each fact is applied at once, so that the next look
// sees it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "facts/apply.h"
#include "flow/decide.h"

namespace perdure::flow {

class Draft {
public:
  Draft(const Kind& kind, facts::InstanceState& state, Instant at, KeyRange keys,
        const Policy& policy)
      : kind_(kind), state_(state), at_(at), keys_(keys), policy_(policy) {}

  [[nodiscard]] const std::string& process_id() const { return kind_.process_id; }
  [[nodiscard]] const Kind& kind() const { return kind_; }
  [[nodiscard]] const facts::InstanceState& state() const { return state_; }
  [[nodiscard]] const facts::FlowRun& run() const {
    const auto* run = state_.flow_runs.find(state_.instance.id);
    PERDURE_CHECK(run != nullptr);
    return *run;
  }
  [[nodiscard]] Instant at() const { return at_; }
  [[nodiscard]] const Policy& policy() const { return policy_; }

  void emit(facts::FactData data) {
    facts_.push_back(
        {.sequence = state_.instance.last_sequence + 1, .at = at_, .data = std::move(data)});
    facts::apply(state_, facts_.back());
  }
  [[nodiscard]] Key take_key() {
    PERDURE_CHECK(keys_.left() > 0);
    return keys_.take();
  }
  [[nodiscard]] bool has_facts() const { return !facts_.empty(); }
  [[nodiscard]] Verdict take() && {
    return {.facts = std::move(facts_), .refusal = {}, .keys = keys_};
  }

private:
  const Kind& kind_;
  facts::InstanceState& state_;
  Instant at_;
  KeyRange keys_;
  const Policy& policy_;
  std::vector<facts::Fact> facts_;
};

} // namespace perdure::flow
