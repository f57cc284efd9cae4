// docs/elements.md says what of BPMN is executed, generated from the rules of this room and of the
// definition, with the cases of tests/cases that prove it. PERDURE_REFRESH=1 rewrites the page.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/enum_text.h"
#include "bpmn/element_rules.h"
#include "definition/event_rules.h"

namespace perdure::bpmn {
namespace {

namespace fs = std::filesystem;
using definition::EventKind;
using definition::EventPlace;

constexpr std::array kPlaces{EventPlace::process_start,
                             EventPlace::event_sub_process_start,
                             EventPlace::non_interrupting_start,
                             EventPlace::catching,
                             EventPlace::boundary,
                             EventPlace::non_interrupting_boundary,
                             EventPlace::throwing,
                             EventPlace::end};

std::string content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What the cases use, and in which of them first: element names, and events at their places.
class Proofs {
public:
  Proofs() {
    std::set<fs::path> files;
    for (const auto& entry : fs::directory_iterator(fs::path(PERDURE_SOURCE_DIR) / "tests/cases")) {
      if (entry.path().extension() == ".case") files.insert(entry.path());
    }
    for (const auto& file : files)
      read(file);
  }

  [[nodiscard]] std::string of(const std::string& what) const {
    const auto found = by_use_.find(what);
    if (found == by_use_.end()) return "";
    return "[" + found->second + "](../tests/cases/" + found->second + ".case)";
  }

  static std::string event_at(EventPlace place, std::string_view kind) {
    return std::string(name_of_place(place)) + "/" + std::string(kind);
  }

private:
  void read(const fs::path& file) {
    std::map<std::string, std::string> kinds;
    const auto text = content(file);
    // A case about refusals or incidents proves less than one that runs through.
    const auto name = file.stem().string();
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string word;
      if (!line.starts_with(" ") || !(words >> word) || word != "node") continue;
      std::string id;
      std::string kind;
      words >> id >> kind;
      kinds[id] = kind;
      note(kind, name);
      if (kind == "eventBasedGateway" || kind == "receiveTask") {
        const auto words_of_it = line + " ";
        const bool begins = words_of_it.find(" begins ") != std::string::npos;
        const bool all = words_of_it.find(" all ") != std::string::npos;
        if (begins) note(kind + (all ? " Parallel" : " instantiate"), name);
      }
      read_events(kinds, kind, words, name);
    }
  }

  void read_events(const std::map<std::string, std::string>& kinds, const std::string& kind,
                   std::istringstream& words, const std::string& name) {
    std::vector<std::string> events;
    std::string scope;
    bool beside = false;
    bool all = false;
    for (std::string word; words >> word;) {
      if (word == "in") words >> scope;
      if (word == "beside") beside = true;
      if (word == "all") all = true;
      if (word == "undoes") note("isForCompensation", name);
      const auto key = word.substr(0, word.find('='));
      const bool is_time = key == "timer" || key == "date" || key == "cycle";
      if (is_time) events.emplace_back("timer");
      if (!is_time && enum_from<EventKind>(key)) events.push_back(key);
    }
    const auto inside = kinds.find(scope);
    const bool in_event = inside != kinds.end() && inside->second == "eventSubProcess";
    EventPlace place{};
    if (kind == "startEvent") {
      place = !in_event ? EventPlace::process_start
              : beside  ? EventPlace::non_interrupting_start
                        : EventPlace::event_sub_process_start;
    } else if (kind == "intermediateCatchEvent") {
      place = EventPlace::catching;
    } else if (kind == "boundaryEvent") {
      place = beside ? EventPlace::non_interrupting_boundary : EventPlace::boundary;
    } else if (kind == "intermediateThrowEvent") {
      place = EventPlace::throwing;
    } else if (kind == "endEvent") {
      place = EventPlace::end;
    } else {
      return;
    }
    if (events.empty()) note(Proofs::event_at(place, "none"), name);
    if (events.size() > 1)
      note(Proofs::event_at(place, all ? "parallel multiple" : "multiple"), name);
    if (events.size() == 1) note(Proofs::event_at(place, events.front()), name);
  }

  void note(const std::string& what, const std::string& name) { by_use_.emplace(what, name); }

