// The world around the core in one case: deployed definitions, instances in memory, a clock that
// stands still, and what an engine would do beside deciding: workers that complete every task at
// once, and delivery of messages that cross a drawn message flow.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/token_simulation/prepare.h"
#include "conformance/token_simulation/recorder.h"
#include "decide/decide.h"
#include "definition/definition.h"
#include "facts/event.h"
#include "facts/instance_state.h"

namespace perdure::conformance {

/// What went wrong, as a sentence; empty when nothing did.
using Problem = std::string;

class World {
public:
  struct Instance {
    definition::DefinitionPtr definition;
    facts::InstanceState state;
  };

  explicit World(const Prepared& prepared);

  void deploy(std::vector<definition::DefinitionPtr> definitions);

  /// Starts an instance of the process that the node belongs to, at that start event.
  [[nodiscard]] Problem start_at(const std::string& node);
  /// Decides the event for the instance at the world's time. Signals that it throws reach whoever
  /// waits for them before anything else happens.
  [[nodiscard]] Problem send(std::size_t instance, facts::EventData data);
  /// Sets a variable in every running instance, and for those to come.
  [[nodiscard]] Problem set_variable(const std::string& name, const Value& value);
  /// A message over that flow is on its way; it is delivered when its target can take it.
  void post(const MessageFlow& flow) { posted_.push_back(flow); }
  /// Lets everything happen that needs no stimulus.
  [[nodiscard]] Problem settle();
  /// Moves the clock on, never back.
  void advance_to(Instant instant);

  [[nodiscard]] const std::vector<Instance>& instances() const { return instances_; }
  [[nodiscard]] const Drawing& drawing() const { return drawing_; }
  [[nodiscard]] Recorder& recorder() { return recorder_; }

private:
  [[nodiscard]] Problem start(const definition::DefinitionPtr& definition,
                              const definition::Node& node);
  [[nodiscard]] Problem broadcast(const std::string& signal, std::size_t sender);
  /// One thing that an instance can do by itself; `moved` tells whether there was one.
  [[nodiscard]] Problem step(std::size_t instance, bool& moved);
  /// Hands one posted message over, if any target can take it.
  [[nodiscard]] Problem deliver_one(bool& moved);
  [[nodiscard]] Problem deliver(const MessageFlow& flow, bool& delivered);

  const Drawing& drawing_;
  Recorder recorder_;
  Object variables_;
  std::map<std::string, definition::DefinitionPtr> definitions_;
  std::vector<Instance> instances_;
  std::deque<MessageFlow> posted_;
  Instant now_;
  Key next_key_ = 1;
};

} // namespace perdure::conformance
