#include "flow/machine.h"

#include <algorithm>
#include <ranges>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "flow/failure.h"
#include "flow/retry.h"
#include "flow/storable.h"

namespace perdure::flow {

namespace {

bool is_cancelled(const Branch* branch) {
  for (; branch != nullptr; branch = branch->parent) {
    if (branch->cancelled) return true;
  }
  return false;
}

// Whether a deed is the one that is recorded. How long a step waits and how often it is tried may
// be changed while runs are under way; what it is may not.
bool same(const StepAsked& a, const StepAsked& b) {
  return a.ask.name == b.ask.name && a.ask.kind == b.ask.kind && a.ask.nested == b.ask.nested &&
         a.ask.target == b.ask.target && a.parent == b.parent;
}
bool same(const NestedEnded& a, const NestedEnded& b) {
  return a.name == b.name && a.attempt == b.attempt && a.ending.kind == b.ending.kind;
}
bool same(const StepDropped& a, const StepDropped& b) { return a.name == b.name; }
bool same(const TimeRead&, const TimeRead&) { return true; }
bool same(const AttributeSet& a, const AttributeSet& b) { return a.name == b.name; }
bool same(const PatchTaken& a, const PatchTaken& b) { return a.name == b.name; }
bool same(const CompensationAdded& a, const CompensationAdded& b) { return a.name == b.name; }
bool same(const FlowEnded& a, const FlowEnded& b) { return a.kind == b.kind; }

/// Sets the branch of the coroutine that awaits it.
struct EnterBranch {
  Branch* branch;
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> own) const noexcept {
    own.promise().branch = branch;
    return false;
  }
  void await_resume() const noexcept {}
};

/// The variable of a run that has what its flow gave.
constexpr std::string_view kOutput = "output";

constexpr std::uint64_t mixed(std::uint64_t state) { // SplitMix64
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ULL;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBULL;
  return state ^ (state >> 31);
}

} // namespace

Machine::Machine(Options options) : options_(std::move(options)), flow_(*this, nullptr) {}

Machine::~Machine() {
  closing_ = true;
  root_.reset();
}

// ---- what is recorded -------------------------------------------------------------------------

const std::optional<Entry>& Machine::peek() {
  if (!std::exchange(peeked_, true)) next_ = history_->next();
  return next_;
}

void Machine::advance() { peeked_ = false; }

template <class T>
std::optional<T> Machine::record(T deed) {
  if (stopped()) return std::nullopt;
  if (!replaying()) {
    fresh_.emplace_back(Deed(deed));
    return deed;
  }
  const auto& next = peek();
  if (!next) {
    part(describe(Deed(std::move(deed))), "nothing more",
         "The code does more than this run did up to here: ask for it behind "
         "`if (flow.patched(...))`, or define the change as a new version.");
    return std::nullopt;
  }
  const auto* recorded = std::get_if<Deed>(&*next);
  const T* match = recorded != nullptr ? std::get_if<T>(recorded) : nullptr;
  if (match == nullptr || !same(deed, *match)) {
    part(describe(Deed(std::move(deed))), describe(*next),
         "Bring back the order of the steps that this run has seen, or define the change as a new "
         "version.");
    return std::nullopt;
  }
  T found = *match;
  advance();
  return found;
}

void Machine::part(std::string asked, std::string recorded, std::string advice) {
  if (divergence_) return;
  divergence_ = Divergence{std::move(asked), std::move(recorded), std::move(advice)};
}

void Machine::replay(History& history) {
  PERDURE_CHECK(!begun() && !replaying());
  history_ = &history;
  while (!stopped() && peek()) {
    const Entry entry = *peek();
    if (const auto* heard = std::get_if<Observation>(&entry)) {
      advance();
      hear(*heard);
      drain();
    } else {
      part(open_.empty() ? "nothing more" : describe(open_.front()->operation->ask, {}),
           describe(entry),
           "The code no longer does what this run did: bring it back, or define the change as a "
           "new version.");
    }
  }
  history_ = nullptr;
}

// ---- what is heard ----------------------------------------------------------------------------

