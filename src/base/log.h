// The log as others see it: one event name and named fields. Who writes it is main's business.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace perdure {

enum class LogLevel { debug, info, warning, error };

/// Thread-safe.
class Log {
public:
  using Field = std::pair<std::string_view, std::string>;

  Log() = default;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  virtual ~Log() = default;
  virtual void write(LogLevel level, std::string_view event,
                     std::initializer_list<Field> fields) = 0;
};

/// Writes nothing: for tests and for embedders that want none.
class NullLog final : public Log {
public:
  void write(LogLevel, std::string_view, std::initializer_list<Field>) override {}
};

} // namespace perdure
