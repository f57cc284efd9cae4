#include "engine/state_cache.h"

#include <gtest/gtest.h>

namespace perdure::engine {
namespace {

facts::InstanceState state(Key id, std::int64_t version = 1) {
  facts::InstanceState state;
  state.instance.id = id;
  state.instance.version = version;
  return state;
}

TEST(StateCache, FindsWhatWasPutAndForgetsWhatWasDropped) {
  StateCache cache(10);
  EXPECT_EQ(cache.find(1), nullptr);
  cache.put(state(1));
  ASSERT_NE(cache.find(1), nullptr);
  EXPECT_EQ(cache.find(1)->instance.id, 1);
  cache.drop(1);
  cache.drop(1);
  EXPECT_EQ(cache.find(1), nullptr);
  EXPECT_EQ(cache.size(), 0U);
}

TEST(StateCache, ANewStateReplacesTheOld) {
  StateCache cache(10);
  cache.put(state(1, 1));
  cache.put(state(1, 2));
  EXPECT_EQ(cache.size(), 1U);
  EXPECT_EQ(cache.find(1)->instance.version, 2);
}

TEST(StateCache, TheLeastRecentlyUsedGoesFirst) {
  StateCache cache(2);
  cache.put(state(1));
  cache.put(state(2));
  (void)cache.find(1);
  cache.put(state(3));
  cache.trim();
  EXPECT_NE(cache.find(1), nullptr);
  EXPECT_EQ(cache.find(2), nullptr);
  EXPECT_NE(cache.find(3), nullptr);
}

TEST(StateCache, AStateKeepsItsAddressWhileOthersComeAndGo) {
  StateCache cache(100);
  const auto* first = &cache.put(state(1));
  for (Key id = 2; id < 90; ++id)
    cache.put(state(id));
  for (Key id = 2; id < 90; id += 2)
    cache.drop(id);
  EXPECT_EQ(cache.find(1), first);
}

TEST(StateCache, WithoutRoomNothingIsKept) {
  StateCache cache(0);
  cache.put(state(1));
  cache.trim();
  EXPECT_EQ(cache.size(), 0U);
}

} // namespace
} // namespace perdure::engine