void Machine::deliver(Observation heard, Instant at) {
  PERDURE_CHECK(!replaying());
  if (stopped()) return;
  now_ = at;
  fresh_.emplace_back(heard);
  hear(heard);
  drain();
}

void Machine::hear(const Observation& heard) {
  std::visit([this](const auto& one) { on(one); }, heard);
}

void Machine::drain() {
  for (std::size_t next = 0; next < ready_.size() && !stopped(); ++next) {
    const auto handle = ready_[next]; // resumed, it may make others ready
    handle.resume();
  }
  ready_.clear();
  spent_.clear();
}

void Machine::on(const Begun& heard) {
  PERDURE_CHECK(!begun());
  chance_ = static_cast<std::uint64_t>(heard.seed);
  root_.emplace(live());
  root_->begin(&body_);
}

void Machine::on(const StepEnded& heard) {
  auto* node = nodes_.contains(heard.name) ? nodes_[heard.name].get() : nullptr;
  if (node == nullptr || node->operation == nullptr || node->ending) {
    return part("nothing of that name", describe(Observation(heard)),
                "The code does not wait for a step that this run took: bring it back, or define "
                "the change as a new version.");
  }
  node->busy = false;
  settle(*node, heard.ending);
}

void Machine::on(const AttemptBegun& heard) {
  auto* node = nodes_.contains(heard.name) ? nodes_[heard.name].get() : nullptr;
  if (node == nullptr || node->operation == nullptr || node->nested ||
      !node->operation->ask.nested) {
    return part("nothing of that name", describe(Observation(heard)),
                "The code does not wait for a step that this run tried again: bring it back, or "
                "define the change as a new version.");
  }
  node->attempt = heard.number;
  begin_nested(*node);
}

void Machine::on(const StepReleased& heard) {
  auto* node = nodes_.contains(heard.name) ? nodes_[heard.name].get() : nullptr;
  PERDURE_CHECK(node != nullptr && node->dropped);
  node->busy = false;
  settle(*node, Ending{.kind = Ending::Kind::cancelled});
}

void Machine::on(const CancelSeen&) {
  cancelled_ = true;
  body_.cancelled = true;
  drop_cancelled();
}

// ---- steps ------------------------------------------------------------------------------------

std::vector<const Node*> Machine::open() const { return {open_.begin(), open_.end()}; }

const Node* Machine::find(const std::string& name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? nullptr : found->second.get();
}

void Machine::set_busy(const std::string& name, bool busy) { nodes_.at(name)->busy = busy; }

void Machine::set_attempt(const std::string& name, std::int64_t number) {
  nodes_.at(name)->attempt = number;
}

bool Machine::begin(Operation& operation, std::coroutine_handle<> waiter, Branch* branch) {
  operation.waiter = waiter;
  operation.branch = branch;
  if (stopped()) return true; // for ever: the frame goes with the machine
  if (is_cancelled(branch)) {
    operation.ending.kind = Ending::Kind::cancelled;
    return false;
  }
  const auto& name = operation.ask.name;
  if (const auto known = nodes_.find(name);
      known != nodes_.end() && known->second->parent == operation.parent && known->second->ending) {
    return ask_again(operation, *known->second);
  }
  require_name(name, "the name of a step");
  require_name(operation.ask.target, "what a step asks for");
  require_name(operation.ask.call_id, "the id of a run");
  if (operation.ask.input) require_storable(*operation.ask.input, "the input of a call");
  const auto around = operation.parent == nullptr ? std::string() : operation.parent->name;
  if (name.empty()) {
    part(describe(operation.ask, around), "a name for every step",
         "Give each step of the run a name of its own.");
    return true;
  }
  if (!used_.insert(std::hash<std::string>()(name)).second) {
    part(describe(operation.ask, around), "a step of that name, earlier",
         "A name is used once in a run: give each step its own, in a loop with the count in it.");
    return true;
  }
  if (!record(StepAsked{operation.ask, around})) return true;
  auto node = std::make_unique<Node>();
  node->name = name;
  node->kind = operation.ask.kind;
  node->parent = operation.parent;
  node->operation = &operation;
  node->place = open_.insert(open_.end(), node.get());
  if (node->parent != nullptr) node->parent->children.push_back(node.get());
  operation.node = node.get();
  auto& kept = *nodes_.emplace(name, std::move(node)).first->second;
  if (operation.ask.nested) begin_nested(kept);
  return true;
}

