#include "app/config.h"

#include <gtest/gtest.h>

namespace perdure::app {
namespace {

TEST(Config, ReadsEverySetting) {
  const auto config = parse_config(R"(
    data = "/var/lib/perdure"
    host = "0.0.0.0"
    port = 9000
    migrate_on_start = false
    [limits]
    max_body_bytes = 1000
    max_connections = 10
    handler_threads = 4
    max_variables_bytes = 2000
    max_page = 50
    max_tasks_per_fetch = 7
    max_wait_ms = 0
    max_lock_ms = 90000
    [log]
    level = "debug"
    format = "json"
  )",
                                   "perdure.toml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->data, "/var/lib/perdure");
  EXPECT_TRUE(config->data_is_chosen);
  EXPECT_EQ(config->host, "0.0.0.0");
  EXPECT_EQ(config->port, 9000);
  EXPECT_TRUE(config->port_is_chosen);
  EXPECT_FALSE(config->migrate_on_start);
  EXPECT_EQ(config->max_body_bytes, 1000U);
  EXPECT_EQ(config->max_connections, 10U);
  EXPECT_EQ(config->handler_threads, 4U);
  EXPECT_EQ(config->limits.max_variables_bytes, 2'000U);
  EXPECT_EQ(config->limits.max_page, 50);
  EXPECT_EQ(config->limits.max_tasks, 7);
  EXPECT_EQ(config->limits.max_wait, Duration(0));
  EXPECT_EQ(config->limits.max_lock, Duration(90'000));
  EXPECT_EQ(config->log_level, LogLevel::debug);
  EXPECT_EQ(config->log_format, LogFormat::json);
}

TEST(Config, WrongSettingsAreNamedWithTheirLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"port = 70000", "perdure.toml:1: port must be a whole number from 0 to 65535"},
      {"\nport = -1", "perdure.toml:2: port must be a whole number from 0 to 65535"},
      {"port = \"8080\"", "perdure.toml:1: port must be a whole number from 0 to 65535"},
      {"data = 1", "perdure.toml:1: data must be a text"},
      {"migrate_on_start = 1", "perdure.toml:1: migrate_on_start must be true or false"},
      {"hots = \"x\"",
       "perdure.toml:1: hots is not a setting; see docs/cli.md for those there are"},
      {"[limits]\nmax_body = 1",
       "perdure.toml:2: limits.max_body is not a setting; see docs/cli.md for those there are"},
      {"[limits]\nmax_page = 0", "perdure.toml:2: limits.max_page must be at least 1"},
      {"[limits]\nmax_wait_ms = -1",
       "perdure.toml:2: limits.max_wait_ms must be a whole number from 0 to 1099511627776"},
      {"limits = 1", "perdure.toml:1: limits must be a table"},
      {"[log]\nlevel = \"loud\"",
       "perdure.toml:2: log.level must be debug, info, warning or error"},
      {"[log]\nformat = \"xml\"", "perdure.toml:2: log.format must be text or json"},
  };
  for (const auto& [text, message] : cases) {
    const auto config = parse_config(text, "perdure.toml");
    ASSERT_FALSE(config) << text;
    EXPECT_EQ(config.error().message, message);
  }
  EXPECT_TRUE(parse_config("a = ", "x.toml").error().message.starts_with("x.toml:1: this is not"));
}

TEST(Config, RetentionIsThirtyDaysAProcessCanHaveItsOwn) {
  EXPECT_EQ(parse_config("", "f")->retention.standard, Duration(30LL * 86'400'000));
  const auto config = parse_config(
      "[retention]\ndefault = \"off\"\n[retention.process]\norder = \"P7D\"\n\"a b\" = \"off\"\n",
      "f");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->retention.standard, std::nullopt);
  EXPECT_EQ(config->retention.of("order"), Duration(7LL * 86'400'000));
  EXPECT_EQ(config->retention.of("a b"), std::nullopt);
  EXPECT_EQ(parse_config("[retention]\ndefault = \"soon\"\n", "f").error().message,
            "f:2: retention.default must be a time such as \"P30D\", or \"off\"");
  EXPECT_FALSE(parse_config("[retention]\nprocess = 1\n", "f"));
  EXPECT_FALSE(parse_config("[retention]\ndefault = 30\n", "f"));
}

} // namespace
} // namespace perdure::app
