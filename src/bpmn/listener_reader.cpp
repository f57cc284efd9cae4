#include "bpmn/listener_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "bpmn/expressions.h"
#include "bpmn/extension_rules.h"
#include "bpmn/task_reader.h"
#include "definition/listener_rules.h"

namespace perdure::bpmn {

namespace {

using definition::Code;
using definition::in_quotes;
using definition::ListenerPhase;
using definition::ListenerSpec;
using definition::Report;
using xml::Vocabulary;

constexpr std::string_view kExecutionList = "executionListeners";
constexpr std::string_view kTaskList = "taskListeners";

/// A moment that the vocabulary names: Perdure has it as a phase, or says what to do instead.
struct Moment {
  std::string_view name;
  std::optional<ListenerPhase> phase;
  std::string_view advice;
};
constexpr auto kExecution = std::to_array<Moment>({
    {"start", ListenerPhase::start, ""},
    {"end", ListenerPhase::end, ""},
    {"beforeAll", ListenerPhase::before_all, ""},
});
constexpr auto kTask = std::to_array<Moment>({
    {"creating", ListenerPhase::creating, ""},
    {"assigning", ListenerPhase::assigning, ""},
    {"completing", ListenerPhase::completing, ""},
    {"updating",
     {},
     "a user task of Perdure is not updated after its creation: put it at `creating`, or let the "
     "client that changes variables do it"},
    {"canceling",
     {},
     "a user task that is interrupted ends at once: put a task behind the event that interrupts"},
});

class ListenerReader {
public:
  ListenerReader(std::string_view id, Report& report) : id_(id), report_(report) {}

  void read(const xml::Element& element, std::string_view list, std::string_view item,
            std::span<const Moment> moments) {
    const auto* found = find_extension(element, Vocabulary::zeebe, list);
    if (!found) return;
    for (const auto& child : found->children) {
      if (child.is(Vocabulary::zeebe, item)) {
        read_one(child, moments);
      } else {
        fault(child, "`" + child.name + "` is no " + std::string(item) + ": remove it.");
      }
    }
  }

  std::vector<ListenerSpec> take() && { return std::move(listeners_); }

private:
  void fault(const xml::Element& at, std::string message) {
    report_.error(Code::bad_listener, at.place, id_, "The listener " + std::move(message));
  }

  std::optional<ListenerPhase> read_phase(const xml::Element& element,
                                          std::span<const Moment> moments) {
    const auto name = xml::trim(element.get("eventType"));
    const auto moment = std::ranges::find(moments, name, &Moment::name);
    if (moment != moments.end() && moment->phase) return moment->phase;
    if (moment != moments.end()) {
      fault(element, "at " + in_quotes(name) + " is not supported, since " +
                         std::string(moment->advice) + ".");
      return std::nullopt;
    }
    std::string known;
    for (const auto& each : moments) {
      if (each.phase) known += (known.empty() ? "" : ", ") + std::string(each.name);
    }
    fault(element,
          "has the eventType " + in_quotes(name) + ", which is unknown: set one of " + known + ".");
    return std::nullopt;
  }

  void read_one(const xml::Element& element, std::span<const Moment> moments) {
    const auto phase = read_phase(element, moments);
    const auto type = xml::trim(element.get("type"));
    if (type.empty()) {
      fault(element, "names no worker: set its type to the type of the workers that do it.");
      return;
    }
    if (!phase) return;
    ListenerSpec listener{.phase = *phase, .worker = {}};
    listener.worker.type =
        read_template(type, {element.place, id_, "the type of the listener"}, report_);
    listener.worker.retries =
        read_retries(xml::trim(element.get("retries")), element.place, id_, report_);
    if (const auto* headers = element.child(Vocabulary::zeebe, "taskHeaders")) {
      add_headers(*headers, listener.worker);
    }
    definition::add_listener(listeners_, std::move(listener));
  }

  std::string_view id_;
  Report& report_;
  std::vector<ListenerSpec> listeners_;
};

} // namespace

bool is_listener_list(const xml::Element& element) {
  return element.is(Vocabulary::zeebe, kExecutionList) || element.is(Vocabulary::zeebe, kTaskList);
}

std::vector<ListenerSpec> read_listeners(const xml::Element& element, std::string_view id,
                                         Report& report) {
  ListenerReader reader(id, report);
  reader.read(element, kExecutionList, "executionListener", kExecution);
  // On anything else the list is refused as a whole.
  if (element.name == "userTask" || element.name == "globalUserTask")
    reader.read(element, kTaskList, "taskListener", kTask);
  return std::move(reader).take();
}

} // namespace perdure::bpmn
