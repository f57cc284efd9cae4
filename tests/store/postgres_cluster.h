// PostgresCluster: a PostgreSQL server of a test's or benchmark's own, in a temporary folder,
// reached by a Unix socket. Durable as in production (fsync on). Ends with the program, however
// that ends.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace perdure::test {

/// Where a server lives, and how.
struct PostgresSetup {
  std::string parent;                ///< folder of its folder; empty: that for temporary files
  std::vector<std::string> settings; ///< `name=value`; they come after our own
};

class PostgresCluster {
public:
  /// Makes and starts one. The error says what is missing: install the package `postgresql`.
  [[nodiscard]] static std::expected<std::unique_ptr<PostgresCluster>, std::string> start(
      PostgresSetup setup = {});
  PostgresCluster(const PostgresCluster&) = delete;
  PostgresCluster& operator=(const PostgresCluster&) = delete;
  /// Stops the server and removes its folder.
  ~PostgresCluster();

  /// Of its database; a superuser without password.
  [[nodiscard]] std::string url() const;
  /// Where its socket is.
  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// Ends the server as a power cut would. Its files stay. With SIGKILL its sessions end a moment
  /// later than it does.
  void kill(int signal = SIGQUIT);
  /// Starts it again after kill(); false when it does not come up.
  [[nodiscard]] bool restart();
  /// A second server that follows this one.
  [[nodiscard]] std::expected<std::unique_ptr<PostgresCluster>, std::string> replica() const;
  /// Makes a replica a server of its own; false when it stays one.
  [[nodiscard]] bool promote() const;

private:
  PostgresCluster(std::string folder, std::vector<std::string> settings)
      : folder_(std::move(folder)), settings_(std::move(settings)) {}
  /// A new one with an empty folder.
  [[nodiscard]] static std::expected<std::unique_ptr<PostgresCluster>, std::string> prepare(
      PostgresSetup setup);
  [[nodiscard]] std::string make() const;
  /// Runs one of the server's programs to its end; its exit code.
  [[nodiscard]] int run(std::vector<std::string> command) const;
  [[nodiscard]] bool is_up() const;

  std::string folder_;
  std::vector<std::string> settings_;
  std::string programs_; ///< folder of the server's programs
  uid_t user_ = 0;       ///< the server refuses to run as root
  gid_t group_ = 0;
  pid_t process_ = -1;
};

} // namespace perdure::test
