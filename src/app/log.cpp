#include "app/log.h"

#include <string>

#include "base/json.h"

namespace perdure::app {

namespace {

const char* level_name(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return "debug";
    case LogLevel::info: return "info";
    case LogLevel::warning: return "warning";
    case LogLevel::error: return "error";
  }
  return "error";
}

bool needs_quotes(std::string_view value) {
  return value.empty() || value.find_first_of(" \"\\=\t\r\n") != std::string_view::npos;
}

} // namespace

LineLog::LineLog(std::FILE* file, const Clock& clock, LogFormat format, LogLevel least)
    : file_(file), clock_(clock), format_(format), least_(least) {}

void LineLog::write(LogLevel level, std::string_view event, std::initializer_list<Field> fields) {
  if (level < least_) return;
  const std::string time = to_text(clock_.now());
  std::string line;
  if (format_ == LogFormat::json) {
    line = R"({"time":")" + time + R"(","level":")" + level_name(level) + R"(","event":)";
    json::append_string(line, event);
    for (const auto& [name, value] : fields) {
      line += ',';
      json::append_string(line, name);
      line += ':';
      json::append_string(line, value);
    }
    line += "}\n";
  } else {
    line = time + " " + level_name(level) + " " + std::string(event);
    for (const auto& [name, value] : fields) {
      line += " " + std::string(name) + "=";
      if (needs_quotes(value))
        json::append_string(line, value);
      else
        line += value;
    }
    line += "\n";
  }
  std::fwrite(line.data(), 1, line.size(), file_);
  std::fflush(file_);
}

} // namespace perdure::app
