// What the conformance programs share: where a corpus lies, its files, and the line each prints.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::conformance {

/// Whether the list has the value.
template <class List, class T>
bool contains(const List& list, const T& value) {
  return std::ranges::find(list, value) != std::ranges::end(list);
}

/// PERDURE_CORPORA, or the folder beside the source tree.
inline std::filesystem::path corpus_folder(std::string_view corpus) {
  const char* configured = std::getenv("PERDURE_CORPORA");
  const std::filesystem::path root =
      configured && *configured
          ? std::filesystem::path(configured)
          : std::filesystem::path(PERDURE_SOURCE_DIR).parent_path() / "shared" / "corpora";
  return root / corpus;
}

/// All files below the folder that end in `extension`, sorted; empty when there is no such folder.
inline std::vector<std::filesystem::path> corpus_files(const std::filesystem::path& folder,
                                                       std::string_view extension) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->is_regular_file(error) && it->path().extension() == extension) {
      files.push_back(it->path());
    }
  }
  std::ranges::sort(files);
  return files;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Counts of one corpus and the line that `make conformance` shows.
struct Tally {
  std::string name;
  int passed = 0;
  int failed = 0;
  int skipped = 0;

  void pass() { ++passed; }
  void fail(const std::string& what, const std::string& reason) {
    ++failed;
    std::printf("FAILED %s: %s\n", what.c_str(), reason.c_str());
  }
  /// Prints the line; the program's exit status.
  [[nodiscard]] int finish() const {
    std::printf("%s: %d passed, %d failed, %d skipped\n", name.c_str(), passed, failed, skipped);
    return failed == 0 ? 0 : 1;
  }
  /// When the corpus is not on this machine.
  [[nodiscard]] int finish_absent(const std::filesystem::path& folder) const {
    std::printf("%s: 0 passed, 0 failed, 0 skipped\n", name.c_str());
    std::printf("%s: skipped, no corpus in %s; set PERDURE_CORPORA to its parent folder\n",
                name.c_str(), folder.c_str());
    return 0;
  }
};

} // namespace perdure::conformance
