#include "app/log.h"

#include <gtest/gtest.h>

#include <memory>

namespace perdure::app {
namespace {

class StoppedClock final : public Clock {
public:
  [[nodiscard]] Instant now() const override { return from_ms(0); }
};

std::string written(LogFormat format, LogLevel least) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* file = ::open_memstream(&text, &size);
  const StoppedClock clock;
  LineLog log(file, clock, format, least);
  log.write(LogLevel::info, "started", {{"url", "http://x"}, {"note", "a \"b\"\nc"}});
  log.write(LogLevel::debug, "detail", {});
  std::fclose(file);
  const std::unique_ptr<char, void (*)(void*)> owner(text, std::free);
  return {text, size};
}

TEST(LineLog, TextForPeople) {
  EXPECT_EQ(written(LogFormat::text, LogLevel::info),
            "1970-01-01T00:00:00.000Z info started url=http://x note=\"a \\\"b\\\"\\nc\"\n");
}

TEST(LineLog, JsonForPrograms) {
  EXPECT_EQ(written(LogFormat::json, LogLevel::debug),
            "{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"info\",\"event\":\"started\","
            "\"url\":\"http://x\",\"note\":\"a \\\"b\\\"\\nc\"}\n"
            "{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"debug\",\"event\":\"detail\"}\n");
}

TEST(LineLog, DropsWhatIsBelowTheLevel) {
  EXPECT_EQ(written(LogFormat::text, LogLevel::error), "");
}

} // namespace
} // namespace perdure::app
