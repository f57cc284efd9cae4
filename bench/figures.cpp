#include "bench/figures.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/json.h"

namespace perdure::bench {

void Figures::add(std::string_view name, double value, std::string_view remark) {
  figures_.emplace_back(name, value);
  std::printf("%-34.*s %14.3f  %.*s\n", static_cast<int>(name.size()), name.data(), value,
              static_cast<int>(remark.size()), remark.data());
  std::fflush(stdout);
}

std::string Figures::json() const {
  Object object;
  for (const auto& [name, value] : figures_)
    object.set(name, value);
  return json::write_pretty(Value(std::move(object))) + "\n";
}

double percentile(std::vector<double>& samples, double part) {
  if (samples.empty()) return 0;
  std::ranges::sort(samples);
  const auto last = static_cast<double>(samples.size() - 1);
  return samples[static_cast<std::size_t>(part * last + 0.5)];
}

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

} // namespace perdure::bench
