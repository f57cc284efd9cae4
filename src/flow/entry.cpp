#include "flow/entry.h"

#include <type_traits>

namespace perdure::flow {

namespace {

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

struct Describe {
  std::string operator()(const StepAsked& deed) const { return describe(deed.ask, deed.parent); }
  std::string operator()(const NestedEnded& deed) const {
    return "the end of attempt " + std::to_string(deed.attempt) + " of run " + quoted(deed.name) +
           (deed.ending.kind == Ending::Kind::succeeded ? "" : ", failed");
  }
  std::string operator()(const StepDropped& deed) const {
    return "the cancellation of step " + quoted(deed.name);
  }
  std::string operator()(const TimeRead&) const { return "now()"; }
  std::string operator()(const AttributeSet& deed) const {
    return "set_attribute(" + quoted(deed.name) + ")";
  }
  std::string operator()(const PatchTaken& deed) const {
    return "patched(" + quoted(deed.name) + ")";
  }
  std::string operator()(const CompensationAdded& deed) const {
    return "compensate(" + quoted(deed.name) + ")";
  }
  std::string operator()(const FlowEnded& deed) const {
    switch (deed.kind) {
      case FlowEnded::Kind::completed: return "the end of the flow";
      case FlowEnded::Kind::failed: return "the end of the flow, failed";
      case FlowEnded::Kind::cancelled: return "the end of the flow, cancelled";
      case FlowEnded::Kind::continued: return "continue_as_new()";
    }
    return {};
  }
  std::string operator()(const Begun&) const { return "the beginning"; }
  std::string operator()(const StepEnded& heard) const {
    return "the result of step " + quoted(heard.name);
  }
  std::string operator()(const AttemptBegun& heard) const {
    return "attempt " + std::to_string(heard.number) + " of run " + quoted(heard.name);
  }
  std::string operator()(const StepReleased& heard) const {
    return "the end of the cancelled step " + quoted(heard.name);
  }
  std::string operator()(const CancelSeen&) const { return "the cancellation of the flow"; }
};

} // namespace

std::string describe(const Ask& ask, std::string_view parent) {
  auto text = std::string(enum_names(ask.kind)[static_cast<std::size_t>(ask.kind)]) + " " +
              quoted(ask.name);
  if (ask.kind == AskKind::wait) text += " for event " + quoted(ask.target);
  if (ask.kind == AskKind::call) text += " of process " + quoted(ask.target);
  if (ask.nested) text += " with steps of its own";
  if (!parent.empty()) text += " in run " + quoted(parent);
  return text;
}

std::string describe(const Entry& entry) {
  return std::visit(
      [](const auto& side) {
        return std::visit([](const auto& one) { return Describe()(one); }, side);
      },
      entry);
}

} // namespace perdure::flow
