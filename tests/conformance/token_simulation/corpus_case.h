// One case of the corpus token-simulation as its files cases.json and neutral.json tell it: what to
// do with which model, and what has to come of it. Nothing here knows the engine.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/result.h"

namespace perdure::conformance {

/// What a case does, in the words of the corpus.
enum class Action { choose_flow, wait_at, trigger, signal, check };
enum class TriggerKind {
  start,
  implicit_start,
  caught,
  event_based_gateway,
  boundary,
  event_sub_process_start,
  resume
};

struct Stimulus {
  Action action{};
  std::string element; ///< the gateway of choose_flow, the target of signal
  std::vector<std::string> flows;
  TriggerKind kind{};
  std::string event;        ///< trigger: none, message, timer, conditional, signal ...
  std::string message_flow; ///< signal
  std::string ended;        ///< check: empty, the id of a run, or `*` for every instance
};

/// How a run is over, in classes that every engine can tell apart.
enum class Outcome { active, completed, removed, threw };

/// A run of one node, expected by the corpus. Ids are labels; -1 stands for no index.
struct ExpectedRun {
  std::string id;
  std::string element; ///< of a participant: its process
  std::string type;    ///< as the XML names it; `process` of a process instance
  bool root = false;   ///< a process instance
  int in = -1;         ///< index of the run around it
  std::vector<int> via;
  int by = -1; ///< the run that caused it
  int gateway = -1;
  std::vector<int> released; ///< runs that let it go on
  int started = 0;           ///< index of the stimulus
  int ended = -1;
  Outcome outcome = Outcome::active;
  bool handler = false; ///< compensation
  int thrower = -1;
  bool after_end = false;
  int cancelled_by = -1;
  bool free_end = false; ///< the end is the engine's own policy: not compared
};

struct ExpectedFlow {
  std::string id;
  std::string flow;
  int from = -1;
  int to = -1;
  int during = 0;
};

/// Least and most counts of a case that has a race.
struct Bounds {
  using Range = std::pair<std::int64_t, std::int64_t>;
  std::map<std::string, Range> started;
  std::map<std::string, Range> flows;
  std::vector<std::map<std::string, std::int64_t>> instances; ///< counts of end states
};

struct Expected {
  std::vector<ExpectedRun> runs; ///< in the order of their creation
  std::vector<ExpectedFlow> flows;
};

struct Case {
  std::string name;
  std::filesystem::path model;
  std::vector<Stimulus> stimuli;
  std::vector<std::string> flags;
  std::string notes;
  Expected expected;
  std::optional<Bounds> bounds;

  [[nodiscard]] bool has_flag(std::string_view flag) const;
};

/// Every case below the folder of the corpus, or what does not fit in its files.
[[nodiscard]] Result<std::vector<Case>> read_cases(const std::filesystem::path& folder);

/// What is expected once stimulus `last` has taken effect: later runs are not there yet, and runs
/// that end later are active. Runs that only exist later keep no index: all indexes are new.
[[nodiscard]] Expected expected_until(const Expected& expected, int last);

} // namespace perdure::conformance
