// TestEngine (perdure/testing.h): an engine whose clock, database and end are the test's.
#include "perdure/testing.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "app/assembly.h"
#include "app/test_bed.h"
#include "store/sqlite/sqlite.h"

namespace perdure {

namespace {

class TestClock final : public Clock {
public:
  explicit TestClock(Instant now) : now_(now) {}
  [[nodiscard]] Instant now() const override { return now_.load(); }
  void move_to(Instant time) { now_ = std::max(time, now_.load()); }

private:
  std::atomic<Instant> now_;
};

/// How many steps of that name a commit begins, or ends attempts of.
int passes(std::span<const store::Unit> units, const std::string& name, CrashPoint point) {
  std::set<Key> steps;
  for (const auto& unit : units) {
    const auto is_it = [&](Key step_id) {
      const auto* step = unit.state != nullptr ? unit.state->steps.find(step_id) : nullptr;
      return step != nullptr && (step->slug == name || step->node_id == name);
    };
    for (const auto& fact : unit.facts) {
      std::visit(
          [&]<class Data>(const Data& data) {
            constexpr bool kBegins = std::is_same_v<Data, facts::FlowStepOpened> ||
                                     std::is_same_v<Data, facts::StepOpened>;
            constexpr bool kEnds = std::is_same_v<Data, facts::FlowStepEnded> ||
                                   std::is_same_v<Data, facts::FlowAttemptFailed> ||
                                   std::is_same_v<Data, facts::AttemptFailed> ||
                                   std::is_same_v<Data, facts::AttemptSucceeded> ||
                                   std::is_same_v<Data, facts::StepCompleted>;
            if constexpr (kBegins) {
              if (point == CrashPoint::before_commit && is_it(data.step_id))
                steps.insert(data.step_id);
            } else if constexpr (kEnds) {
              if (point != CrashPoint::before_commit && is_it(data.step_id))
                steps.insert(data.step_id);
            }
          },
          fact.data);
    }
  }
  return static_cast<int>(steps.size());
}

/// Ends the life of the store where the test wants it.
class Reaper final : public store::CommitGuard {
public:
  bool before(std::span<const store::Unit> units) override {
    const std::lock_guard lock(mutex_);
    ++commits_;
    bool dies = dead_;
    if (commits_ == at_commit_ && point_ == CrashPoint::before_commit) dies = true;
    for (auto& [name, point, left] : at_steps_) {
      left -= passes(units, name, point);
      dies = dies || (left <= 0 && point != CrashPoint::after_commit);
    }
    return !dies || reap();
  }
  bool after(std::span<const store::Unit>) override {
    const std::lock_guard lock(mutex_);
    bool dies = commits_ == at_commit_;
    for (const auto& [name, point, left] : at_steps_)
      dies = dies || left <= 0;
    return !dies || reap();
  }

  void at_step(std::string name, CrashPoint point, int time) {
    const std::lock_guard lock(mutex_);
    at_steps_.push_back({std::move(name), point, time});
  }
  void at_commit(int number, CrashPoint point) {
    const std::lock_guard lock(mutex_);
    at_commit_ = commits_ + number;
    point_ = point;
  }
  void now() {
    const std::lock_guard lock(mutex_);
    static_cast<void>(reap());
  }
  void call(std::function<void()> call) {
    const std::lock_guard lock(mutex_);
    call_ = std::move(call);
  }
  void revive() {
    const std::lock_guard lock(mutex_);
    dead_ = false;
    at_commit_ = 0;
    std::erase_if(at_steps_, [](const auto& step) { return step.left <= 0; });
  }
  [[nodiscard]] bool dead() const {
    const std::lock_guard lock(mutex_);
    return dead_;
  }
  [[nodiscard]] int commits() const {
    const std::lock_guard lock(mutex_);
    return commits_;
  }

private:
  struct AtStep {
    std::string name;
    CrashPoint point;
    int left;
  };
  // The caller holds mutex_. False: it does not live on.
  bool reap() {
    if (!std::exchange(dead_, true) && call_) call_();
    return false;
  }

  mutable std::mutex mutex_;
  int commits_ = 0;
  int at_commit_ = 0;
  CrashPoint point_ = CrashPoint::before_commit;
  std::vector<AtStep> at_steps_;
  std::function<void()> call_;
  bool dead_ = false;
};

std::string fresh_name() {
  static std::atomic<int> count = 0;
  return "perdure-test-" + std::to_string(++count);
}

template <class T>
T known(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}

} // namespace

class TestEngine::Bed {
public:
  explicit Bed(const TestOptions& options)
      : clock_(options.begin),
        reaper_(std::make_shared<Reaper>()),
        own_{.clock = clock_,
             .storage = options.storage.value_or(sqlite(name_)),
             .in_memory = !options.storage,
             .guard = reaper_} {
    // It lives on while the process is "dead".
    if (own_.in_memory) kept_ = known(store::sqlite::hold_in_memory(name_));
  }

