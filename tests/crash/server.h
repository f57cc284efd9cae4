// Server: `perdure serve` on one folder or PostgreSQL database, killed and started again and again.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/program.h"

namespace perdure::crash_test {

class Server {
public:
  /// Its messages are appended to `log_file`.
  Server(std::string folder, std::string log_file);
  /// On the PostgreSQL database instead of a folder.
  [[nodiscard]] static std::unique_ptr<Server> on_postgres(std::string url, std::string log_file);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Starts it and waits until it serves; its URL. A test failure and empty when it ends instead.
  [[nodiscard]] std::string start();
  /// Starts it and kills it after so many milliseconds, or as soon as it serves; true when it did
  /// not serve yet.
  bool start_and_kill(int milliseconds);
  /// A test failure when it had ended by itself.
  void kill();
  /// SIGTERM; the exit code.
  [[nodiscard]] int stop();
  /// Kills whatever runs; from any thread, for a guard.
  void kill_for_good() const;

  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// The options that lead a command to its database.
  [[nodiscard]] std::vector<std::string> database_options() const;
  /// Lines of the log that tell of errors.
  [[nodiscard]] std::string errors() const;

private:
  void spawn();
  void expect_owner(const std::string& url) const;

  const std::string folder_; ///< empty with PostgreSQL
  std::string database_;     ///< its URL
  const std::string log_file_;
  std::optional<cli_test::Running> process_;
  std::atomic<pid_t> pid_{-1};
};

} // namespace perdure::crash_test
