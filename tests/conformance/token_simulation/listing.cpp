#include "conformance/token_simulation/listing.h"

#include <algorithm>

namespace perdure::conformance {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// A row "| `case` | reason |".
bool read_row(std::string_view line, std::map<std::string, std::string>& into) {
  if (!line.starts_with("| `")) return false;
  const auto name_end = line.find('`', 3);
  const auto reason = line.find('|', 1);
  const auto end = line.rfind('|');
  if (name_end == std::string_view::npos || reason == end) return false;
  into[std::string(line.substr(3, name_end - 3))] =
      trimmed(line.substr(reason + 1, end - reason - 1));
  return true;
}

} // namespace

Listing read_listing(std::string_view page) {
  Listing listing;
  std::map<std::string, std::string>* table = nullptr;
  while (!page.empty()) {
    const auto end = std::min(page.find('\n'), page.size());
    const auto line = page.substr(0, end);
    page.remove_prefix(std::min(end + 1, page.size()));
    if (line.starts_with("## ")) {
      table = line == "## Not BPMN"     ? &listing.not_bpmn
              : line == "## Deviations" ? &listing.deviations
                                        : nullptr;
    } else if (table) {
      read_row(line, *table);
    }
  }
  return listing;
}

std::vector<std::string> problems_of(const Listing& listing, const std::vector<Case>& cases) {
  std::vector<std::string> problems;
  const auto find = [&](const std::string& name) {
    const auto found = std::ranges::find(cases, name, &Case::name);
    if (found == cases.end()) problems.push_back("the page lists `" + name + "`: no such case");
    return found;
  };
  for (const auto& [name, reason] : listing.not_bpmn) {
    const auto found = find(name);
    if (found == cases.end()) continue;
    const bool may_be_skipped =
        found->has_flag("implicit-start") || found->notes.find("may reject") != std::string::npos;
    if (!may_be_skipped) {
      problems.push_back("the page skips `" + name + "`, which the corpus takes to be BPMN");
    }
  }
  for (const auto& [name, reason] : listing.deviations)
    find(name);
  return problems;
}

} // namespace perdure::conformance
