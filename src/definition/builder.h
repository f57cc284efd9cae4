// Builder: collects nodes, flows and scopes of one process and makes the immutable Definition, or
// says what is wrong with the model. The rules of a sound model stand here and in validate.h,
// whatever format it came in.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <unordered_map>
#include <vector>

#include "definition/definition.h"
#include "definition/diagnostic.h"
#include "definition/report.h"

namespace perdure::definition {

class Builder {
public:
  /// Bounds of one process: reachability takes nodes x flows bits.
  static constexpr std::size_t kMaxNodes = 4'000;
  static constexpr std::size_t kMaxFlows = 8'000;

  Builder(std::string process_id, std::string name, std::string version_tag, SourcePlace place);

  /// Opens the inside of a sub-process node; kRootScope exists from the start.
  ScopeIndex add_scope(NodeIndex owner, ScopeIndex parent);
  NodeIndex add_node(Node node);
  /// Adds an element that the reader has refused and reported: it keeps the graph whole, so that
  /// one mistake is reported once. build() then never succeeds.
  NodeIndex add_refused_node(Node node);
  /// Adds a flow between two node ids, which may be added later.
  void add_flow(Flow flow, std::string source_id, std::string target_id);
  void set_default_flow(NodeIndex node, std::string flow_id);
  /// Attaches a boundary event to the activity of that id, which may be added later.
  void attach(NodeIndex boundary, std::string activity_id);
  /// Draws an association between two ids. One that leads from a boundary event for compensation
  /// tells what undoes the activity; any other means nothing.
  void associate(std::string source_id, std::string target_id);
  [[nodiscard]] Node& node(NodeIndex index);
  /// What is done before the first element of the process and after the last.
  void set_process_listeners(std::vector<ListenerSpec> listeners);
  /// The variables that the scope begins with.
  void set_initial(ScopeIndex scope, Object variables);

  /// Resolves ids, orders flows, checks every rule of the model, precomputes reachability.
  /// On failure all diagnostics at once, in document order. The builder is used up.
  [[nodiscard]] std::expected<DefinitionPtr, std::vector<Diagnostic>> build() &&;
  /// The same for a reader that gathers more: errors and warnings go to `report`. Null exactly when
  /// there was an error or a refused node.
  [[nodiscard]] DefinitionPtr build(Report& report) &&;

private:
  struct PendingFlow {
    Flow flow;
    std::string source_id;
    std::string target_id;
  };
  struct PendingDefault {
    NodeIndex node;
    std::string flow_id;
  };
  struct PendingAttachment {
    NodeIndex boundary;
    std::string activity_id;
  };
  struct Association {
    std::string source_id;
    std::string target_id;
  };
  using Places = std::unordered_map<std::string, SourcePlace>;

  bool within_bounds(Report& report) const;
  void index_nodes(Places& known_ids, Report& report);
  void resolve_flows(Places& known_ids, Report& report);
  /// The node that an end of a flow names; kNone, and reported, when it names none.
  NodeIndex resolve_end(const PendingFlow& pending, bool source, Report& report) const;
  void resolve_defaults(Report& report);
  void resolve_attachments(Report& report);
  /// Leads each throwing link event to the catching one of its scope that has its name.
  void resolve_links(Report& report);
  void resolve_associations();
  /// Finds the activity that each thrown compensation names.
  void resolve_compensation(Report& report);
  void add_process_node(Report& report);
  void find_starts();
  void find_starts_of(Scope& scope);
  /// Adds the events by which a gateway or receive task begins the process.
  void find_instantiating(Scope& scope, NodeIndex index);

  Definition definition_;
  SourcePlace place_;
  std::vector<ListenerSpec> process_listeners_;
  std::vector<bool> refused_;
  std::vector<PendingFlow> pending_flows_;
  std::vector<PendingDefault> pending_defaults_;
  std::vector<PendingAttachment> pending_attachments_;
  std::vector<Association> associations_;
};

} // namespace perdure::definition
