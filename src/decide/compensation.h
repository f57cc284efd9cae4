// Compensation (BPMN 10.7, 13.5.5): what succeeded and can be undone is recorded; what is thrown
// undoes it backwards, one record after the other, each at most once.
//
// The token that undoes waits: a throwing event, a transaction that is being cancelled, or the
// token on a completed activity that is opened again. Each record that it takes gets a token of
// its own, in mode `compensation` and split off the waiting one.
#pragma once

#include <string_view>

#include "decide/draft.h"
#include "perdure/value.h"

namespace perdure::decide {

/// The activity, or one run of it, has succeeded in that scope: recorded when a boundary event says
/// what undoes it.
void record_success(Draft& draft, Key scope_id, const definition::Node& activity);
/// The sub-process of the visit has succeeded; its scope has just closed. Recorded when an event
/// sub-process of it undoes it, or when something inside can be undone.
void record_inside(Draft& draft, const Visit& visit, Key inner_scope_id);
/// One run of a repeated activity has succeeded, or all of them have: the scope around it, or
/// around all, has just closed. Recorded in the scope around that when something inside can be
/// undone. Each run is undone by itself, with its own variables (BPMN 13.5.5).
void record_runs(Draft& draft, Key scope_id, const definition::Node& activity, Key inner_scope_id);

/// A throwing or ending event begins to undo. True when there is nothing to wait for.
bool throw_compensation(Draft& draft, const Visit& visit);
/// A cancel end event: everything inside the transaction ends, what succeeded there is undone, and
/// the cancel boundary event takes over (BPMN 10.3.5).
void throw_cancel(Draft& draft, const Visit& visit);

/// Whether the token undoes something.
[[nodiscard]] bool is_undoing(const facts::InstanceState& state, Key token_id);
/// The token has undone what its record says: the waiting one goes on.
void finish_undoing(Draft& draft, const Visit& visit);
/// The waiting token goes on with the next record, or is done.
void undo_next(Draft& draft, Key token_id);

/// The token that undoes and in which `token_id` is, itself included; kNoKey when there is none.
[[nodiscard]] Key undoing_around(const facts::InstanceState& state, Key token_id);
/// What undoes has thrown an error that nothing catches: its record has failed, and the waiting
/// token rests on an incident.
void fail_undoing(Draft& draft, Key token_id, std::string_view code, std::string_view message);

} // namespace perdure::decide
