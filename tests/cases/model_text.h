// A process in a few lines, for tests: what a case file has under `model`, and what random models
// are printed as.
//
//   node ID KIND [in SUB_PROCESS] [on ACTIVITY] [beside] [EVENT] [KEY=VALUE ...]
//                [set VARIABLE = EXPRESSION] [undoes] [by HANDLER]
//   flow SOURCE TARGET [as ID] [default] [if EXPRESSION]
//
// KIND is the BPMN name (serviceTask, exclusiveGateway ...). A boundary event stands `on` its
// activity; `beside` is one that does not interrupt. `undoes` marks a compensation handler, which a
// boundary event for compensation names with `by`. EVENT is what it throws or catches:
// message=NAME [key=KEY], signal=NAME, error[=CODE], escalation[=CODE] [code-to=VARIABLE],
// link=NAME, conditional=CONDITION, compensation[=ACTIVITY] [at-once], cancel, terminate,
// timer=DURATION, date=TIME, cycle=RECURRENCE. Other keys: begin and
// until (first activities and completion condition of an ad hoc sub-process, which may be `in-turn`
// and `keep-rest`), calls (the process of a call activity), starts (activation condition of a
// complex gateway), type, retries, backoff (PT1S,PT5S), priority, assignee, groups, users, due. A
// value has no spaces; `=...` is an expression. A flow without `as` has the id SOURCE_TARGET.
#pragma once

#include <string_view>

#include "definition/definition.h"

namespace perdure::cases {

/// Compiles the text; throws std::runtime_error that names the line when it is wrong.
[[nodiscard]] definition::DefinitionPtr parse_model(std::string_view text);

} // namespace perdure::cases
