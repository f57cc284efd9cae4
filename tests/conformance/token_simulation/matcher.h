// Finds the mapping from expected to observed runs that respects structure and order, by
// backtracking over the expected runs in the order of their creation.
#pragma once

#include <string>
#include <vector>

#include "conformance/token_simulation/compare.h"
#include "conformance/token_simulation/order.h"

namespace perdure::conformance {

class Matcher {
public:
  Matcher(const Expected& expected, const Observed& observed, const Drawing& drawing);

  /// Whether there is such a mapping.
  [[nodiscard]] bool match();
  /// When there is none: how far the search came and why no observed run fitted there.
  [[nodiscard]] const std::string& reason() const { return reason_; }

private:
  [[nodiscard]] bool match_from(std::size_t index);
  /// Empty when the observed run fits; its flows are then assigned.
  [[nodiscard]] std::string misfit(std::size_t index, std::size_t candidate);
  [[nodiscard]] std::string misfit_of_flows(std::size_t index, const ObservedRun& run);
  [[nodiscard]] std::string broken_rule(std::size_t index) const;
  [[nodiscard]] std::int64_t position(const Moment& moment) const;
  [[nodiscard]] std::string name_of(const Moment& moment) const;
  [[nodiscard]] int mapped(int expected_index) const;

  const Expected& expected_;
  const Observed& observed_;
  std::vector<std::vector<Constraint>> rules_; ///< by the run with which they can be judged
  std::vector<int> run_of_;                    ///< expected run to observed run
  std::vector<int> flow_of_;                   ///< expected flow to observed flow
  std::vector<bool> used_;
  std::size_t deepest_ = 0;
  std::string reason_;
  std::int64_t steps_ = 0;
};

} // namespace perdure::conformance
