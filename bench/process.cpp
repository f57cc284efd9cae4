#include "bench/process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "bench/backend.h"
#include "net/client.h"
#include "store/sqlite/owner_lock.h"

namespace perdure::bench {

namespace {

constexpr int kRuns = 5;

pid_t serve(const std::string& binary, const std::string& folder) {
  const pid_t child = ::fork();
  if (child < 0) give_up("cannot fork");
  if (child == 0) {
    if (!std::freopen("/dev/null", "w", stdout) || !std::freopen("/dev/null", "w", stderr))
      ::_exit(126);
    ::execl(binary.c_str(), "perdure", "serve", "--data", folder.c_str(), "--port", "0", nullptr);
    ::_exit(127);
  }
  return child;
}

/// Waits until the server says that it is ready; returns when it did.
double ready_at(pid_t child, const std::string& folder) {
  const auto began = seconds_now();
  while (seconds_now() - began < 10) {
    const auto owner = store::sqlite::OwnerLock::read(folder);
    if (owner && *owner && !(*owner)->url.empty()) {
      net::Client client((*owner)->url);
      const auto answer = client.request("GET", "/readyz", {}, "");
      if (answer && answer->status == 200) return seconds_now();
    }
    if (::waitpid(child, nullptr, WNOHANG) == child) break;
    ::usleep(500);
  }
  give_up("`perdure serve` did not become ready");
}

double resident_mb(pid_t child) {
  std::ifstream status("/proc/" + std::to_string(child) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024.0;
  }
  return 0;
}

} // namespace

void cold_start(Figures& figures, const std::string& binary, const std::string& folder) {
  std::vector<double> starts;
  double memory = 0;
  for (int i = 0; i < kRuns; ++i) {
    const auto data = folder + "/cold" + std::to_string(i);
    std::filesystem::create_directories(data);
    const auto began = seconds_now();
    const auto child = serve(binary, data);
    starts.push_back((ready_at(child, data) - began) * 1e3);
    memory = resident_mb(child);
    ::kill(child, SIGTERM);
    ::waitpid(child, nullptr, 0);
  }
  figures.add("cold_start_ms", percentile(starts, 0.5),
              "`perdure serve` on an empty folder until ready, schema included");
  figures.add("idle_rss_mb", memory);
}

} // namespace perdure::bench
