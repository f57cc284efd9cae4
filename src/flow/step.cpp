#include "perdure/step.h"

#include "flow/machine.h"
#include "perdure/gather.h"

namespace perdure::flow {

Operation::Operation(Machine& owner, Node* around, Ask asked)
    : machine(&owner), parent(around), ask(std::move(asked)) {}

Operation::~Operation() { machine->leave(*this); }

void Operation::accept(const Ending& given) { ending = given; }

bool Operation::begin(std::coroutine_handle<> who, Branch* around) {
  return machine->begin(*this, who, around);
}

void Operation::raise() const {
  switch (ending.kind) {
    case Ending::Kind::succeeded: return;
    case Ending::Kind::failed: throw StepFailed(ask.name, ending.error_name, ending.error_message);
    case Ending::Kind::timed_out: throw TimedOut(ask.name);
    case Ending::Kind::cancelled: throw Cancelled();
  }
}

Branch* Gather::add() {
  // A branch that comes after the decision has nothing to do.
  return &branches_.emplace_back(Branch{parent_, decisive_.has_value()});
}

void Gather::arrived(std::size_t number, bool failed) {
  ++ended_;
  if (!decisive_ && (failed || rule_ == Rule::first)) {
    decisive_ = number;
    for (auto& branch : branches_)
      branch.cancelled = true;
    machine_.drop_cancelled();
  }
  if (waiter_ && ended_ == branches_.size()) machine_.make_ready(waiter_);
}

} // namespace perdure::flow
