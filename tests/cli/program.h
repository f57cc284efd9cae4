// Running the real binary: arguments in, exit code and both outputs out.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "perdure/value.h"

namespace perdure::cli_test {

/// A folder that goes with its test.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file into it; its path.
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const;

private:
  std::filesystem::path path_;
};

struct Ended {
  int code = -1; ///< 128 + signal when it was killed
  std::string out;
  std::string error;

  /// `out` as JSON; a test failure when it is none.
  [[nodiscard]] Value json() const;
};

/// Runs a program to its end, at most a minute; without terminal and without the caller's settings.
[[nodiscard]] Ended run_program(const std::string& program, std::vector<std::string> arguments);
/// The binary under test: the one of this build, or what the variable PERDURE_BINARY names.
[[nodiscard]] std::string perdure_binary();
/// The same for perdure.
[[nodiscard]] Ended perdure(std::vector<std::string> arguments);

/// A perdure that goes on while the test does other things. Killed with its object.
class Running {
public:
  /// Its messages are appended to `error_file`; without one they are the caller's. `environment` is
  /// added to what every program under test gets.
  explicit Running(std::vector<std::string> arguments, const std::string& error_file = {},
                   const std::vector<std::string>& environment = {});
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  /// The next line of its output, without the new line; empty at the end.
  [[nodiscard]] std::string line();
  /// Reads lines until one contains the text; that line, or an empty one at the end.
  [[nodiscard]] std::string line_with(const std::string& text);
  /// Waits until it writes something (more) or ends; false when the time is over before.
  [[nodiscard]] bool speaks_within(int milliseconds) const;
  void signal(int number) const;
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Waits for its end; the exit code.
  [[nodiscard]] int wait();

private:
  pid_t pid_ = -1;
  std::FILE* out_ = nullptr;
};

/// A member of an object or an element of a list: at(v, "items", 0, "id"). A test failure and null
/// when it is not there.
[[nodiscard]] Value at(const Value& value);
template <class... Rest>
[[nodiscard]] Value at(const Value& value, const char* member, Rest... rest);
template <class... Rest>
[[nodiscard]] Value at(const Value& value, int index, Rest... rest);

[[nodiscard]] Value member_of(const Value& value, const char* member);
[[nodiscard]] Value element_of(const Value& value, int index);

inline Value at(const Value& value) { return value; }
template <class... Rest>
Value at(const Value& value, const char* member, Rest... rest) {
  return at(member_of(value, member), rest...);
}
template <class... Rest>
Value at(const Value& value, int index, Rest... rest) {
  return at(element_of(value, index), rest...);
}

/// The text there; a test failure and empty when it is none.
[[nodiscard]] std::string text_at(const Value& value);
[[nodiscard]] std::size_t size_of(const Value& list);

/// A service task "Pay" of type payment, a user task "Approve", a short timer, the end.
[[nodiscard]] std::string ask_model();

} // namespace perdure::cli_test
