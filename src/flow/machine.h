// Machine: one run of a flow in memory. It runs the coroutine, checks what that does against what
// the run has recorded, and keeps what is new. It does nothing in the world: who drives it calls
// the callbacks, writes down what take() gives, and says what was heard.
//
//   recorded: Begun, StepAsked a, StepEnded a, StepAsked b ...   one stream, strictly in order
//
// While the code rests, the next entry is something that it heard; while it runs, each deed is
// compared with the next entry. At the end of the stream the machine is live, and deeds are new.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "flow/entry.h"
#include "perdure/flow.h"

namespace perdure::flow {

/// A try of a run that has steps of its own.
struct NestedTry {
  NestedTry(Machine& machine, Node& node, Branch* around)
      : branch{around, false}, flow(machine, &node) {}
  Branch branch;
  Flow flow;
  std::optional<Task<void>> driver;
};

/// A step that is open, or one that has ended inside a run that is open.
struct Node {
  std::string name;
  AskKind kind = AskKind::run;
  Node* parent = nullptr;
  Operation* operation = nullptr; ///< who waits; none: nobody, or the step has ended
  std::optional<Ending> ending;
  std::int64_t attempt = 1; ///< of a run
  bool busy = false;        ///< a callback is running
  bool dropped = false;     ///< nobody waits, but a callback ran then: StepReleased ends it
  std::vector<Node*> children;
  std::unique_ptr<NestedTry> nested;
  std::list<Node*>::iterator place; ///< among those that are open
};

/// Not thread-safe, but for the callbacks: they run while the machine rests.
class Machine {
public:
  using Program = std::function<Task<std::optional<Value>>(Flow&)>;
  struct Options {
    Program program;
    std::function<void(std::string_view)> log{};
  };

  explicit Machine(Options options);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // ---- for who drives it ----

  /// Runs the code through what is recorded. Comes first, if at all.
  void replay(History& history);
  /// Tells the code something new and runs it until it rests.
  void deliver(Observation heard, Instant at);
  /// What was heard and done since the last call, in order. In the turn in which the code parts
  /// from its history, what came before that.
  [[nodiscard]] std::vector<Entry> take() { return std::exchange(fresh_, {}); }

  [[nodiscard]] bool begun() const { return root_.has_value(); }
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] const std::optional<Divergence>& divergence() const { return divergence_; }
  /// What the code waits for, in the order in which it was asked for: steps whose callbacks are to
  /// be called, and others.
  [[nodiscard]] std::vector<const Node*> open() const;
  [[nodiscard]] const Node* find(const std::string& name) const;
  /// The callback of a run is being called, or no more.
  void set_busy(const std::string& name, bool busy);
  /// Which attempt of a run is under way, or was the last.
  void set_attempt(const std::string& name, std::int64_t number);

  // ---- for the code (Flow, Operation, Gather) ----

  [[nodiscard]] bool begin(Operation& operation, std::coroutine_handle<> waiter, Branch* branch);
  void leave(Operation& operation);
  void make_ready(std::coroutine_handle<> handle) { ready_.push_back(handle); }
  /// Drops every step of a branch that is cancelled.
  void drop_cancelled();
  [[nodiscard]] Instant time();
  [[nodiscard]] std::uint64_t chance();
  void log(std::string_view text) const;
  void set_attribute(std::string name, Value value);
  [[nodiscard]] bool patched(const std::string& name);
  void add_compensation(std::string name, Operation::Work work, RunOptions options);
  void continue_with(Value input);

private:
  struct Compensation {
    std::string name;
    Operation::Work work;
    RunOptions options;
  };

  [[nodiscard]] bool replaying() const { return history_ != nullptr; }
  /// No deed counts any more.
  [[nodiscard]] bool stopped() const { return divergence_.has_value() || ended_; }
  [[nodiscard]] const std::optional<Entry>& peek();
  void advance();
  /// The deed is new, or the one that is recorded here: then what was recorded. None: they part.
  template <class T>
  std::optional<T> record(T deed);
  void part(std::string asked, std::string recorded, std::string advice);
  void hear(const Observation& heard);
  void drain();
  void settle(Node& node, Ending ending);
  void close(Node& node);
  void forget(Node& node);
  void drop(Node& node);
  void begin_nested(Node& node);
  Task<void> try_nested(Node* node);
  void end_nested(Node& node, Ending ending, bool retryable);
  [[nodiscard]] bool ask_again(Operation& operation, Node& node);
  Task<void> live();
  Task<void> undo();
  void finish(FlowEnded end);

  void on(const Begun& heard);
  void on(const StepEnded& heard);
  void on(const AttemptBegun& heard);
  void on(const StepReleased& heard);
  void on(const CancelSeen& heard);

  Options options_;
  Flow flow_;
  Branch body_;
  Branch undoing_;
  bool cancelled_ = false;
  bool ended_ = false;
  bool closing_ = false; ///< the frames go
  std::uint64_t chance_ = 0;
  Instant now_{};
  std::optional<Divergence> divergence_;
  History* history_ = nullptr;
  bool peeked_ = false;
  std::optional<Entry> next_;
  std::vector<Entry> fresh_;
  std::vector<std::coroutine_handle<>> ready_;
  std::unordered_map<std::string, std::unique_ptr<Node>> nodes_;
  std::list<Node*> open_;
  std::unordered_set<std::size_t> used_; ///< hashes of names; the database is the judge
  std::map<std::string, bool> patches_;
  std::vector<Compensation> compensations_;
  std::vector<std::unique_ptr<NestedTry>> spent_; ///< to go when no coroutine runs
  std::optional<Task<void>> root_; ///< last: its end comes before all that it refers to
};

} // namespace perdure::flow
