#include "decide/schedule.h"

#include "expr/recurrence.h"

namespace perdure::decide {

Result<NextStart> first_start(const std::string& cycle, Instant opened_at) {
  const auto recurrence = expr::Recurrence::parse(cycle);
  if (!recurrence) return std::unexpected(recurrence.error());
  const auto first = recurrence->first(opened_at);
  if (first) return NextStart{first->number, first->at};
  return fail(ErrorCode::invalid_input,
              "No time of \"" + cycle + "\" is still to come: give a later one.");
}

std::optional<NextStart> start_after(const std::string& cycle, Instant opened_at,
                                     const NextStart& last, Instant now) {
  const auto recurrence = expr::Recurrence::parse(cycle);
  if (!recurrence) return std::nullopt;
  const auto next = recurrence->next(opened_at, {.number = last.number, .at = last.due_at}, now);
  return next ? std::optional(NextStart{next->number, next->at}) : std::nullopt;
}

} // namespace perdure::decide
