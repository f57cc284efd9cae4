// Definition: one compiled version of one process. Immutable, flat, linked by index; shared between
// threads without locks. Built by Builder (definition/builder.h) from what a reader (bpmn) found;
// nothing in here knows XML.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "definition/node_kind.h"
#include "expr/expression.h"
#include "perdure/value.h"

namespace perdure::definition {

using NodeIndex = std::int32_t;
using FlowIndex = std::int32_t;
using ScopeIndex = std::int32_t;
inline constexpr std::int32_t kNone = -1;
inline constexpr ScopeIndex kRootScope = 0;

/// Where an element stands in its source file; 1-based, 0 when unknown.
struct SourcePlace {
  int line = 0;
  int column = 0;
};

/// A text that may be an expression: `=amount * 2`, `${amount}` or plain `payment`.
struct Template {
  std::string text;                           ///< as written
  std::optional<expr::Expression> expression; ///< absent: the text stands for itself
};

/// Work that a worker does: service task and its kin.
struct WorkerSpec {
  Template type;    ///< zeebe:taskDefinition type, camunda:topic, perdure:type
  Template retries; ///< number of attempts in all; empty text: the engine's default (3)
  std::vector<Duration>
      retry_backoff; ///< waits before the 2nd, 3rd ... attempt, the last repeats;
                     ///< empty: the engine's default (camunda:failedJobRetryTimeCycle)
  std::optional<std::int64_t> priority;
  std::vector<std::pair<std::string, std::string>>
      headers; ///< zeebe:taskHeaders, passed on as they are
};

/// Work that a person does.
struct UserTaskSpec {
  Template assignee;
  Template candidate_groups; ///< comma separated when plain
  Template candidate_users;
  Template due_date;
  Template follow_up_date;
  Template form_reference;
  std::optional<std::int64_t> priority;
};

/// A script task with an expression: its result goes to the variable.
struct ScriptSpec {
  expr::Expression expression;
  std::string result_variable; ///< empty: the result is dropped
};

enum class TimerKind { duration, date };

/// When a timer event is due, from the moment it is reached.
struct TimerSpec {
  TimerKind kind = TimerKind::duration;
  Template when; ///< ISO 8601 duration or date-time
};

/// One input or output mapping: source expression into the variable `target`.
struct Mapping {
  Template source;
  std::string target;
};

struct Node {
  std::string id;
  std::string name;
  NodeKind kind{};
  ScopeIndex scope = kRootScope;   ///< the scope that it stands in
  std::vector<FlowIndex> incoming; ///< in document order
  std::vector<FlowIndex> outgoing; ///< in document order
  FlowIndex default_flow = kNone;
  ScopeIndex inner_scope = kNone; ///< sub-process: the scope that it opens
  std::optional<WorkerSpec> worker;
  std::optional<UserTaskSpec> user_task;
  std::optional<ScriptSpec> script;
  std::optional<TimerSpec> timer;
  SourcePlace place;
};

struct Flow {
  std::string id;
  std::string name;
  NodeIndex source = kNone;
  NodeIndex target = kNone;
  std::optional<expr::Expression> condition;
  SourcePlace place;
};

/// The inside of a process or sub-process.
struct Scope {
  NodeIndex owner = kNone; ///< the sub-process node; kNone for the process itself
  ScopeIndex parent = kNone;
  std::vector<NodeIndex> nodes; ///< in document order
  std::vector<NodeIndex>
      starts; ///< where a token begins: the none start event, or nodes without incoming flow
};

/// Lets ids be looked up without building a string.
struct IdHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view id) const { return std::hash<std::string_view>{}(id); }
};

class Definition {
public:
  [[nodiscard]] const std::string& process_id() const { return process_id_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& version_tag() const { return version_tag_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Flow>& flows() const { return flows_; }
  [[nodiscard]] const std::vector<Scope>& scopes() const { return scopes_; }
  [[nodiscard]] const Node& node(NodeIndex index) const {
    return nodes_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const Flow& flow(FlowIndex index) const {
    return flows_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const Scope& scope(ScopeIndex index) const {
    return scopes_[static_cast<std::size_t>(index)];
  }

  /// The node or flow of that id; kNone when there is none.
  [[nodiscard]] NodeIndex find_node(std::string_view id) const;
  [[nodiscard]] FlowIndex find_flow(std::string_view id) const;

  /// True when a token at `from` can come to take `flow` within the same scope (BPMN 13.4.4
  /// reachability). A token that rests on `from` itself can take its outgoing flows. Precomputed:
  /// one bit test.
  [[nodiscard]] bool reaches(NodeIndex from, FlowIndex flow) const;

private:
  friend class Builder;
  std::string process_id_;
  std::string name_;
  std::string version_tag_;
  std::vector<Node> nodes_;
  std::vector<Flow> flows_;
  std::vector<Scope> scopes_;
  std::unordered_map<std::string, NodeIndex, IdHash, std::equal_to<>> node_by_id_;
  std::unordered_map<std::string, FlowIndex, IdHash, std::equal_to<>> flow_by_id_;
  std::vector<std::uint64_t> reach_; ///< nodes x flows, row by row, padded to words
  std::size_t reach_words_ = 0;
};

using DefinitionPtr = std::shared_ptr<const Definition>;

} // namespace perdure::definition
