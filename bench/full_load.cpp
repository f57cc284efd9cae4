#include "bench/full_load.h"

#include <filesystem>

namespace perdure::bench {

namespace {

/// Of one engine, all the time.
constexpr std::int64_t kInFlight = 2'000;

double bytes_in(const std::string& folder) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return static_cast<double>(bytes);
}

} // namespace

Sample finished_instance(Backend backend) {
  const auto fleet = single(std::move(backend));
  fleet->start();
  const auto id = fleet->finished().wait_for(1);
  auto record = fleet->first().reader().record(id);
  if (!record || !*record) give_up("the finished instance cannot be read");
  auto definition = fleet->first().reader().definition((*record)->rows.instance.definition_id);
  if (!definition || !*definition) give_up("the definition cannot be read");
  return {std::move(**record), std::move(**definition)};
}

Measured keep_busy(Fleet& fleet, double seconds) {
  const auto in_flight = kInFlight * static_cast<std::int64_t>(fleet.size());
  auto& finished = fleet.finished();
  const auto fill = [&](std::int64_t done) {
    while (fleet.started() < done + in_flight)
      fleet.start();
  };
  fill(finished.count());
  finished.wait_for(finished.count() + in_flight); // warm
  const auto first = finished.count();
  const auto before = fleet.usage();
  const auto began = seconds_now();
  while (seconds_now() - began < seconds) {
    const auto done = finished.count();
    fill(done);
    finished.wait_for(done + 100);
  }
  return {.seconds = seconds_now() - began,
          .instances = static_cast<double>(finished.count() - first),
          .usage = fleet.usage() - before};
}

double full_load(Figures& figures, const std::string& folder, double seconds) {
  Measured measured;
  std::int64_t total = 0;
  double empty_bytes = 0;
  {
    const auto fleet = single(open_sqlite(folder));
    empty_bytes = bytes_in(folder);
    measured = keep_busy(*fleet, seconds);
    total = fleet->started();
    fleet->finished().wait_for(total);
  }
  const auto& usage = measured.usage;
  figures.add("bpmn_sqlite_instances_per_s", measured.instances_per_s(),
              "start -> 3 service tasks -> gateway -> end, synchronous=FULL");
  figures.add("bpmn_sqlite_rows_per_s", measured.rows_per_s());
  figures.add("bpmn_statements_per_instance", measured.each(usage.statements));
  figures.add("bpmn_rows_per_instance", measured.each(usage.rows));
  figures.add("bpmn_commits_per_instance", measured.each(usage.commits));
  figures.add("bpmn_bytes_per_instance",
              (bytes_in(folder) - empty_bytes) / static_cast<double>(total),
              "of a finished instance, with all history");
  return measured.rows_per_s();
}

void low_load(Figures& figures, const std::string& folder, int instances) {
  const auto fleet = single(open_sqlite(folder));
  std::vector<double> samples;
  for (int i = 1; i <= instances; ++i) {
    const auto began = seconds_now();
    fleet->start();
    fleet->finished().wait_for(i);
    if (i > instances / 10) samples.push_back((seconds_now() - began) * 1e3);
  }
  figures.add("bpmn_sqlite_p50_ms", percentile(samples, 0.5), "one instance alone, five commits");
  figures.add("bpmn_sqlite_p99_ms", percentile(samples, 0.99));
}

} // namespace perdure::bench
