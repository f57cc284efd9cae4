// Item definitions as types of FEEL. They may refer to each other in any order, and to themselves
// inside lists and components.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "definition/report.h"
#include "dmn/library.h"
#include "expr/expression.h"
#include "expr/types.h"

namespace perdure::dmn {

/// All item definitions of the library. The references it gives do not own: keep `storage()` as
/// long as they are used.
class Types {
public:
  Types(const Library& library, std::vector<definition::Report>& reports);
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;

  /// What a `typeRef` of that document means; nullptr for Any, and, with an error, for an unknown
  /// one.
  [[nodiscard]] expr::TypeRef find(DocumentIndex from, std::string_view name,
                                   const xml::Element& place);
  /// As above, of the element's attribute `typeRef`, which may be absent.
  [[nodiscard]] expr::TypeRef of(DocumentIndex from, const xml::Element& element);

  /// The `allowedValues` of an item definition; nullptr when there are none.
  [[nodiscard]] const xml::Element* allowed_values(DocumentIndex from, std::string_view name);

  /// Every type that expressions of the document may name, and all names of components.
  void add_names(DocumentIndex from, expr::Names& names) const;

  [[nodiscard]] std::shared_ptr<const void> storage() const { return storage_; }

private:
  enum class State : std::uint8_t { waiting, working, done };
  enum class Need : std::uint8_t { name, content }; ///< whether the type itself may come later
  struct Item {
    const xml::Element* xml = nullptr;
    DocumentIndex document = 0;
    State state = State::waiting;
    expr::Type* type = nullptr;
  };

  void collect(DocumentIndex index);
  void build(Item& item);
  /// Writes what the item definition or component says into `type`.
  void fill(expr::Type& type, const xml::Element& xml, DocumentIndex document);
  void fill_core(expr::Type& type, const xml::Element& xml, DocumentIndex document);
  void fill_function(expr::Type& type, const xml::Element& item, DocumentIndex document);
  void constrain(expr::Type& type, const xml::Element& tests, DocumentIndex document);
  /// The type that the child `typeRef` names.
  [[nodiscard]] expr::TypeRef reference(const xml::Element& xml, DocumentIndex document, Need need);
  [[nodiscard]] Item* item_of(DocumentIndex from, std::string_view name);
  [[nodiscard]] expr::Type& make();
  definition::Report& report(DocumentIndex document) {
    return reports_[static_cast<std::size_t>(document)];
  }

  const Library& library_;
  std::vector<definition::Report>& reports_;
  std::shared_ptr<std::deque<expr::Type>> storage_ = std::make_shared<std::deque<expr::Type>>();
  std::vector<std::unordered_map<std::string, Item>> items_; ///< for each document, by name
  std::vector<std::string> members_;
  int depth_ = 0;
};

} // namespace perdure::dmn
