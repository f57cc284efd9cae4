#include "app/key_check.h"

#include <gtest/gtest.h>

namespace perdure::app {
namespace {

facts::IdempotencyRecord record(std::string outcome) {
  return {.key = "k",
          .tenant_id = "acme",
          .request_digest = std::string(64, 'a'),
          .outcome = std::move(outcome),
          .created_at = from_ms(1'000),
          .expires_at = from_ms(2'000)};
}

TEST(KeyCheck, FindsTheHighestKeyInWhateverTable) {
  facts::InstanceState rows;
  rows.instance.id = 7;
  EXPECT_EQ(highest_key(rows), 7);
  rows.tokens.load({.instance_id = 7, .id = 12});
  EXPECT_EQ(highest_key(rows), 12);
  rows.dead_letters.load({.id = 31, .instance_id = 7});
  EXPECT_EQ(highest_key(rows), 31);
  rows.evaluations.load({.id = 44, .instance_id = 7});
  EXPECT_EQ(highest_key(rows), 44);
  rows.migrations.load({.id = 45, .instance_id = 7});
  EXPECT_EQ(highest_key(rows), 45);
}

TEST(KeyCheck, ARememberedCommandFitsItsInstance) {
  const facts::ProcessInstance instance{.id = 5, .tenant_id = "acme"};
  EXPECT_EQ(instance_of(record(R"({"instance_id":"5"})")), 5);
  EXPECT_EQ(wrong_record(record(R"({"instance_id":"5"})"), instance), std::nullopt);
  // The instance may be gone at the end of its retention.
  EXPECT_EQ(wrong_record(record(R"({"instance_id":"5"})"), std::nullopt), std::nullopt);
  EXPECT_NE(wrong_record(record("{}"), std::nullopt), std::nullopt);
  EXPECT_NE(wrong_record(record(R"({"instance_id":5})"), std::nullopt), std::nullopt);
  const facts::ProcessInstance other{.id = 5, .tenant_id = "other"};
  EXPECT_NE(wrong_record(record(R"({"instance_id":"5"})"), other), std::nullopt);
}

} // namespace
} // namespace perdure::app
