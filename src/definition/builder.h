// Builder: collects nodes, flows and scopes of one process and makes the immutable Definition, or says
// what is wrong with the model. The rules of a sound model stand here, whatever format it came in.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "definition/definition.h"
#include "definition/diagnostic.h"

namespace perdure::definition {

class Builder {
public:
  Builder(std::string process_id, std::string name, std::string version_tag, SourcePlace place);

  /// Opens the inside of a sub-process node; kRootScope exists from the start.
  ScopeIndex add_scope(NodeIndex owner, ScopeIndex parent);
  NodeIndex add_node(Node node);
  /// Adds a flow between two node ids, which may be added later.
  void add_flow(Flow flow, std::string source_id, std::string target_id);
  void set_default_flow(NodeIndex node, std::string flow_id);
  [[nodiscard]] Node& node(NodeIndex index);

  /// Resolves ids, orders flows, checks every rule of the model, precomputes reachability.
  /// On failure all diagnostics at once, in document order. The builder is used up.
  [[nodiscard]] std::expected<DefinitionPtr, std::vector<Diagnostic>> build() &&;

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
  Definition definition_;
  SourcePlace place_;
  std::vector<PendingFlow> pending_flows_;
  std::vector<PendingDefault> pending_defaults_;
};

} // namespace perdure::definition
