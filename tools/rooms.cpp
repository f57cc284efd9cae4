// Rooms: the include graph of the source tree, as src/rooms.txt states it.
#include "rooms.h"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

namespace perdure::tidy {
namespace {

constexpr std::string_view kRoomsFile = "src/rooms.txt";
constexpr std::string_view kBuildFile = "CMakeLists.txt";

/// Standard headers that let a clock, chance, a thread or a file into a pure room.
constexpr std::array<std::string_view, 17> kImpureHeaders = {
    "atomic",       "condition_variable", "cstdio",     "ctime",  "filesystem", "fstream",
    "future",       "iostream",           "latch",      "mutex",  "random",     "semaphore",
    "shared_mutex", "stop_token",         "syncstream", "thread", "barrier"};

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream in{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "nothing" : text;
}

/// True when `path` is the header, or lies in the folder, that `prefix` names.
bool covers(std::string_view prefix, std::string_view path) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
}

/// The most exact rule for a header, or nullptr.
const HeaderRule* rule_for(const std::vector<HeaderRule>& rules, std::string_view path) {
  const HeaderRule* best = nullptr;
  for (const HeaderRule& rule : rules) {
    if (covers(rule.prefix, path) && (!best || rule.prefix.size() > best->prefix.size())) {
      best = &rule;
    }
  }
  return best;
}

/// The room that a path below src/ lies in: the longest room name that is a folder of it.
std::optional<std::string> room_of(const Rooms& rooms, std::string_view path) {
  std::optional<std::string> best;
  for (const auto& [name, others] : rooms.may_include) {
    if (!path.starts_with(name + "/")) continue;
    if (!best || name.size() > best->size()) best = name;
  }
  return best;
}

bool is_standard_header(const Include& include) {
  return !include.quoted && include.path.find_first_of("/.") == std::string::npos;
}

/// Judges the includes of one file; knows its room once and for all.
class IncludeJudge {
public:
  IncludeJudge(const Rooms& rooms, const SourceFile& file, std::string room, Findings& findings)
      : rooms_(rooms),
        file_(file),
        room_(std::move(room)),
        is_test_(is_test_file(file.path)),
        findings_(findings) {}

  void judge(const Include& include) {
    if (is_standard_header(include)) {
      judge_standard(include);
    } else if (!include.quoted) {
      judge_library(include);
    } else if (include.path.starts_with("perdure/")) {
      judge_front(include);
    } else {
      judge_room(include);
    }
  }

private:
  void report(const Include& include, const std::string& message) {
    findings_.push_back({file_.path, include.line, "rooms", message});
  }

  void judge_standard(const Include& include) {
    if (is_test_ || !rooms_.pure.contains(room_)) return;
    if (std::ranges::find(kImpureHeaders, include.path) == kImpureHeaders.end()) return;
    report(include, "room " + room_ + " is pure and may not include <" + include.path +
                        ">; take what it gives as an argument");
  }

  void judge_library(const Include& include) {
    const HeaderRule* rule = rule_for(rooms_.libraries, include.path);
    if (!rule) {
      return report(include, "no room may include <" + include.path + ">; name its one room in " +
                                 std::string(kRoomsFile) + " or do without it");
    }
    if (rule->rooms.contains(room_) || (is_test_ && rule->rooms.contains("tests"))) return;
    report(include, "<" + include.path + "> belongs to " + joined(rule->rooms) + ", not to " +
                        room_ + "; use what that room offers");
  }

  void judge_front(const Include& include) {
    const HeaderRule* rule = rule_for(rooms_.front, include.path);
    if (rule && (rule->rooms.contains("any") || rule->rooms.contains(room_))) return;
    report(include, "room " + room_ + " may not include \"" + include.path + "\"; see front in " +
                        std::string(kRoomsFile));
  }

