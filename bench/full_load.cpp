#include "bench/full_load.h"

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "bench/workload.h"

namespace perdure::bench {

namespace {

/// Counts completed instances and lets a thread wait for the next ones.
class Finished {
public:
  void add(Key id) {
    {
      const std::lock_guard lock(mutex_);
      ++count_;
      last_ = id;
    }
    changed_.notify_all();
  }
  [[nodiscard]] std::int64_t count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  Key wait_for(std::int64_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return count_ >= count; });
    return last_;
  }

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t count_ = 0;
  Key last_ = kNoKey;
};

double bytes_in(const std::string& folder) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return static_cast<double>(bytes);
}

} // namespace

Sample finished_instance(const std::string& folder) {
  Finished finished;
  Workload workload(folder, [&](Key id) { finished.add(id); });
  workload.start();
  const auto id = finished.wait_for(1);
  auto record = workload.reader().record(id);
  if (!record || !*record) give_up("the finished instance cannot be read");
  auto definition = workload.reader().definition((*record)->rows.instance.definition_id);
  if (!definition || !*definition) give_up("the definition cannot be read");
  return {std::move(**record), std::move(**definition)};
}

double full_load(Figures& figures, const std::string& folder, double seconds) {
  constexpr std::int64_t kInFlight = 2'000;
  Finished finished;
  double rows_per_s = 0;
  std::int64_t total = 0;
  double empty_bytes = 0;
  {
    Workload workload(folder, [&](Key id) { finished.add(id); });
    empty_bytes = bytes_in(folder);
    std::int64_t started = 0;
    const auto fill = [&](std::int64_t done) {
      for (; started < done + kInFlight; ++started)
        workload.start();
    };
    fill(0);
    finished.wait_for(kInFlight); // warm
    const auto& counters = workload.counters();
    const auto first = finished.count();
    const auto rows = counters.rows.load();
    const auto statements = counters.statements.load();
    const auto commits = counters.commits.load();
    const auto began = seconds_now();
    while (seconds_now() - began < seconds) {
      const auto done = finished.count();
      fill(done);
      finished.wait_for(done + 100);
    }
    const auto took = seconds_now() - began;
    const auto count = static_cast<double>(finished.count() - first);
    rows_per_s = static_cast<double>(counters.rows.load() - rows) / took;
    figures.add("bpmn_sqlite_instances_per_s", count / took,
                "start -> 3 service tasks -> gateway -> end, synchronous=FULL");
    figures.add("bpmn_sqlite_rows_per_s", rows_per_s);
    figures.add("bpmn_statements_per_instance",
                static_cast<double>(counters.statements.load() - statements) / count);
    figures.add("bpmn_rows_per_instance", static_cast<double>(counters.rows.load() - rows) / count);
    figures.add("bpmn_commits_per_instance",
                static_cast<double>(counters.commits.load() - commits) / count);
    finished.wait_for(started);
    total = started;
  }
  figures.add("bpmn_bytes_per_instance",
              (bytes_in(folder) - empty_bytes) / static_cast<double>(total),
              "of a finished instance, with all history");
  return rows_per_s;
}

void low_load(Figures& figures, const std::string& folder, int instances) {
  Finished finished;
  Workload workload(folder, [&](Key id) { finished.add(id); });
  std::vector<double> samples;
  for (int i = 1; i <= instances; ++i) {
    const auto began = seconds_now();
    workload.start();
    finished.wait_for(i);
    if (i > instances / 10) samples.push_back((seconds_now() - began) * 1e3);
  }
  figures.add("bpmn_sqlite_p50_ms", percentile(samples, 0.5), "one instance alone, five commits");
  figures.add("bpmn_sqlite_p99_ms", percentile(samples, 0.99));
}

} // namespace perdure::bench
