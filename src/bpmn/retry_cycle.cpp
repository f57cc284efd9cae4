#include "bpmn/retry_cycle.h"

#include <charconv>
#include <string>

#include "definition/report.h"
#include "xml/xml.h"

namespace perdure::bpmn {

namespace {

constexpr std::int64_t kMaxAttempts = 1'000'000;
constexpr std::size_t kMaxIntervals = 1'000;

std::unexpected<Error> refuse(std::string_view text) {
  return fail(ErrorCode::invalid_input,
              "The retry cycle " + definition::in_quotes(text) +
                  " is none that Perdure reads: write it as R3/PT10S or as PT1M,PT5M.");
}

Result<Duration> parse_interval(std::string_view text) {
  auto due = add_iso_duration(from_ms(0), xml::trim(text));
  if (!due) return refuse(text);
  if (to_ms(*due) < 0) return refuse(text);
  return due->time_since_epoch();
}

} // namespace

Result<RetryCycle> parse_retry_cycle(std::string_view text) {
  const auto whole = xml::trim(text);
  RetryCycle cycle;
  if (whole.starts_with('R')) {
    const auto slash = whole.find('/');
    if (slash == std::string_view::npos) return refuse(whole);
    const auto count = whole.substr(1, slash - 1);
    const auto* end = count.data() + count.size();
    const auto [stop, reason] = std::from_chars(count.data(), end, cycle.attempts);
    if (reason != std::errc() || stop != end || cycle.attempts < 1 ||
        cycle.attempts > kMaxAttempts) {
      return refuse(whole);
    }
    const auto interval = parse_interval(whole.substr(slash + 1));
    if (!interval) return refuse(whole);
    cycle.intervals.push_back(*interval);
    return cycle;
  }
  for (auto rest = whole;;) {
    const auto comma = rest.find(',');
    const auto interval = parse_interval(rest.substr(0, comma));
    if (!interval || cycle.intervals.size() == kMaxIntervals) return refuse(whole);
    cycle.intervals.push_back(*interval);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  cycle.attempts = static_cast<std::int64_t>(cycle.intervals.size()) + 1;
  return cycle;
}

} // namespace perdure::bpmn