  void judge_room(const Include& include) {
    const std::optional<std::string> other = room_of(rooms_, include.path);
    if (!other) {
      return report(include,
                    "\"" + include.path +
                        "\" is in no room; write includes from src/, as in \"base/json.h\"");
    }
    if (*other == room_) return;
    const auto row = rooms_.may_include.find(room_);
    if (row == rooms_.may_include.end()) {
      return report(include, "a header for embedders may not include room " + *other);
    }
    if (row->second.contains(*other)) return;
    report(include, "room " + room_ + " may not include room " + *other + " (it may include " +
                        joined(row->second) + "); move the code or pass the value in");
  }

  const Rooms& rooms_;
  const SourceFile& file_;
  const std::string room_;
  const bool is_test_;
  Findings& findings_;
};

std::set<std::string> build_dependencies(const std::vector<std::string>& words) {
  std::set<std::string> found;
  bool inside = false;
  for (const std::string& word : words) {
    if (word == "DEPS" || word == "LIBS") {
      inside = word == "DEPS";
    } else if (inside) {
      found.insert(word);
    }
  }
  return found;
}

std::set<std::string> as_targets(std::set<std::string> rooms) {
  std::set<std::string> targets;
  for (std::string room : rooms) {
    std::ranges::replace(room, '/', '_');
    targets.insert(room);
  }
  return targets;
}

} // namespace

Rooms read_rooms(std::string_view text, Findings& findings) {
  Rooms rooms;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    const std::vector<std::string> words = words_of(line);
    if (words.empty() || words[0].starts_with('#')) continue;
    const std::set<std::string> rest(words.begin() + std::min<long>(2, std::ssize(words)),
                                     words.end());
    if (words[0] == "room" && words.size() >= 2) {
      rooms.may_include[words[1]] = rest;
    } else if (words[0] == "pure" && words.size() >= 2) {
      rooms.pure.insert(words.begin() + 1, words.end());
    } else if (words[0] == "front" && words.size() >= 3) {
      rooms.front.push_back({words[1], rest});
    } else if (words[0] == "header" && words.size() >= 3) {
      rooms.libraries.push_back({words[1], rest});
    } else {
      findings.push_back({std::string(kRoomsFile), number, "rooms",
                          "this line cannot be read; it starts with room, pure, front or header"});
    }
  }
  return rooms;
}

void check_includes(const Rooms& rooms, const SourceFile& file,
                    const std::vector<Include>& included, Findings& findings) {
  std::string room = "perdure";
  if (file.path.starts_with("src/")) {
    const std::optional<std::string> found = room_of(rooms, std::string_view(file.path).substr(4));
    if (!found) {
      findings.push_back(
          {file.path, 1, "rooms",
           "this folder is no room; add a row for it to " + std::string(kRoomsFile)});
      return;
    }
    room = *found;
  }
  IncludeJudge judge(rooms, file, room, findings);
  for (const Include& include : included)
    judge.judge(include);
}

void check_build(const Rooms& rooms, std::string_view cmake, Findings& findings) {
  constexpr std::string_view kCall = "perdure_room(";
  std::set<std::string> built;
  for (std::size_t at = cmake.find(kCall); at != std::string_view::npos;
       at = cmake.find(kCall, at + 1)) {
    const std::size_t start = at + kCall.size();
    const std::vector<std::string> words =
        words_of(cmake.substr(start, cmake.find(')', start) - start));
    const std::size_t line = line_of(cmake, at);
    if (words.empty()) continue;
    built.insert(words[0]);
    const auto row = rooms.may_include.find(words[0]);
    if (row == rooms.may_include.end()) {
      findings.push_back({std::string(kBuildFile), line, "rooms",
                          "room " + words[0] + " has no row in " + std::string(kRoomsFile)});
    } else if (as_targets(row->second) != build_dependencies(words)) {
      findings.push_back({std::string(kBuildFile), line, "rooms",
                          "DEPS of " + words[0] + " differ from its row in " +
                              std::string(kRoomsFile) + ", which says " +
                              joined(as_targets(row->second))});
    }
  }
  for (const auto& [name, others] : rooms.may_include) {
    if (built.contains(name)) continue;
    findings.push_back({std::string(kRoomsFile), 1, "rooms",
                        "room " + name + " is not built; add perdure_room(" + name + " ...) to " +
                            std::string(kBuildFile)});
  }
}

} // namespace perdure::tidy