// An earlier try of the run around it had this step: what it gave then it gives now. One that was
// dropped is waited for until it is dropped again.
bool Machine::ask_again(Operation& operation, Node& node) {
  if (node.kind != operation.ask.kind) {
    part(describe(operation.ask, node.parent->name),
         std::string("a ") +
             std::string(enum_names(node.kind)[static_cast<std::size_t>(node.kind)]) +
             " of that name",
         "Give each step of the run a name of its own.");
    return true;
  }
  if (node.ending->kind == Ending::Kind::cancelled) {
    node.operation = &operation;
    operation.node = &node;
    node.place = open_.insert(open_.end(), &node);
    return true;
  }
  try {
    operation.accept(*node.ending);
  } catch (const BadValue& bad) {
    part(describe(operation.ask, node.parent->name), bad.what(),
         "The result of this step was of another type when it was kept.");
    return true;
  }
  return false;
}

void Machine::leave(Operation& operation) {
  if (closing_ || operation.node == nullptr) return;
  operation.node->operation = nullptr;
}

void Machine::settle(Node& node, Ending ending) {
  node.ending = std::move(ending);
  if (auto* operation = std::exchange(node.operation, nullptr)) {
    operation->node = nullptr;
    try {
      operation->accept(*node.ending);
    } catch (const BadValue& bad) {
      return part(describe(operation->ask, node.parent != nullptr ? node.parent->name : ""),
                  std::string("a result that does not fit its type: ") + bad.what(),
                  "The type of what this step gives has changed, or what came is of another type.");
    }
    ready_.push_back(operation->waiter);
  }
  close(node);
}

void Machine::close(Node& node) {
  open_.erase(node.place);
  node.place = open_.end();
  node.dropped = false;
  for (auto* child : std::exchange(node.children, {}))
    forget(*child);
  if (node.parent == nullptr) forget(node);
}

void Machine::forget(Node& node) {
  for (auto* child : std::exchange(node.children, {}))
    forget(*child);
  if (node.nested) spent_.push_back(std::move(node.nested));
  nodes_.erase(nodes_.find(node.name));
}

void Machine::drop_cancelled() {
  const std::vector<Node*> open(open_.begin(), open_.end());
  for (auto* node : open) {
    if (stopped()) return;
    if (node->operation != nullptr && !node->dropped && is_cancelled(node->operation->branch)) {
      drop(*node);
    }
  }
}

void Machine::drop(Node& node) {
  if (node.nested) return; // its own steps are dropped, and so it ends
  if (node.ending) return settle(node, Ending{.kind = Ending::Kind::cancelled});
  const auto recorded = record(StepDropped{node.name, node.busy});
  if (!recorded) return;
  if (!recorded->busy) return settle(node, Ending{.kind = Ending::Kind::cancelled});
  node.dropped = true;
}

// ---- runs that have steps of their own --------------------------------------------------------

void Machine::begin_nested(Node& node) {
  node.nested = std::make_unique<NestedTry>(*this, node, node.operation->branch);
  auto& nested = *node.nested;
  nested.driver.emplace(try_nested(&node));
  nested.driver->begin(&nested.branch);
}

Task<void> Machine::try_nested(Node* node) {
  Ending ending;
  bool retryable = true;
  try {
    ending.value = co_await node->operation->nested(node->nested->flow);
    if (ending.value) require_storable(*ending.value, "what the run gave");
  } catch (const Cancelled&) {
    ending.kind = Ending::Kind::cancelled;
  } catch (...) {
    auto failure = failure_of(std::current_exception());
    retryable = failure.retryable;
    ending = {.kind = Ending::Kind::failed,
              .error_name = std::move(failure.name),
              .error_message = std::move(failure.message)};
  }
  end_nested(*node, std::move(ending), retryable);
}

