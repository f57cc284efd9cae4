// Record: the facts of a run as the entries that a Machine replays, and what a Machine did as the
// entries that a decision takes.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "facts/event.h"
#include "facts/fact.h"
#include "flow/entry.h"

namespace perdure::flow {

/// What the code did or heard, as the decision takes it.
[[nodiscard]] facts::FlowEntry to_fact_entry(const Entry& entry);

/// Something that has happened to a run and that its code was not told yet.
struct Notice {
  enum class Kind { begin, step_ended, attempt_due, cancel };
  Kind kind = Kind::begin;
  std::string name{}; ///< of the step
  Ending ending{};    ///< step_ended
  bool nested = false;
};

/// A run that is open, as the facts leave it.
struct OpenRun {
  std::int64_t attempt = 1;
  bool nested = false;
  bool running = false; ///< an attempt is under way
  std::optional<std::string> worker_id;
};

/// Reads the facts of one run in order and gives entries. Keeps what is open and what is not heard.
class Recorded final : public History {
public:
  /// `next` gives the facts, from the first; none at the end.
  explicit Recorded(std::function<std::optional<facts::Fact>()> next) : source_(std::move(next)) {}

  std::optional<Entry> next() override;

  // Good at the end.
  [[nodiscard]] std::deque<Notice> take_notices() { return std::move(notices_); }
  [[nodiscard]] const std::unordered_map<std::string, OpenRun>& runs() const { return runs_; }
  [[nodiscard]] std::int64_t version() const { return version_; }
  [[nodiscard]] bool paused() const { return paused_; }
  [[nodiscard]] bool parked() const { return parked_ > 0; }
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] const Value& input() const { return input_; }

private:
  struct Opened {
    std::string name;
    bool nested = false;
  };
  template <class Data>
  std::optional<Entry> read(const Data& fact);
  template <class Data>
  std::optional<Entry> read_step(const Data& fact);
  void hear(Notice::Kind kind, const std::string& name);

  std::function<std::optional<facts::Fact>()> source_;
  std::unordered_map<Key, Opened> steps_; ///< that the code has still to do with
  std::unordered_map<std::string, OpenRun> runs_;
  std::unordered_map<std::string, Ending> endings_; ///< not heard
  std::deque<Notice> notices_;
  std::int64_t version_ = 0;
  int parked_ = 0;
  bool paused_ = false;
  bool ended_ = false;
  Value input_;
};

/// What one fact tells the code of its run, if anything; `name_of` finds the name of a step.
[[nodiscard]] Ending ending_of(const facts::FlowStepEnded& fact);

} // namespace perdure::flow