  std::map<std::string, std::string> by_use_;
};

std::string_view meaning(ElementRole role) {
  switch (role) {
    case ElementRole::node:
    case ElementRole::flow:
    case ElementRole::association: return "supported";
    case ElementRole::documentation: return "accepted, says nothing that is executed";
    case ElementRole::data: return "names variables, and gives what they begin with";
    case ElementRole::checked:
      return "taken at activities and events; elsewhere accepted where it says nothing";
    case ElementRole::detail: return "read with the element that it belongs to";
    case ElementRole::refused: return "refused";
  }
  return "";
}

std::string elements_table(const Proofs& proofs) {
  std::string out = "| Element | | Case, or what to do instead |\n| --- | --- | --- |\n";
  for (const auto& rule : element_rules()) {
    std::string name(rule.name);
    out += "| `" + name + "` | " + std::string(meaning(rule.role)) + " | ";
    if (rule.role == ElementRole::refused) {
      out += std::string(rule.advice);
    } else {
      out += proofs.of(name);
    }
    out += " |\n";
    if (name == "receiveTask") {
      out += "| `receiveTask` with `instantiate` | supported | " +
             proofs.of("receiveTask instantiate") + " |\n";
    }
    if (name == "eventBasedGateway") {
      out += "| `eventBasedGateway` with `instantiate` | supported | " +
             proofs.of("eventBasedGateway instantiate") + " |\n";
      out += "| the same with `eventGatewayType=\"Parallel\"` | supported | " +
             proofs.of("eventBasedGateway Parallel") + " |\n";
    }
    if (name != "subProcess") continue;
    out += "| `subProcess` with `triggeredByEvent` | supported | " + proofs.of("eventSubProcess") +
           " |\n";
    out += "| an activity with `isForCompensation` | supported | " +
           proofs.of("isForCompensation") + " |\n";
  }
  return out;
}

std::string cell(const Proofs& proofs, EventPlace place, std::string_view kind, bool allowed) {
  const auto single = enum_from<EventKind>(kind);
  const bool beside =
      place == EventPlace::non_interrupting_start || place == EventPlace::non_interrupting_boundary;
  if (beside && single == EventKind::compensation && !may_interrupt_or_not(*single)) {
    return "the attribute says nothing";
  }
  if (!allowed) return "refused";
  const auto proof = proofs.of(Proofs::event_at(place, kind));
  return proof.empty() ? "supported" : proof;
}

std::string events_table(const Proofs& proofs) {
  std::string out = "| Event |";
  std::string rule = "| --- |";
  for (const auto place : kPlaces) {
    out += " " + std::string(name_of_place(place)) + " |";
    rule += " --- |";
  }
  out += "\n" + rule + "\n| none |";
  for (const auto place : kPlaces) {
    const bool allowed = place == EventPlace::process_start || place == EventPlace::throwing ||
                         place == EventPlace::end;
    out += " " + cell(proofs, place, "none", allowed) + " |";
  }
  for (const auto name : enum_names(EventKind{})) {
    out += "\n| " + std::string(name) + " |";
    for (const auto place : kPlaces)
      out += " " + cell(proofs, place, name, is_allowed(place, *enum_from<EventKind>(name))) + " |";
  }
  for (const auto* several : {"multiple", "parallel multiple"}) {
    out += std::string("\n| ") + several + " |";
    for (const auto place : kPlaces) {
      const bool all = several == std::string("parallel multiple");
      const bool allowed = !all || place == EventPlace::catching || place == EventPlace::boundary ||
                           place == EventPlace::non_interrupting_boundary ||
                           place == EventPlace::event_sub_process_start ||
                           place == EventPlace::non_interrupting_start;
      out += " " + cell(proofs, place, several, allowed) + " |";
    }
  }
  return out + "\n";
}

std::string page(const std::string& old) {
  const Proofs proofs;
  // What stands before the first table is written by hand.
  const std::string mark = "<!-- generated -->\n";
  const auto head = old.substr(0, std::min(old.find(mark), old.size()));
  return head + mark + "\n## Elements\n\n" + elements_table(proofs) +
         "\n## Events and their places\n\n" + events_table(proofs);
}

TEST(ElementsDoc, IsInStepWithTheRules) {
  const auto path = fs::path(PERDURE_SOURCE_DIR) / "docs" / "elements.md";
  const auto old = content(path);
  const auto now = page(old);
  if (std::getenv("PERDURE_REFRESH") != nullptr) {
    std::ofstream(path, std::ios::binary) << now;
    return;
  }
  EXPECT_EQ(old, now) << "PERDURE_REFRESH=1 rewrites the page";
}

} // namespace
} // namespace perdure::bpmn
