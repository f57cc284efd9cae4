#include "engine/retention_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perdure::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Instant kNow = from_ms(1'800'000'000'000);
constexpr Duration kDay{24 * 3'600'000};

store::InstanceAge instance(Key id, const std::string& process_id, std::optional<Duration> ago) {
  store::InstanceAge made{.id = id, .process_id = process_id, .created_at = kNow - 100 * kDay};
  if (ago) made.ended_at = kNow - *ago;
  return made;
}

std::vector<Key> keys(const std::vector<store::ExpiredInstance>& instances) {
  std::vector<Key> ids;
  for (const auto& instance : instances)
    ids.push_back(instance.id);
  return ids;
}

TEST(RetentionPolicy, ThirtyDaysAfterTheEndUnlessTheProcessSaysOtherwise) {
  const RetentionPolicy policy{.by_process = {{"quick", kDay}, {"kept", std::nullopt}}};
  const std::vector<store::InstanceAge> page{
      instance(1, "order", 30 * kDay), instance(2, "order", 30 * kDay - Duration(1)),
      instance(3, "order", {}),        instance(4, "quick", kDay),
      instance(5, "quick", kDay / 2),  instance(6, "kept", 90 * kDay),
      instance(7, "quick", {}),
  };
  const auto over = expired(policy, page, kNow);
  EXPECT_THAT(keys(over), ElementsAre(1, 4));
  EXPECT_EQ(over.front().retained_until, kNow);
  EXPECT_EQ(policy.shortest(), kDay);
}

TEST(RetentionPolicy, OffKeepsEverything) {
  RetentionPolicy policy{.standard = std::nullopt};
  const std::vector<store::InstanceAge> page{instance(1, "order", 99 * kDay),
                                             instance(2, "quick", 99 * kDay)};
  EXPECT_THAT(expired(policy, page, kNow), IsEmpty());
  EXPECT_EQ(policy.shortest(), std::nullopt);
  policy.by_process["quick"] = Duration(0);
  EXPECT_THAT(keys(expired(policy, page, kNow)), ElementsAre(2));
  EXPECT_EQ(policy.shortest(), Duration(0));
}

TEST(RetentionPolicy, TimesAreIsoDurations) {
  EXPECT_EQ(parse_retention("P30D").value(), 30 * kDay);
  EXPECT_EQ(parse_retention("PT1H").value(), Duration(3'600'000));
  EXPECT_EQ(parse_retention("P0D").value(), Duration(0));
  EXPECT_EQ(parse_retention("P1M").value(), 31 * kDay);
  EXPECT_EQ(parse_retention("P1Y").value(), 365 * kDay);
  EXPECT_EQ(parse_retention("off").value(), std::nullopt);
  for (const auto* wrong : {"", "30", "-P1D", "never", "P", "30d"}) {
    EXPECT_FALSE(parse_retention(wrong)) << wrong;
  }
}

} // namespace
} // namespace perdure::engine
