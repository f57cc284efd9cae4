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

#include "definition/node_kind.h"
#include "definition/specs.h"
#include "expr/expression.h"
#include "perdure/value.h"

namespace perdure::definition {

/// Where an element stands in its source file; 1-based, 0 when unknown.
struct SourcePlace {
  int line = 0;
  int column = 0;
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
  std::optional<DecisionSpec> decision; ///< of a business rule task, instead of a worker
  std::optional<CallSpec> call;
  std::optional<LoopSpec> loop;               ///< activity that is repeated
  std::optional<DataSpec> data;               ///< variables of its own
  std::optional<AdHocSpec> ad_hoc;            ///< of each ad hoc sub-process
  std::optional<expr::Expression> activation; ///< of a complex gateway that joins
  std::vector<ListenerSpec> listeners;        ///< by phase, in each in document order
  std::vector<EventSpec> events;     ///< what an event throws or catches; none: a none event
  NodeIndex attached_to = kNone;     ///< boundary event: the activity that carries it
  std::vector<NodeIndex> boundaries; ///< activity: its boundary events, in document order
  bool interrupting = true;          ///< boundary event, start of an event sub-process
  bool all_events = false;   ///< an event that catches, an event-based gateway: all must come
  bool instantiates = false; ///< receive task, event-based gateway: its events begin the process
  bool for_compensation = false; ///< activity: undoes another, and no flow leads to it
  NodeIndex handler = kNone;     ///< boundary event for compensation: what undoes its activity
  SourcePlace place;

  /// The event that it throws or catches first; nothing for a none event.
  [[nodiscard]] const EventSpec* event() const { return events.empty() ? nullptr : &events[0]; }
  /// Whether one of its events is of that kind.
  [[nodiscard]] bool has(EventKind wanted) const {
    for (const auto& event : events) {
      if (event.kind == wanted) return true;
    }
    return false;
  }
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
  std::vector<NodeIndex> event_starts; ///< start events with a trigger; of a process, also what
                                       ///< waits for the events that begin it without one
  std::vector<NodeIndex> event_sub_processes;
  NodeIndex compensation = kNone; ///< the one of them that undoes the sub-process
  Object initial;                 ///< variables that it begins with, unless they are given
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
  /// A durable workflow, whose code is in a program: it has no nodes.
  [[nodiscard]] bool is_flow() const { return is_flow_; }
  /// The definition of a flow of that name.
  [[nodiscard]] static std::shared_ptr<const Definition> flow(std::string name);
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

  /// The process itself, which only has a node when it has listeners; else kNone. No flow leads to
  /// it, and no scope has it among its nodes.
  [[nodiscard]] NodeIndex process_node() const { return process_node_; }

  /// The node or flow of that id; kNone when there is none.
  [[nodiscard]] NodeIndex find_node(std::string_view id) const;
  [[nodiscard]] FlowIndex find_flow(std::string_view id) const;

  /// True when a token at `from` can come to take `flow` within the same scope (BPMN 13.4.4
  /// reachability). A token that rests on `from` itself can take its outgoing flows, or leave by a
  /// boundary event. Precomputed: one bit test.
  [[nodiscard]] bool reaches(NodeIndex from, FlowIndex flow) const;
  /// The same for a flow into an inclusive or complex gateway, on ways that do not visit that
  /// gateway.
  [[nodiscard]] bool reaches_first(NodeIndex from, FlowIndex flow) const;
  [[nodiscard]] bool has_inclusive_gateway() const { return !reach_first_.empty(); }
  /// The event-based gateway before the event, when the process can begin there; else nullptr.
  [[nodiscard]] const Node* instantiating_gateway(const Node& event) const;
  /// Whether an event waits for a condition.
  [[nodiscard]] bool has_conditions() const { return has_conditions_; }

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
  std::vector<std::uint64_t> reach_;       ///< nodes x flows, row by row, padded to words
  std::vector<std::uint64_t> reach_first_; ///< the same for flows into inclusive gateways
  std::size_t reach_words_ = 0;
  bool has_conditions_ = false;
  NodeIndex process_node_ = kNone;
  bool is_flow_ = false;
};

using DefinitionPtr = std::shared_ptr<const Definition>;

} // namespace perdure::definition
