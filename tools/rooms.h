// The rooms of src/ and who may include whom: reads src/rooms.txt, judges every #include, and
// compares the file with the build.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "finding.h"
#include "source.h"

namespace perdure::tidy {

/// A header, or the folder it lies in, and the rooms that may include it.
struct HeaderRule {
  std::string prefix;
  std::set<std::string> rooms;
};

struct Rooms {
  std::map<std::string, std::set<std::string>> may_include;
  std::set<std::string> pure;
  std::vector<HeaderRule> front;
  std::vector<HeaderRule> libraries;
};

/// Reads the text of src/rooms.txt; a line that cannot be understood becomes a finding.
[[nodiscard]] Rooms read_rooms(std::string_view text, Findings& findings);

/// Judges the includes of one file of src/ or include/.
void check_includes(const Rooms& rooms, const SourceFile& file,
                    const std::vector<Include>& included, Findings& findings);

/// Compares the rooms with the calls perdure_room(NAME DEPS ...) in CMakeLists.txt.
void check_build(const Rooms& rooms, std::string_view cmake, Findings& findings);

} // namespace perdure::tidy
