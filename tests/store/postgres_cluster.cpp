#include "postgres_cluster.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <vector>

namespace perdure::test {

namespace {

namespace fs = std::filesystem;

constexpr auto kStartPatience = std::chrono::seconds(60);

/// The newest installed server; empty when there is none.
std::string find_programs() {
  std::vector<std::pair<int, std::string>> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const int version = std::atoi(entry.path().filename().c_str());
    const auto folder = entry.path() / "bin";
    if (version >= 14 && fs::exists(folder / "initdb", ignored)) {
      found.emplace_back(version, folder.string());
    }
  }
  return found.empty() ? "" : std::ranges::max(found).second;
}

/// Starts a program as the user, its output in the file; it ends when this program ends.
pid_t launch(const std::vector<std::string>& command, uid_t user, gid_t group,
             const std::string& output) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  ::dup2(file, STDOUT_FILENO);
  ::dup2(file, STDERR_FILENO);
  if (::getuid() == 0 &&
      (::setgroups(0, nullptr) != 0 || ::setgid(group) != 0 || ::setuid(user) != 0)) {
    ::_exit(126);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT); // an immediate stop
  std::vector<char*> arguments;
  for (const auto& word : command)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

int wait_for(pid_t child) {
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool ends_within(pid_t child, int milliseconds) {
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  pollfd ended{.fd = handle, .events = POLLIN, .revents = 0};
  const bool over = ::poll(&ended, 1, milliseconds) > 0;
  ::close(handle);
  return over;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

std::expected<std::unique_ptr<PostgresCluster>, std::string> PostgresCluster::prepare(
    PostgresSetup setup) {
  const auto parent = setup.parent.empty() ? fs::temp_directory_path() : fs::path(setup.parent);
  std::string name = (parent / "perdure_pg_XXXXXX").string();
  if (!::mkdtemp(name.data())) return std::unexpected("no temporary folder can be made");
  std::unique_ptr<PostgresCluster> cluster(new PostgresCluster(name, std::move(setup.settings)));
  cluster->programs_ = find_programs();
  if (cluster->programs_.empty()) {
    return std::unexpected(
        "no PostgreSQL server (14 or newer) is installed; run "
        "\"scripts/bootstrap test\", or install the package postgresql");
  }
  if (::getuid() == 0) {
    const auto* account = ::getpwnam("postgres");
    if (!account) return std::unexpected("there is no user postgres to run the server");
    cluster->user_ = account->pw_uid;
    cluster->group_ = account->pw_gid;
    if (::chown(name.c_str(), account->pw_uid, account->pw_gid) != 0) {
      return std::unexpected("the temporary folder cannot be given to the user postgres");
    }
  }
  return cluster;
}

std::expected<std::unique_ptr<PostgresCluster>, std::string> PostgresCluster::start(
    PostgresSetup setup) {
  auto cluster = prepare(std::move(setup));
  if (!cluster) return cluster;
  if (auto wrong = (*cluster)->make(); !wrong.empty()) return std::unexpected(std::move(wrong));
  if (!(*cluster)->restart()) {
    return std::unexpected("the server does not start: " + text_of((*cluster)->folder_ + "/log"));
  }
  return cluster;
}

std::expected<std::unique_ptr<PostgresCluster>, std::string> PostgresCluster::replica() const {
  auto replica = prepare({.parent = {}, .settings = settings_});
  if (!replica) return replica;
  const auto& folder = (*replica)->folder_;
  const int code = run({"pg_basebackup", "--pgdata", folder + "/data", "--host", folder_,
                        "--username", "perdure", "--write-recovery-conf", "--checkpoint", "fast",
                        "--no-sync", "--no-password"});
  if (code != 0 || !(*replica)->restart()) {
    return std::unexpected("no replica can be made: " + text_of(folder_ + "/log") +
                           text_of(folder + "/log"));
  }
  return replica;
}

bool PostgresCluster::promote() const {
  return run({"pg_ctl", "promote", "--wait", "--pgdata", folder_ + "/data"}) == 0;
}

int PostgresCluster::run(std::vector<std::string> command) const {
  command.front() = programs_ + "/" + command.front();
  return wait_for(launch(command, user_, group_, folder_ + "/log"));
}

std::string PostgresCluster::make() const {
  const int code = run({"initdb", "--pgdata", folder_ + "/data", "--username", "perdure", "--auth",
                        "trust", "--encoding", "UTF8", "--no-sync"});
  return code == 0 ? "" : "initdb failed: " + text_of(folder_ + "/log");
}

bool PostgresCluster::restart() {
  std::vector<std::string> settings{"listen_addresses=",
                                    "unix_socket_directories=" + folder_,
                                    "fsync=on",
                                    "recovery_init_sync_method=syncfs",
                                    "shared_buffers=64MB",
                                    "max_connections=60",
                                    "log_min_messages=warning",
                                    "autovacuum_naptime=5s"};
  settings.insert(settings.end(), settings_.begin(), settings_.end());
  std::vector<std::string> command{programs_ + "/postgres", "-D", folder_ + "/data"};
  for (const auto& setting : settings) {
    command.emplace_back("-c");
    command.push_back(setting);
  }
  process_ = launch(command, user_, group_, folder_ + "/log");
  const auto end = std::chrono::steady_clock::now() + kStartPatience;
  while (std::chrono::steady_clock::now() < end) {
    if (is_up()) return true;
    // The server tells only a file when it is ready, but its end at once.
    if (ends_within(process_, 10)) {
      wait_for(process_);
      process_ = -1;
      return false;
    }
  }
  return false;
}

// The last line of this file is the server's state; its first is its process.
bool PostgresCluster::is_up() const {
  const auto text = text_of(folder_ + "/data/postmaster.pid");
  return text.starts_with(std::to_string(process_) + "\n") &&
         (text.find("\nready") != std::string::npos || text.find("\nstandby") != std::string::npos);
}

void PostgresCluster::kill(int signal) {
  if (process_ < 0) return;
  ::kill(process_, signal);
  wait_for(process_);
  process_ = -1;
}

PostgresCluster::~PostgresCluster() {
  kill();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string PostgresCluster::url() const { return "postgres://perdure@/postgres?host=" + folder_; }

} // namespace perdure::test