void Machine::end_nested(Node& node, Ending ending, bool retryable) {
  if (is_cancelled(node.operation->branch)) ending = {.kind = Ending::Kind::cancelled};
  if (ending.kind == Ending::Kind::cancelled) {
    if (record(StepDropped{node.name, false})) settle(node, std::move(ending));
    return;
  }
  const Failure failure{ending.error_name, ending.error_message, retryable};
  const auto pause = ending.kind == Ending::Kind::failed
                         ? pause_after(node.operation->ask.retry, node.attempt, failure)
                         : std::nullopt;
  auto recorded = record(NestedEnded{node.name, node.attempt, std::move(ending), pause});
  if (!recorded) return;
  if (recorded->pause) {
    spent_.push_back(std::move(node.nested));
  } else {
    settle(node, std::move(recorded->ending));
  }
}

// ---- the flow as a whole ----------------------------------------------------------------------

Task<void> Machine::live() {
  FlowEnded end;
  try {
    end.value = co_await options_.program(flow_);
    if (end.value) require_storable(*end.value, "what the flow gave");
  } catch (const Cancelled&) {
    end.kind = FlowEnded::Kind::cancelled;
  } catch (...) {
    auto failure = failure_of(std::current_exception());
    end.kind = FlowEnded::Kind::failed;
    end.error_name = std::move(failure.name);
    end.error_message = std::move(failure.message);
  }
  if (cancelled_) end = FlowEnded{.kind = FlowEnded::Kind::cancelled};
  if (end.kind != FlowEnded::Kind::completed) {
    co_await EnterBranch{&undoing_};
    co_await undo();
  }
  finish(std::move(end));
}

Task<void> Machine::undo() {
  for (auto& [name, work, options] : compensations_ | std::views::reverse) {
    auto operation = std::make_unique<TypedOperation<std::optional<Value>>>(
        *this, nullptr, Ask{.kind = AskKind::run, .name = name, .retry = std::move(options)});
    operation->work = std::move(work);
    // What could not be undone is recorded as a failed step; the others are undone all the same.
    (void)co_await Step<std::optional<Value>>(std::move(operation)).outcome();
  }
}

void Machine::finish(FlowEnded end) {
  if (record(std::move(end))) ended_ = true;
}

void Machine::continue_with(Value input) {
  require_storable(input, "the input of the next run");
  finish({.kind = FlowEnded::Kind::continued, .value = std::move(input)});
}

Instant Machine::time() {
  const auto recorded = record(TimeRead{now_});
  return recorded ? recorded->at : now_;
}

std::uint64_t Machine::chance() { return mixed(chance_ += 0x9E3779B97F4A7C15ULL); }

void Machine::log(std::string_view text) const {
  if (!replaying() && !stopped() && options_.log) options_.log(text);
}

void Machine::set_attribute(std::string name, Value value) {
  require_name(name, "the name of an attribute");
  if (name == kOutput) { // among the variables it would take the place of what the flow gives
    throw NonRetryable("An attribute cannot be named \"" + name +
                       "\", since the result of the flow has that name: choose another one.");
  }
  require_storable(value, "an attribute");
  (void)record(AttributeSet{std::move(name), std::move(value)});
}

bool Machine::patched(const std::string& name) {
  require_name(name, "the name of a change");
  if (const auto known = patches_.find(name); known != patches_.end()) return known->second;
  bool taken = false;
  if (!replaying()) {
    taken = record(PatchTaken{name}).has_value();
  } else if (const auto* recorded = peek() ? std::get_if<Deed>(&*peek()) : nullptr) {
    const auto* patch = std::get_if<PatchTaken>(recorded);
    taken = patch != nullptr && patch->name == name;
    if (taken) advance();
  }
  return patches_[name] = taken;
}

void Machine::add_compensation(std::string name, Operation::Work work, RunOptions options) {
  require_name(name, "the name of a step");
  if (!record(CompensationAdded{name})) return;
  compensations_.push_back({std::move(name), std::move(work), std::move(options)});
}

} // namespace perdure::flow
