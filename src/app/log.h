// LineLog: the log as lines on a file: JSON objects for programs, text for people.
#pragma once

#include <cstdio>

#include "app/config.h"
#include "base/clock.h"
#include "base/log.h"

namespace perdure::app {

/// One write a line, so that lines of several threads never mix.
class LineLog final : public Log {
public:
  /// `file` is not owned, and neither is `clock`. Lines below `least` are dropped.
  LineLog(std::FILE* file, const Clock& clock, LogFormat format, LogLevel least);
  void write(LogLevel level, std::string_view event, std::initializer_list<Field> fields) override;

private:
  std::FILE* file_;
  const Clock& clock_;
  LogFormat format_;
  LogLevel least_;
};

} // namespace perdure::app
