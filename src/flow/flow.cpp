#include "perdure/flow.h"

#include "flow/machine.h"

namespace perdure {

Step<void> Flow::sleep(std::string name, std::chrono::milliseconds duration) {
  return Step<void>(operation_of<void>(
      {.kind = flow::AskKind::sleep, .name = std::move(name), .after = duration}));
}

Step<void> Flow::sleep(std::string name, std::chrono::sys_time<std::chrono::milliseconds> until) {
  return Step<void>(
      operation_of<void>({.kind = flow::AskKind::sleep, .name = std::move(name), .at = until}));
}

std::chrono::sys_time<std::chrono::milliseconds> Flow::now() { return machine_->time(); }

std::uint64_t Flow::random() { return machine_->chance(); }

std::string Flow::uuid() {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string text;
  for (int half = 0; half < 2; ++half) {
    auto bits = machine_->chance();
    // RFC 9562, section 5.4: version 4 in the first half, the variant in the second.
    if (half == 0) bits = (bits & ~0xF000ULL) | 0x4000ULL;
    if (half == 1) bits = (bits & ~(3ULL << 62)) | (2ULL << 62);
    for (int shift = 60; shift >= 0; shift -= 4) {
      const auto digits = text.size();
      if (digits == 8 || digits == 13 || digits == 18 || digits == 23) text += '-';
      text += hex[(bits >> shift) & 0xF];
    }
  }
  return text;
}

void Flow::log(std::string text) { machine_->log(text); }

bool Flow::patched(const std::string& name) { return machine_->patched(name); }

void Flow::set_attribute_value(std::string name, Value value) {
  machine_->set_attribute(std::move(name), std::move(value));
}

void Flow::add_compensation(std::string name, flow::Operation::Work work, RunOptions options) {
  machine_->add_compensation(std::move(name), std::move(work), std::move(options));
}

Task<void> Flow::continue_with(Value input) {
  machine_->continue_with(std::move(input));
  co_await std::suspend_always(); // never resumed: the frame goes with the run
}

} // namespace perdure
