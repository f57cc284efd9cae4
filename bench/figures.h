// Figures: named numbers of one run, in the order they were measured.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace perdure::bench {

class Figures {
public:
  /// Keeps the figure and prints it as a line. The name carries the unit, e.g. "fsync_p50_ms".
  void add(std::string_view name, double value, std::string_view remark = {});
  /// One flat JSON object.
  [[nodiscard]] std::string json() const;

private:
  std::vector<std::pair<std::string, double>> figures_;
};

/// The value below which `part` (0..1) of the samples lie. Sorts them.
[[nodiscard]] double percentile(std::vector<double>& samples, double part);

/// Monotonic seconds, for intervals.
[[nodiscard]] double seconds_now();

} // namespace perdure::bench
