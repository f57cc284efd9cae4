#include "expr/work.h"

#include "base/utf8.h"

namespace perdure::expr {

namespace {

int column_at(std::string_view text, std::size_t offset) {
  return static_cast<int>(utf8::length(text.substr(0, offset))) + 1;
}

} // namespace

void Work::warn(WarningKind kind, std::string reason, std::uint32_t offset) {
  if (warnings_.size() >= kMaxWarnings) return;
  warnings_.push_back({std::move(reason), column_at(text_, offset), kind});
}

void Work::fail(std::string reason, std::uint32_t offset) {
  if (failure_) return;
  failure_ = Warning{std::move(reason), column_at(text_, offset), WarningKind::out_of_range};
}

} // namespace perdure::expr
