// tidy: sends each file to the rules of its kind.
#include "tidy.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "exceptions.h"
#include "rooms.h"
#include "rules.h"

namespace perdure::tidy {

Findings check_tree(const std::vector<SourceFile>& tree) {
  Findings findings;
  std::set<std::string> paths;
  for (const SourceFile& file : tree)
    paths.insert(file.path);
  const auto text_of = [&](std::string_view path) {
    const auto file = std::ranges::find(tree, path, &SourceFile::path);
    return file == tree.end() ? std::string_view() : std::string_view(file->text);
  };

  Exceptions exceptions(text_of("tools/tidy_exceptions.txt"), findings);
  const Rooms rooms = read_rooms(text_of("src/rooms.txt"), findings);
  check_build(rooms, text_of("CMakeLists.txt"), findings);
  for (const SourceFile& file : tree) {
    check_text(file, exceptions, findings);
    if (file.path.ends_with(".cpp") || file.path.ends_with(".h")) {
      check_cpp(file, paths, rooms, exceptions, findings);
    } else if (file.path.ends_with(".sql")) {
      check_sql(file, findings);
    } else if (file.path.ends_with(".md")) {
      check_markdown(file, paths, findings);
    }
  }
  exceptions.report_unused(findings);
  std::ranges::sort(findings);
  return findings;
}

} // namespace perdure::tidy
