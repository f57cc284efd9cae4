#include "dmn/library.h"

#include <algorithm>
#include <utility>

namespace perdure::dmn {

namespace {

using definition::Code;
using definition::in_quotes;
using definition::Report;
using xml::Vocabulary;

/// Vendors leave models without this attribute; its names then have no namespace to be found by.
constexpr std::string_view kNamespace = "namespace";

std::optional<ElementKind> kind_of(const xml::Element& element) {
  if (element.vocabulary != Vocabulary::dmn) return std::nullopt;
  if (element.name == "inputData") return ElementKind::input_data;
  if (element.name == "decision") return ElementKind::decision;
  if (element.name == "businessKnowledgeModel") return ElementKind::knowledge_model;
  if (element.name == "decisionService") return ElementKind::service;
  return std::nullopt;
}

/// The variable's name is what expressions use; by the standard it is the element's own.
std::string name_of(const xml::Element& element) {
  const auto* variable = element.child(Vocabulary::dmn, "variable");
  const auto of_variable = variable ? xml::trim(variable->get("name")) : std::string_view();
  if (!of_variable.empty()) return std::string(of_variable);
  const auto own = xml::trim(element.get("name"));
  return std::string(own.empty() ? xml::trim(element.get("id")) : own);
}

} // namespace

Library::Library(std::span<const Source> sources, std::vector<Report>& reports) {
  for (std::size_t i = 0; i < sources.size(); ++i)
    read_document(sources[i], reports[i]);
  by_id_.resize(documents_.size());
  for (std::size_t i = 0; i < documents_.size(); ++i)
    read_elements(static_cast<DocumentIndex>(i), reports[i]);
  for (std::size_t i = 0; i < documents_.size(); ++i)
    read_imports(static_cast<DocumentIndex>(i), reports[i]);
}

void Library::read_document(const Source& source, Report& report) {
  Document document;
  document.file = source.file;
  auto root = xml::parse(source.document);
  if (!root) {
    report.error(root.error().code, root.error().place, {}, root.error().message);
  } else if (!root->is(Vocabulary::dmn, "definitions")) {
    const std::string reason =
        root->name == "definitions"
            ? "its namespace is none of DMN 1.1 to 1.5"
            : "its outermost element is " + in_quotes(root->name) + " instead of `definitions`";
    report.error(Code::not_dmn, root->place, root->get("id"),
                 "The file is no DMN model: " + reason + ", so save it as DMN.");
  } else {
    document.root = std::move(*root);
    document.model_namespace = xml::trim(document.root.get(kNamespace));
  }
  documents_.push_back(std::move(document));
}

void Library::read_elements(DocumentIndex index, Report& report) {
  auto& by_id = by_id_[static_cast<std::size_t>(index)];
  std::unordered_map<std::string, int> line_by_name;
  for (const auto& child : document(index).root.children) {
    const auto kind = kind_of(child);
    if (!kind) continue;
    DrgElement element{.kind = *kind,
                       .document = index,
                       .xml = &child,
                       .id = std::string(xml::trim(child.get("id"))),
                       .name = name_of(child)};
    if (element.name.empty()) {
      report.error(Code::missing_name, child.place, element.id,
                   "The element " + in_quotes(child.name) + " has no name: give it one.");
      continue;
    }
    const auto position = static_cast<ElementIndex>(elements_.size());
    if (!element.id.empty() && !by_id.emplace(element.id, position).second) {
      report.error(Code::duplicate_id, child.place, element.id,
                   "Another element of the file has the id " + in_quotes(element.id) +
                       " too: give each its own.");
    }
    elements_.push_back(std::move(element));
    const auto [known, fresh] = line_by_name.emplace(elements_.back().name, child.place.line);
    if (!fresh) {
      report.error(Code::duplicate_name, child.place, elements_.back().id,
                   "The element in line " + std::to_string(known->second) + " is called " +
                       in_quotes(elements_.back().name) + " too: give each its own name.");
    }
  }
}

void Library::read_imports(DocumentIndex index, Report& report) {
  auto& importer = documents_[static_cast<std::size_t>(index)];
  for (const auto& child : importer.root.children) {
    if (!child.is(Vocabulary::dmn, "import")) continue;
    const auto type = child.get("importType");
    const auto wanted = xml::trim(child.get(kNamespace));
    const auto found = document_of(wanted);
    if (found) {
      importer.imports.push_back({std::string(xml::trim(child.get("name"))), *found});
    } else if (type.find("/DMN/") == std::string_view::npos) {
      report.warning(Code::ignored_extension, child.place, child.get("id"),
                     "The import of " + in_quotes(type) +
                         " is left out: only models can be imported, so state its types as item "
                         "definitions.");
    } else {
      report.error(Code::missing_import, child.place, child.get("id"),
                   "No file has the imported namespace " + in_quotes(wanted) +
                       ": hand over the imported model together with this one.");
    }
  }
}

std::optional<DocumentIndex> Library::document_of(std::string_view model_namespace) const {
  if (model_namespace.empty()) return std::nullopt;
  const auto found = std::ranges::find(documents_, model_namespace, &Document::model_namespace);
  if (found == documents_.end()) return std::nullopt;
  return static_cast<DocumentIndex>(found - documents_.begin());
}

std::optional<ElementIndex> Library::resolve(DocumentIndex from, std::string_view href) const {
  const auto hash = href.rfind('#');
  auto target = std::optional(from);
  if (hash != std::string_view::npos && hash > 0) target = document_of(href.substr(0, hash));
  if (!target) return std::nullopt;
  const auto& by_id = by_id_[static_cast<std::size_t>(*target)];
  const auto id = hash == std::string_view::npos ? href : href.substr(hash + 1);
  const auto found = by_id.find(std::string(id));
  if (found == by_id.end()) return std::nullopt;
  return found->second;
}

const Import* Library::import_of(DocumentIndex from, DocumentIndex to) const {
  const auto& imports = document(from).imports;
  const auto found = std::ranges::find(imports, to, &Import::document);
  return found == imports.end() ? nullptr : &*found;
}

} // namespace perdure::dmn
