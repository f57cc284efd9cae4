// perdure_bench [--output RESULTS.json] [--binary PERDURE] [--waiting INSTANCES]
//               [--only sqlite|flows|elements|items|postgres|postgres-flows|waiting|decisions]
//               [--feel FOLDER] [--feelin FOLDER]
// Measures on this machine, in one run, what the README claims. Ratios within the run are what
// counts: machines differ and are noisy.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "bench/bare_loop.h"
#include "bench/decisions.h"
#include "bench/elements.h"
#include "bench/figures.h"
#include "bench/flows.h"
#include "bench/full_load.h"
#include "bench/multi_instance.h"
#include "bench/postgres_load.h"
#include "bench/process.h"

namespace {

constexpr double kSeconds = 8;

std::string make_folder(const std::filesystem::path& root, const char* name) {
  const auto folder = root / name;
  std::filesystem::create_directories(folder);
  return folder.string();
}

/// Figures of one machine with one file.
void sqlite_load(perdure::bench::Figures& figures, const std::filesystem::path& root,
                 const std::filesystem::path& binary) {
  using namespace perdure::bench;
  figures.add("fsync_p50_ms", fsync_p50_ms(make_folder(root, "fsync")), "4 KiB write + fdatasync");
  const auto sample = finished_instance(open_sqlite(make_folder(root, "sample")));
  const auto bare_before =
      bare_rows_per_s(sample.record, sample.definition, make_folder(root, "bare1"), kSeconds / 2);
  const auto rows_per_s = full_load(figures, make_folder(root, "full"), kSeconds);
  // Before and after, so that a machine that changes its speed does not flatter either side.
  const auto bare_after =
      bare_rows_per_s(sample.record, sample.definition, make_folder(root, "bare2"), kSeconds / 2);
  const auto bare = (bare_before + bare_after) / 2;
  figures.add("sqlite_bare_rows_per_s", bare, "the same rows, inserted by a bare batched loop");
  figures.add("bpmn_sqlite_row_ratio", rows_per_s / bare);
  low_load(figures, make_folder(root, "alone"), 500);
  multi_instance(figures, make_folder(root, "items"), 10'000, 100'000);
  if (std::filesystem::exists(binary))
    cold_start(figures, binary.string(), make_folder(root, "cold"));
}

} // namespace

int main(int argc, char** argv) {
  using namespace perdure::bench;
  const std::filesystem::path self = std::filesystem::canonical("/proc/self/exe");
  std::filesystem::path results = "results.json";
  std::filesystem::path binary = self.parent_path() / "perdure";
  std::filesystem::path feel = "bench/feel"; // conditions.json
  std::filesystem::path feelin;              // feelin.mjs and its node_modules
  std::string_view only;
  PostgresPlan plan{.seconds = kSeconds};
  for (int i = 1; i + 1 < argc; i += 2) {
    if (argv[i] == std::string_view("--output")) results = argv[i + 1];
    if (argv[i] == std::string_view("--binary")) binary = argv[i + 1];
    if (argv[i] == std::string_view("--only")) only = argv[i + 1];
    if (argv[i] == std::string_view("--feel")) feel = argv[i + 1];
    if (argv[i] == std::string_view("--feelin")) feelin = argv[i + 1];
    if (argv[i] == std::string_view("--waiting")) plan.waiting_instances = std::atoll(argv[i + 1]);
  }
  // Beside the results: a real disk, while the system's temporary folder may be memory.
  const auto root = std::filesystem::absolute(results).parent_path() / "data";
  std::filesystem::remove_all(root);

  Figures figures;
  plan.only_waiting = only == "waiting";
  if (only.empty() || only == "sqlite") sqlite_load(figures, root, binary);
  if (only.empty() || only == "flows")
    flows_load(figures, make_folder(root, "flows"), kSeconds / 2);
  if (only.empty() || only == "decisions")
    decisions_load(figures, feel / "conditions.json", feelin);
  if (only.empty() || only == "elements")
    element_costs(figures, make_folder(root, "elements"), 500);
  if (only == "items") multi_instance(figures, make_folder(root, "items"), 10'000, 100'000);
  plan.only_flows = only == "postgres-flows";
  if (only.empty() || only == "postgres" || plan.only_waiting || plan.only_flows)
    postgres_load(figures, plan);

  std::filesystem::create_directories(std::filesystem::absolute(results).parent_path());
  std::ofstream(results) << figures.json();
  std::filesystem::remove_all(root);
  return 0;
}
