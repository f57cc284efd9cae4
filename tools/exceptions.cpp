// Exceptions: reading the list and holding sizes against it.
#include "exceptions.h"

#include <algorithm>
#include <sstream>

#include "source.h"

namespace perdure::tidy {
namespace {

constexpr std::string_view kFile = "tools/tidy_exceptions.txt";

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

Exceptions::Exceptions(std::string_view text, Findings& findings) {
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    const std::string_view bare = trim(line.substr(0, line.find('#')));
    if (bare.empty()) continue;
    std::istringstream in{std::string(bare)};
    Entry entry;
    entry.line = number;
    in >> entry.rule >> entry.path;
    std::vector<std::string> rest;
    for (std::string word; in >> word;)
      rest.push_back(word);
    if (entry.path.empty() || (!rest.empty() && !is_number(rest.back()))) {
      findings.push_back({std::string(kFile), number, "exceptions",
                          "this line cannot be read; write RULE PATH or RULE PATH FUNCTION LIMIT"});
      continue;
    }
    if (!rest.empty()) entry.limit = std::stoul(rest.back());
    for (std::size_t at = 0; at + 1 < rest.size(); ++at) {
      entry.function += (at == 0 ? "" : " ") + rest[at];
    }
    entries_.push_back(std::move(entry));
  }
}

bool Exceptions::allows(std::string_view rule, std::string_view path) {
  return find(rule, path, "") != nullptr;
}

void Exceptions::judge_size(const Finding& place, std::string_view what, std::string_view function,
                            std::size_t size, std::size_t limit, Findings& findings) {
  const Entry* entry = find(place.rule, place.path, function);
  if (!entry && size <= limit) return;
  Finding finding = place;
  const std::string has = std::string(what) + " has " + std::to_string(size) + " lines";
  if (!entry) {
    finding.message = has + ", more than " + std::to_string(limit) + "; split it";
  } else if (size <= limit) {
    finding.message = has + " and keeps the rule now; remove line " + std::to_string(entry->line) +
                      " of " + std::string(kFile);
  } else if (size > entry->limit) {
    finding.message = has + ", more than its exception of " + std::to_string(entry->limit) +
                      "; split it, exceptions only shrink";
  } else if (size < entry->limit) {
    finding.message = has + "; lower its exception in " + std::string(kFile) + " to that";
  } else {
    return;
  }
  findings.push_back(std::move(finding));
}

void Exceptions::report_unused(Findings& findings) const {
  for (const Entry& entry : entries_) {
    if (entry.used) continue;
    findings.push_back({std::string(kFile), entry.line, "exceptions",
                        "this exception is not needed (any more); remove it"});
  }
}

Exceptions::Entry* Exceptions::find(std::string_view rule, std::string_view path,
                                    std::string_view function) {
  for (Entry& entry : entries_) {
    if (entry.rule != rule || entry.path != path || entry.function != function) continue;
    entry.used = true;
    return &entry;
  }
  return nullptr;
}

} // namespace perdure::tidy
