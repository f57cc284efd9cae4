#include "dmn/header.h"

#include <algorithm>

#include "xml/xml.h"

namespace perdure::dmn {

using xml::Vocabulary;

std::optional<Header> read_header(std::string_view document) {
  const auto root = xml::parse(document);
  if (!root || !root->is(Vocabulary::dmn, "definitions")) return std::nullopt;
  Header header{.model_namespace = std::string(xml::trim(root->get("namespace"))), .imports = {}};
  for (const auto& child : root->children) {
    if (!child.is(Vocabulary::dmn, "import")) continue;
    header.imports.emplace_back(xml::trim(child.get("namespace")));
  }
  return header;
}

std::vector<std::size_t> imports_of(std::span<const std::optional<Header>> headers,
                                    std::size_t model) {
  std::vector<bool> found(headers.size());
  std::vector<std::size_t> open{model};
  while (!open.empty()) {
    const auto& importer = headers[open.back()];
    open.pop_back();
    if (!importer) continue;
    for (const auto& wanted : importer->imports) {
      const auto match = std::ranges::find_if(headers, [&](const auto& header) {
        return header && !wanted.empty() && header->model_namespace == wanted;
      });
      if (match == headers.end()) continue;
      const auto position = static_cast<std::size_t>(match - headers.begin());
      if (found[position]) continue;
      found[position] = true;
      open.push_back(position);
    }
  }
  found[model] = false;
  std::vector<std::size_t> imports;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i]) imports.push_back(i);
  }
  return imports;
}

} // namespace perdure::dmn
