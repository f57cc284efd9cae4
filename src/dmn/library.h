// The documents of a model as they were written: their elements by id and by name, and what an
// `href` or an import leads to. Nothing is compiled here.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "definition/report.h"
#include "dmn/read.h"
#include "xml/xml.h"

namespace perdure::dmn {

/// Position in Library::documents; the model itself is 0.
using DocumentIndex = std::int32_t;
/// Position in Library::elements.
using ElementIndex = std::int32_t;

enum class ElementKind : std::uint8_t { input_data, decision, knowledge_model, service };

/// An element of the requirements graph.
struct DrgElement {
  ElementKind kind = ElementKind::input_data;
  DocumentIndex document = 0;
  const xml::Element* xml = nullptr;
  std::string id;   ///< empty when it has none: nothing can require it then
  std::string name; ///< of its variable, which is what expressions call it
};

struct Import {
  std::string name; ///< prefix of its names in expressions; may be empty
  DocumentIndex document = 0;
};

struct Document {
  xml::Element root;
  std::string file; ///< as the caller called it
  std::string model_namespace;
  std::vector<Import> imports;
};

class Library {
public:
  /// What is wrong goes into the report of the file it is in. The library owns the trees.
  Library(std::span<const Source> sources, std::vector<definition::Report>& reports);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  [[nodiscard]] const std::deque<Document>& documents() const { return documents_; }
  [[nodiscard]] const Document& document(DocumentIndex index) const {
    return documents_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const std::vector<DrgElement>& elements() const { return elements_; }
  [[nodiscard]] const DrgElement& element(ElementIndex index) const {
    return elements_[static_cast<std::size_t>(index)];
  }

  /// `#id`, `id` or `namespace#id`, as the document writes it; nullopt when nothing is there.
  [[nodiscard]] std::optional<ElementIndex> resolve(DocumentIndex from,
                                                    std::string_view href) const;
  /// The import of `from` that leads to `to`; nullptr when there is none.
  [[nodiscard]] const Import* import_of(DocumentIndex from, DocumentIndex to) const;

private:
  void read_document(const Source& source, definition::Report& report);
  void read_elements(DocumentIndex index, definition::Report& report);
  void read_imports(DocumentIndex index, definition::Report& report);
  [[nodiscard]] std::optional<DocumentIndex> document_of(std::string_view model_namespace) const;

  std::deque<Document> documents_;
  std::vector<DrgElement> elements_;
  std::vector<std::unordered_map<std::string, ElementIndex>> by_id_; ///< one for each document
};

} // namespace perdure::dmn
