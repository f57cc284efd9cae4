// The rules of a sound model that need the whole graph, whatever format it came in.
#pragma once

#include <string>
#include <vector>

#include "definition/definition.h"
#include "definition/report.h"

namespace perdure::definition {

/// The graph once its ids are resolved. Nodes marked as refused were reported by the reader: rules
/// about them, and rules about their scope that they may have broken, stay silent.
struct Graph {
  const std::vector<Node>& nodes;
  const std::vector<Flow>& flows;
  const std::vector<Scope>& scopes;
  const std::vector<bool>& refused;
  const std::string& process_id;
  SourcePlace process_place;
};

/// Reports every broken rule: flows at start and end events, conditions, starts, specs, unreachable
/// nodes.
void validate(const Graph& graph, Report& report);

} // namespace perdure::definition