  [[nodiscard]] TestClock& clock() { return clock_; }
  [[nodiscard]] Reaper& reaper() { return *reaper_; }
  [[nodiscard]] const app::TestBed& own() const { return own_; }

private:
  TestClock clock_;
  std::shared_ptr<Reaper> reaper_;
  const std::string name_ = fresh_name();
  app::TestBed own_;
  std::unique_ptr<store::sqlite::Connection> kept_;
};

std::string to_text(const TestStep& step) {
  auto text = step.name + " " + step.status + " " + std::to_string(step.attempts);
  if (!step.error.empty()) text += " " + step.error;
  return text;
}

TestEngine::TestEngine(TestOptions options)
    : TestEngine(std::make_shared<Bed>(options), options.engine) {}

TestEngine::TestEngine(std::shared_ptr<Bed> bed, const EngineOptions& options)
    : Engine(bed->own(), options), bed_(std::move(bed)) {}

TestEngine::~TestEngine() { close(); }

void TestEngine::settle() {
  auto& engine = known(assembly())->engine();
  static_cast<void>(engine.settle());
}

void TestEngine::advance(std::chrono::milliseconds by) {
  auto& engine = known(assembly())->engine();
  auto& clock = bed_->clock();
  clock.move_to(engine.now()); // a file may have seen a later time
  const auto end = clock.now() + by;
  for (auto due = engine.settle(); due && *due <= end && !crashed(); due = engine.settle())
    clock.move_to(*due);
  if (crashed()) return;
  clock.move_to(end);
  static_cast<void>(engine.settle());
}

std::chrono::sys_time<std::chrono::milliseconds> TestEngine::now() const {
  return bed_->clock().now();
}

void TestEngine::crash_at_step(std::string name, CrashPoint point, int time) {
  bed_->reaper().at_step(std::move(name), point, time);
}

void TestEngine::crash_at_commit(int number, CrashPoint point) {
  bed_->reaper().at_commit(number, point);
}

void TestEngine::crash() { bed_->reaper().now(); }

bool TestEngine::crashed() const { return bed_->reaper().dead(); }

void TestEngine::when_crashing(std::function<void()> call) { bed_->reaper().call(std::move(call)); }

void TestEngine::restart() {
  close();
  bed_->reaper().revive();
}

std::vector<std::int64_t> TestEngine::runs(const std::string& process_id) {
  settle();
  const auto rows = known(
      known(assembly())->reader().instances({.process_id = process_id}, {.limit = 1'000'000}));
  std::vector<std::int64_t> ids;
  for (const auto& [instance, incidents] : rows)
    ids.push_back(instance.id);
  std::ranges::reverse(ids);
  return ids;
}

std::vector<TestStep> TestEngine::steps(std::int64_t instance_id) {
  settle();
  const auto rows = known(known(assembly())->reader().steps(instance_id));
  std::unordered_map<Key, std::string> names;
  std::vector<TestStep> steps;
  for (const auto& row : rows) {
    names.emplace(row.id, row.slug);
    steps.push_back({.name = row.slug,
                     .parent = row.parent_step_id ? names[*row.parent_step_id] : std::string(),
                     .status = std::string(name_of(row.status)),
                     .attempts = row.attempt_count,
                     .error = row.error_name.value_or(""),
                     .error_message = row.error_message.value_or(""),
                     .output = row.output});
    // A value that is null is one; the row keeps apart whether there is any.
    if (row.output_type == facts::OutputType::json && !row.output) steps.back().output = Value();
  }
  return steps;
}

std::vector<TestAttempt> TestEngine::attempts(std::int64_t instance_id, const std::string& step) {
  settle();
  auto& reader = known(assembly())->reader();
  const auto steps = known(reader.steps(instance_id));
  const auto found = std::ranges::find(steps, step, &facts::StepRecord::slug);
  if (found == steps.end()) {
    throw std::runtime_error("The run has no step \"" + step + "\"; look at steps().");
  }
  std::vector<TestAttempt> attempts;
  for (const auto& row : known(reader.attempts(instance_id))) {
    if (row.step_id != found->id) continue;
    attempts.push_back({.number = row.number,
                        .state = std::string(name_of(row.state)),
                        .error = row.error_name.value_or(""),
                        .error_message = row.error_message.value_or(""),
                        .pause = {}});
    if (row.ended_at && row.next_attempt_at) {
      attempts.back().pause = *row.next_attempt_at - *row.ended_at;
    }
  }
  return attempts;
}

std::vector<std::string> TestEngine::incidents(std::int64_t instance_id) {
  settle();
  std::vector<std::string> messages;
  for (const auto& incident : known(known(assembly())->reader().incidents(instance_id))) {
    if (incident.state == facts::IncidentState::open) messages.push_back(incident.message);
  }
  return messages;
}

Result<Instance> TestEngine::instance(std::int64_t instance_id) {
  settle();
  return Engine::instance(instance_id);
}

int TestEngine::commits() const { return bed_->reaper().commits(); }

} // namespace perdure
