// FlowLimits: what the runs of a name may do together, as the database has it.
#pragma once

#include <string>
#include <unordered_map>

#include "store/store.h"

namespace perdure::engine {

/// Of the writer thread only.
class FlowLimits {
public:
  explicit FlowLimits(store::Store& store) : store_(store) {}

  /// nullptr: there are none. Good until forget().
  [[nodiscard]] Result<const store::FlowLimit*> of(const std::string& process_id);
  /// Another node may have changed them.
  void forget() { known_ = false; }

private:
  store::Store& store_;
  bool known_ = false;
  std::unordered_map<std::string, store::FlowLimit> by_name_;
};

/// Until when a start counts that was let in then.
[[nodiscard]] Instant counts_until(const store::FlowLimit* limit, Instant admitted_at);

} // namespace perdure::engine
