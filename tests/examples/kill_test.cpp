// Each example in a process of its own that is killed (SIGKILL) at its first commit, its second,
// and so on, before it and after it, until one runs to its end; and taken up by another process
// each time. What the database had as done when the process died is not done again; what was cut
// off is recorded as that and tried again.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <set>

#include "agent.h"
#include "app/assembly.h"
#include "app/system_clock.h"
#include "approval.h"
#include "embedded/place.h"
#include "examples/world.h"
#include "fan_out.h"
#include "perdure/testing.h"
#include "saga.h"

namespace perdure::examples {
namespace {

using namespace std::chrono_literals;

/// How a process dies, and how much it keeps in memory.
struct Life {
  int commit = 0; ///< 0: it lives
  CrashPoint point = CrashPoint::before_commit;
  std::size_t resident = 10'000;
};

bool has_ended(TestEngine& engine, std::int64_t id) {
  return engine.instance(id)->status == InstanceStatus::completed ||
         engine.instance(id)->status == InstanceStatus::failed;
}

// What each example is put through. A process that takes it up does the same again.
std::int64_t trip(TestEngine& engine, bool fails) {
  if (fails) break_step("rent-car", 9, "SoldOut");
  const auto id = *engine.start("trip", saga::Trip{"t-1", "Lisbon"}, {.id = "t-1"});
  while (!has_ended(engine, id))
    engine.advance(1s);
  return id;
}

std::int64_t expense(TestEngine& engine) {
  const auto id = *engine.start("approval", approval::Expense{"e-1", 9, {"manager", "director"}},
                                {.id = "e-1"});
  while (!has_ended(engine, id)) {
    for (const auto& step : engine.steps(id)) {
      if (step.name == "ask director") {
        EXPECT_TRUE(engine.send(id, "decision", approval::Decision{"director", true}, "d-1"));
      }
    }
    engine.advance(6h);
  }
  return id;
}

std::int64_t site(TestEngine& engine) {
  const auto id = *engine.start("site", fan_out::Site{"site", 3}, {.id = "site"});
  while (!has_ended(engine, id))
    engine.advance(1s);
  return id;
}

std::int64_t talk(TestEngine& engine) {
  const agent::Talk begin{.id = "t-1", .turns_of_a_run = 2};
  static_cast<void>(*engine.start("talk", begin, {.id = "t-1"}));
  for (const int turn : {1, 2, 3}) {
    const auto answer = "answer " + std::to_string(turn);
    const auto done = [&] {
      for (const auto id : engine.runs("talk")) {
        for (const auto& step : engine.steps(id)) {
          if (step.name == answer && step.status == "completed") return true;
        }
      }
      return false;
    };
    while (!done()) {
      const auto id = engine.runs("talk").back();
      EXPECT_TRUE(engine.send(id, "user.message", "hello", "m-" + std::to_string(turn)));
      engine.advance(1s);
    }
  }
  return engine.runs("talk").back();
}

using Script = std::function<void(TestEngine&)>;

void define_all(TestEngine& engine) {
  engine.define<saga::book_trip>("trip");
  engine.define<approval::approve>("approval");
  engine.define<fan_out::read_site>("site");
  engine.define<agent::talk>("talk");
}

using test::Where;

class KillTest : public testing::TestWithParam<Where> {
protected:
  void SetUp() override {
    auto pattern = (std::filesystem::temp_directory_path() / "perdure_kill_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::string why;
    place_ = test::make_place(GetParam(), why);
    if (!place_) GTEST_SKIP() << why;
  }
  ~KillTest() override {
    place_.reset();
    std::filesystem::remove_all(folder_);
  }

  /// The script in a process of its own; whether that was killed.
  bool live(const Script& script, const Life& life) {
    const auto child = ::fork();
    if (child == 0) {
      begin_world(journal());
      TestEngine engine(
          {.engine = {.resident_flows = life.resident}, .storage = place_->storage()});
      define_all(engine);
      engine.when_crashing([] { ::raise(SIGKILL); });
      if (life.commit > 0) engine.crash_at_commit(life.commit, life.point);
      script(engine);
      engine.restart(); // closes it
      ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
      EXPECT_EQ(WTERMSIG(status), SIGKILL);
      return true;
    }
    EXPECT_EQ(WEXITSTATUS(status), 0);
    return false;
  }

  /// What the database says of the steps of all runs.
  struct Seen {
    std::map<std::string, int> attempts;    ///< of runs that have no steps of their own
    std::map<std::string, int> interrupted; ///< of these
    std::set<std::string> completed;
  };
  Seen look() {
    Seen seen;
    app::SystemClock clock;
    NullLog log;
    const auto opened = app::Assembly::open(place_->reading(), clock, log);
    EXPECT_TRUE(opened) << opened.error().message;
    if (!opened) return seen;
    auto& reader = (*opened)->reader();
    for (const auto id : reader.instance_ids({.limit = 1'000}).value())
      note(reader.record(id).value().value().rows, seen);
    return seen;
  }
  static void note(const facts::InstanceState& rows, Seen& seen) {
    for (const auto& slot : rows.steps.slots()) {
      if (slot.row.status == facts::StepStatus::completed) seen.completed.insert(slot.row.slug);
    }
    for (const auto& slot : rows.attempts.slots()) {
      const auto& name = rows.steps.find(slot.row.step_id)->slug;
      ++seen.attempts[name];
      if (slot.row.state == facts::AttemptState::interrupted) ++seen.interrupted[name];
    }
  }

  /// Kills a process at each commit, and lets another one finish.
  void kill_everywhere(const Script& script, std::size_t resident) {
    for (const auto point : {CrashPoint::before_commit, CrashPoint::after_commit}) {
      bool killed = true;
      for (int commit = 1; killed; ++commit) {
        SCOPED_TRACE("commit " + std::to_string(commit) +
                     (point == CrashPoint::after_commit ? ", after it" : ", before it"));
        fresh();
        killed = live(script, {.commit = commit, .point = point, .resident = resident});
        if (!killed) ASSERT_GT(commit, 4) << "there were boundaries to be killed at";
        if (HasFailure()) return;
        if (killed) finish(script, resident);
        if (HasFailure()) return;
      }
    }
  }

  void finish(const Script& script, std::size_t resident) {
    const auto before = look();
    const auto done_before = read_journal(journal());
    EXPECT_FALSE(live(script, {.resident = resident}));
    const auto after = look();
    const auto done_after = read_journal(journal());
    for (const auto& step : before.completed) {
      const auto count = [&](const auto& done) { return done.contains(step) ? done.at(step) : 0; };
      EXPECT_EQ(count(done_after), count(done_before)) << step << " was done again";
    }
    for (const auto& [step, times] : done_after) {
      ASSERT_TRUE(after.attempts.contains(step)) << step;
      const auto interrupted = after.interrupted.contains(step) ? after.interrupted.at(step) : 0;
      EXPECT_EQ(after.attempts.at(step), 1 + interrupted) << step;
      // Cut off before it did anything, or after.
      EXPECT_GE(times, 1) << step;
      EXPECT_LE(times, after.attempts.at(step)) << step;
    }
  }

  void fresh() {
    place_->begin_anew();
    std::filesystem::remove(journal());
  }
  [[nodiscard]] std::string journal() const { return (folder_ / "journal").string(); }

private:
  std::filesystem::path folder_;
  std::unique_ptr<test::Place> place_;
};

TEST_P(KillTest, ASagaThatSucceeds) {
  kill_everywhere([](TestEngine& engine) { trip(engine, false); }, 10'000);
}

TEST_P(KillTest, ASagaThatUndoes) {
  // The attempt at the car fails once: its end is no journal entry.
  const auto script = [](TestEngine& engine) { trip(engine, true); };
  fresh();
  EXPECT_FALSE(live(script, {}));
  for (const auto* step : {"book-flight", "book-hotel", "cancel-hotel", "cancel-flight"})
    EXPECT_EQ(read_journal(journal())[step], 1) << step;
  kill_everywhere(script, 10'000);
}

TEST_P(KillTest, AnApproval) {
  kill_everywhere([](TestEngine& engine) { expense(engine); }, 10'000);
}

TEST_P(KillTest, AFanOut) {
  kill_everywhere([](TestEngine& engine) { site(engine); }, 10'000);
}

TEST_P(KillTest, AnAgent) {
  kill_everywhere([](TestEngine& engine) { talk(engine); }, 10'000);
}

// Nothing stays in memory between two events, so that each turn is a replay.
TEST_P(KillTest, EachExampleWhileItIsEvictedAllTheTime) {
  kill_everywhere([](TestEngine& engine) { trip(engine, false); }, 0);
  kill_everywhere([](TestEngine& engine) { expense(engine); }, 0);
  kill_everywhere([](TestEngine& engine) { site(engine); }, 1);
  kill_everywhere([](TestEngine& engine) { talk(engine); }, 0);
}

INSTANTIATE_TEST_SUITE_P(On, KillTest, testing::Values(Where::sqlite, Where::postgres),
                         [](const auto& tested) { return test::name_of(tested.param); });

} // namespace
} // namespace perdure::examples
