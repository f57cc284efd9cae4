// The program tidy: reads the source tree and prints every broken house rule as file:line.
//
//   tidy ROOT_FOLDER      exit code 0: clean, 1: findings, 2: wrong use
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tidy.h"

namespace {

namespace fs = std::filesystem;
using perdure::tidy::SourceFile;

/// What holds no text of ours.
constexpr std::array<std::string_view, 4> kSkipped = {".git", "build", ".cache", "node_modules"};
constexpr std::uintmax_t kMaxBytes = 2'000'000; ///< larger files are data

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<SourceFile> read_tree(const fs::path& root) {
  std::vector<SourceFile> tree;
  for (auto at = fs::recursive_directory_iterator(root); at != fs::end(at); ++at) {
    const fs::path& path = at->path();
    // A work tree beside its repository has a file .git.
    if (std::ranges::find(kSkipped, path.filename().string()) != kSkipped.end()) {
      if (at->is_directory()) at.disable_recursion_pending();
      continue;
    }
    if (at->is_directory()) continue;
    if (!at->is_regular_file() || at->file_size() > kMaxBytes) continue;
    std::string text = read_file(path);
    if (text.contains('\0')) continue;
    tree.push_back({path.lexically_relative(root).generic_string(), std::move(text)});
  }
  return tree;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !fs::is_directory(argv[1])) {
    std::cerr << "usage: tidy ROOT_FOLDER\n";
    return 2;
  }
  const std::vector<SourceFile> tree = read_tree(argv[1]);
  const perdure::tidy::Findings findings = perdure::tidy::check_tree(tree);
  for (const perdure::tidy::Finding& finding : findings) {
    std::cout << finding.path << ':' << finding.line << ": " << finding.rule << ": "
              << finding.message << '\n';
  }
  std::cout << "tidy: " << tree.size() << " files, " << findings.size() << " findings\n";
  return findings.empty() ? 0 : 1;
}
