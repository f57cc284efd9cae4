// Makes a drawing of the corpus executable, as its README demands: what the drawing leaves open is
// invented (messages, timers, conditions, codes), gateways are steered by variables, and activities
// where the case waits become user tasks. Also what the comparison must know about the drawing.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/token_simulation/corpus_case.h"
#include "perdure/result.h"
#include "perdure/value.h"

namespace perdure::conformance {

struct MessageFlow {
  std::string id;
  std::string source;
  std::string target;
};

/// What the drawing says that neither facts nor expectations repeat.
struct Drawing {
  struct Boundary {
    std::string host;
    bool interrupting = true;
  };
  std::set<std::string> processes;
  std::set<std::string> participants;
  std::set<std::string> event_based_gateways;
  std::set<std::string> hidden; ///< nodes and flows that the preparation added
  std::map<std::string, Boundary> boundaries;
  /// Handler, or event sub-process for compensation, to the activity that it undoes.
  std::map<std::string, std::string> undoes;
  std::map<std::string, std::string> messages;   ///< element to the name of the message it awaits
  std::map<std::string, std::string> signals;    ///< element to the name of its signal
  std::map<std::string, std::string> process_of; ///< node to its process
  std::map<std::string, std::string> kinds;      ///< node to the name of its XML element
  std::vector<MessageFlow> message_flows;

  /// Whether a process instance may be called so.
  [[nodiscard]] bool is_root(const std::string& id) const {
    return processes.contains(id) || participants.contains(id);
  }
};

struct Prepared {
  std::string document;
  Drawing drawing;
  Object variables; ///< every instance starts with them
};

/// The variable that steers the gateway: the list of flows that it takes.
[[nodiscard]] std::string choice_variable(std::string_view gateway);
/// The variable that the invented condition of the event reads.
[[nodiscard]] std::string condition_variable(std::string_view element);
/// The node inside a sub-process at which it waits.
[[nodiscard]] std::string wait_node(std::string_view sub_process);

[[nodiscard]] Result<Prepared> prepare(std::string_view document, const Case& one);

} // namespace perdure::conformance
