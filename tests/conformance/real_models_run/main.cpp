// Every model of real-models that needs no Java and no script is deployed with what it calls, begun
// by each of its start events, and brought to its end by a worker who knows nothing of it, several
// times in different orders. `--verbose [PART]` lists the elements that no token came to, of the
// files whose names have that part.
#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/compile.h"
#include "base/json.h"
#include "conformance/corpus.h"
#include "conformance/real_models_run/play.h"

namespace perdure::conformance {
namespace {

// Runs go on until a token has been everywhere.
constexpr std::uint64_t kMinSeeds = 3;
constexpr std::uint64_t kMaxSeeds = 16;

/// Error end events that nothing in the model catches: by the standard the process has failed
/// there, which Perdure shows as an incident. Anything else that does not end is a failure.
constexpr auto kUncaught = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"zeebe-io__zeebe-cluster-testbench/prepare-zeebe-cluster-in-camunda-cloud.bpmn",
     "Event_1qm3w9j"},
});

std::set<std::string> uncaught_in(std::string_view file) {
  std::set<std::string> ends;
  for (const auto& [name, element] : kUncaught) {
    if (name == file) ends.emplace(element);
  }
  return ends;
}

/// A model of the corpus as its index describes it.
struct Entry {
  std::string file;
  std::vector<std::string> needs; ///< files of the processes and decisions that it calls
};

std::vector<Entry> read_index(const std::filesystem::path& folder) {
  std::vector<Entry> entries;
  const auto index = json::parse(read_file(folder / "index.json"));
  const auto* models = index ? index->find("models") : nullptr;
  if (!models || !models->is_array()) return entries;
  for (const auto& model : *models->as<Array>()) {
    const auto* needs_nothing = model.find("needsNothing");
    if (!needs_nothing || *needs_nothing != Value(true)) continue;
    Entry entry{.file = *model.find("file")->as<std::string>(), .needs = {}};
    for (const auto* list : {model.find("calls"), model.find("decisions")}) {
      if (!list || !list->is_array()) continue;
      for (const auto& called : *list->as<Array>()) {
        const auto* file = called.find("file");
        if (file && file->is_string()) entry.needs.push_back(*file->as<std::string>());
      }
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// The model and all that it calls, directly or not.
std::set<std::string> files_of(const Entry& entry, const std::vector<Entry>& all) {
  std::set<std::string> files;
  std::vector<std::string> open{entry.file};
  while (!open.empty()) {
    const auto file = open.back();
    open.pop_back();
    if (!files.insert(file).second) continue;
    for (const auto& other : all) {
      if (other.file == file) open.insert(open.end(), other.needs.begin(), other.needs.end());
    }
  }
  return files;
}

/// Where a token can begin from outside: a none start event, or each one with a trigger.
std::vector<definition::NodeIndex> starts_of(const definition::Definition& definition) {
  const auto& root = definition.scope(definition::kRootScope);
  auto starts = root.event_starts;
  if (!root.starts.empty()) starts.push_back(root.starts.front());
  return starts;
}

class Corpus {
public:
  Corpus(std::filesystem::path folder, bool is_verbose, std::string only)
      : folder_(std::move(folder)),
        is_verbose_(is_verbose),
        only_(std::move(only)),
        entries_(read_index(folder_)) {}

  int run() {
    if (entries_.empty()) return tally_.finish_absent(folder_);
    for (const auto& entry : entries_) {
      if (!entry.file.contains(only_)) continue;
      const auto problem = run_model(entry);
      if (problem.empty()) {
        tally_.pass();
      } else {
        tally_.fail(entry.file, problem);
      }
    }
    const int status = tally_.finish();
    std::printf("real-models-run: %d runs, %zu of %zu elements reached\n", runs_, reached_, nodes_);
    return status;
  }

private:
  std::string run_model(const Entry& entry) try {
    std::vector<engine::Resource> files;
    Invention invention;
    for (const auto& file : files_of(entry, entries_)) {
      files.push_back({.name = file, .source = read_file(folder_ / file)});
      if (const auto root = xml::parse(files.back().source)) invention.read(*root);
    }
    const engine::Resource own{.name = entry.file, .source = read_file(folder_ / entry.file)};
    EngineWorld world;
    // Decision models come one by one: some of a folder have the same id.
    const auto decisions = std::ranges::partition(
        files, [](const auto& file) { return file.name.ends_with(".bpmn"); });
    for (const auto& model : decisions) {
      if (const auto deployed = world.deploy({model}); !deployed) return deployed.error();
    }
    files.erase(decisions.begin(), decisions.end());
    if (const auto deployed = world.deploy(std::move(files)); !deployed) return deployed.error();
    const auto compiled = app::compile({&own, 1});
    if (!compiled) return "it is refused without what it calls";
    for (const auto& process : compiled->resources.front().processes) {
      auto problem = run_process(world, *process, invention, entry.file);
      if (!problem.empty()) return problem;
    }
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }

  std::string run_process(EngineWorld& world, const definition::Definition& process,
                          const Invention& invention, const std::string& file) {
    std::set<std::string> reached;
    const auto starts = starts_of(process);
    if (starts.empty()) return process.process_id() + " cannot be started";
    for (const auto start : starts) {
      for (std::uint64_t seed = 0; seed < kMaxSeeds; ++seed) {
        if (seed >= kMinSeeds && covers(process, reached)) break;
        ++runs_;
        const auto result = play(world, process, start, invention, uncaught_in(file), seed);
        reached.insert(result.nodes.begin(), result.nodes.end());
        if (!result.problem.empty()) {
          return process.process_id() + " from " + process.node(start).id + ", seed " +
                 std::to_string(seed) + ": " + result.problem;
        }
      }
    }
    count(process, reached, file);
    return {};
  }

  /// No token comes to the event that only says what undoes its activity.
  static bool is_visited(const definition::Node& node) {
    return !node.has(definition::EventKind::compensation) || node.attached_to == definition::kNone;
  }

  static bool covers(const definition::Definition& process, const std::set<std::string>& reached) {
    return std::ranges::all_of(process.nodes(), [&](const auto& node) {
      return !is_visited(node) || reached.contains(node.id);
    });
  }

  void count(const definition::Definition& process, const std::set<std::string>& reached,
             const std::string& file) {
    for (const auto& node : process.nodes()) {
      if (!is_visited(node)) continue;
      ++nodes_;
      if (reached.contains(node.id)) {
        ++reached_;
      } else if (is_verbose_) {
        std::printf("%s: no token came to %s\n", file.c_str(), node.id.c_str());
      }
    }
  }

  std::filesystem::path folder_;
  bool is_verbose_;
  std::string only_; ///< of the files: those whose names have this in them
  std::vector<Entry> entries_;
  Tally tally_{.name = "real-models-run"};
  int runs_ = 0;
  std::size_t nodes_ = 0;
  std::size_t reached_ = 0;
};

} // namespace
} // namespace perdure::conformance

int main(int argc, char** argv) {
  using namespace perdure::conformance; // NOLINT: a program of one file
  const bool is_verbose = argc > 1 && std::string_view(argv[1]) == "--verbose";
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  return Corpus(corpus_folder("real-models"), is_verbose, argc > 2 ? argv[2] : "").run();
}
