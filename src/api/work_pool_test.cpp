// WorkPool: takes no more than it can hold, runs what it took, and refuses after stop.
#include "api/work_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

namespace perdure::api {
namespace {

TEST(WorkPool, RunsEveryJobItTookBeforeItStops) {
  std::atomic<int> runs{0};
  WorkPool pool(2, 1000);
  for (int i = 0; i < 1000; ++i) {
    while (!pool.post([&] { ++runs; }))
      std::this_thread::yield();
  }
  pool.stop();
  EXPECT_EQ(runs, 1000);
  EXPECT_FALSE(pool.post([&] { ++runs; }));
  EXPECT_EQ(runs, 1000);
}

TEST(WorkPool, RefusesWhenItsQueueIsFull) {
  std::latch began(1);
  std::latch go(1);
  WorkPool pool(1, 1);
  ASSERT_TRUE(pool.post([&] {
    began.count_down();
    go.wait();
  }));
  began.wait(); // the thread is busy: the next job fills the queue
  EXPECT_TRUE(pool.post([] {}));
  EXPECT_FALSE(pool.post([] {}));
  go.count_down();
}

} // namespace
} // namespace perdure::api
