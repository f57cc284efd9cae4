// Ad hoc sub-processes (BPMN 10.3.5, 13.3.5): activities that nothing leads to begin when they are
// chosen: by an expression when the sub-process is entered, or from outside while it is open. One
// that takes them in turn keeps those that wait in a variable of its scope.
//
// Event sub-processes stand in it as in others (10.3.5 forbids start and end events alone). One
// that interrupts ends what runs, and with it the sub-process is over.
//
// It is over when its completion condition holds after an activity has succeeded; without one, when
// nothing runs in it any more. Whatever is not true does not hold.
#pragma once

#include "decide/draft.h"

namespace perdure::decide {

/// The variable with the ids of activities that wait for their turn; null once an event sub-process
/// has interrupted it.
inline constexpr std::string_view kQueueVariable = "adHocQueue";

void enter_ad_hoc_sub_process(Draft& draft, const Visit& visit);
/// The token has opened the scope, and an incident kept it from being armed: it begins now.
void begin_ad_hoc(Draft& draft, const Visit& visit);

/// The activity has succeeded. True when it was the last one: the sub-process is over, and the
/// token has ended.
bool ends_ad_hoc(Draft& draft, const Visit& visit);

/// Nothing runs in the scope any more. True when it stays open all the same: the next activity
/// begins, or somebody has to choose one.
bool keeps_ad_hoc_open(Draft& draft, Key scope_id);

/// An event sub-process has interrupted the scope: when it is ad hoc, nothing more begins in it.
void close_choice(Draft& draft, Key scope_id);

} // namespace perdure::decide
