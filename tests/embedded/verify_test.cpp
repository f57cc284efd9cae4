// Verification before a deployment: what a changed program would do with stored runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "app/verification.h"
#include "embedded/fixture.h"
#include "perdure/flow.h"

namespace perdure {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

Task<int> first(Flow& flow, int number) {
  const int a = co_await flow.run("reserve", [number] { return number; });
  flow.set_attribute("reserved", true);
  co_return a + co_await flow.wait<int>("paid", "paid");
}

Task<int> longer(Flow& flow, int number) {
  const int a = co_await flow.run("reserve", [number] { return number; });
  flow.set_attribute("reserved", true);
  const int b = co_await flow.wait<int>("paid", "paid");
  co_await flow.run("ship", [] {});
  co_return a + b;
}

Task<int> renamed(Flow& flow, int number) {
  const int a = co_await flow.run("hold", [number] { return number; });
  flow.set_attribute("reserved", true);
  co_return a + co_await flow.wait<int>("paid", "paid");
}

class EmbeddedVerify : public test::EmbeddedTest {
protected:
  /// A run that waits and one that has ended; the former.
  std::int64_t run_two() {
    Engine engine{storage()};
    engine.define<first>("order");
    const auto waits = engine.start("order", 1).value();
    const auto ends = engine.start("order", 2).value();
    while (engine.instance(waits)->variables.find("reserved") == nullptr)
      std::this_thread::yield();
    EXPECT_TRUE(engine.send(ends, "paid", 40));
    EXPECT_EQ(engine.result<int>(ends).value(), 42);
    return waits;
  }
};
PERDURE_ON_BOTH(EmbeddedVerify);

TEST_P(EmbeddedVerify, RunsThatGoOnFit) {
  run_two();
  Engine engine{storage()};
  engine.define<longer>("order");
  const auto open = engine.verify();
  ASSERT_TRUE(open) << open.error().message;
  EXPECT_EQ(open->runs, 1);
  EXPECT_TRUE(open->fits());
  // The one that has ended did less than the code does now.
  const auto all = engine.verify({.ended = 10});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->runs, 2);
  ASSERT_THAT(all->misfits, SizeIs(1));
  EXPECT_EQ(all->misfits[0].asked, "run \"ship\"");
  EXPECT_EQ(all->misfits[0].recorded, "the end of the flow");
}

TEST_P(EmbeddedVerify, RunsThatPartAreShownAndNothingIsWritten) {
  const auto waits = run_two();
  Engine engine{storage()};
  engine.define<renamed>("order");
  const auto found = engine.verify();
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_THAT(found->misfits, SizeIs(1));
  const auto& misfit = found->misfits[0];
  EXPECT_EQ(misfit.run_id, waits);
  EXPECT_EQ(misfit.flow, "order");
  EXPECT_EQ(misfit.asked, "run \"hold\"");
  EXPECT_EQ(misfit.recorded, "run \"reserve\"");
  EXPECT_FALSE(misfit.missing_version);
  Engine old{storage()}; // the file is free, and the run as it was
  old.define<first>("order");
  EXPECT_TRUE(old.verify()->fits());
  EXPECT_TRUE(old.send(waits, "paid", 41));
  EXPECT_EQ(old.result<int>(waits).value(), 42);
}

TEST_P(EmbeddedVerify, AVersionThatIsMissingIsToldAlsoBesideTheProgramThatRuns) {
  const auto waits = run_two();
  Engine running{storage()};
  running.define<first>("order");
  ASSERT_TRUE(running.open());
  Engine next{storage()};
  next.define<renamed>("order", 2);
  const auto found = next.verify();
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_THAT(found->misfits, SizeIs(1));
  EXPECT_TRUE(found->misfits[0].missing_version);
  EXPECT_EQ(found->misfits[0].version, 1);
  const auto text = app::verification_text(app::to_value(*found));
  EXPECT_EQ(text, "order 1, run " + std::to_string(waits) +
                      ": the program does not define version 1; define it as long as it has "
                      "runs.\n0 of 1 runs fit this program.\n");
  next.define<first>("order", 1);
  EXPECT_TRUE(next.verify()->fits());
}

TEST_P(EmbeddedVerify, AProgramThatIsAskedToReportsAndEnds) {
  run_two();
  const auto report = [this](auto define, const char* format) {
    ::setenv(app::kVerifyVariable, format, 1);
    Engine engine{storage()};
    define(engine);
    (void)engine.start("order", 3);
    std::abort(); // never: it has ended
  };
  EXPECT_EXIT(report([](Engine& engine) { engine.define<first>("order"); }, "text"),
              testing::ExitedWithCode(0), "");
  EXPECT_EXIT(report([](Engine& engine) { engine.define<renamed>("order"); }, "fd:2"),
              testing::ExitedWithCode(1), HasSubstr(R"("asked":"run \"hold\"")"));
  EXPECT_EXIT(report([](Engine& engine) { engine.define<first>("order", 2); }, "fd:2"),
              testing::ExitedWithCode(1), HasSubstr(R"("missing_version":true)"));
}

} // namespace
} // namespace perdure
