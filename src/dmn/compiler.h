// Boxed expressions of XML into their compiled form. One compiler serves one element of the
// requirements graph: it knows its names and hands out the slots of its frame.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "definition/report.h"
#include "dmn/compiled.h"
#include "dmn/library.h"
#include "dmn/types.h"
#include "expr/expression.h"
#include "xml/xml.h"

namespace perdure::dmn {

/// The names that are visible at one place, and where their values are.
class Visible {
public:
  explicit Visible(expr::Names names) : names_(std::move(names)) {}

  /// From here on, until the end of the scope, `name` means `slot`.
  void add(std::string_view name, Slot slot);
  /// kNoSlot when it means nothing.
  [[nodiscard]] Slot find(std::string_view name) const;
  [[nodiscard]] const expr::Names& names() const { return names_; }

  /// Takes back, when it ends, what was added since it began.
  class Scope {
  public:
    explicit Scope(Visible& visible) : visible_(visible), size_(visible.added_.size()) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { visible_.shrink_to(size_); }

  private:
    Visible& visible_;
    std::size_t size_;
  };

  /// Members of contexts count as names while it lives, as inside a filter.
  class Opened {
  public:
    explicit Opened(Visible& visible)
        : visible_(visible), was_open_(visible.names_.members_are_open()) {
      visible_.names_.open_members(true);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened() { visible_.names_.open_members(was_open_); }

  private:
    Visible& visible_;
    bool was_open_;
  };

private:
  void shrink_to(std::size_t size);

  expr::Names names_;
  std::unordered_map<std::string, std::vector<Slot>> slots_; ///< by normalised name, inner last
  std::vector<std::string> added_;                           ///< normalised names
};

class Compiler {
public:
  /// `id` is that of the element.
  Compiler(DocumentIndex document, ElementIndex element, std::string_view id, Types& types,
           definition::Report& report)
      : document_(document), element_(element), types_(types), report_(report), nearest_id_(id) {}

  [[nodiscard]] Slot new_slot() { return frame_size_++; }
  [[nodiscard]] std::int32_t frame_size() const { return frame_size_; }

  /// The boxed expression among the children; nullptr when there is none.
  [[nodiscard]] static const xml::Element* find_expression(const xml::Element& parent);

  [[nodiscard]] Boxed compile(const xml::Element& expression, Visible& visible);
  /// The one inside `parent`, which is missing with an error.
  [[nodiscard]] Boxed compile_inside(const xml::Element& parent, Visible& visible);
  /// `formalParameter`s and the body of a function definition or knowledge model.
  [[nodiscard]] FunctionBody compile_function(const xml::Element& definition, Visible& visible);

  [[nodiscard]] Origin origin_of(const xml::Element& element) const;

private:
  enum class FeelKind : std::uint8_t { expression, unary_tests };

  [[nodiscard]] Boxed box(const xml::Element& element);
  /// Reports; the first problem since the last take_problem() is what evaluation will say.
  void problem(definition::Code code, const xml::Element& element, std::string message);
  /// The form, or, when there was a problem, what refuses to be evaluated.
  [[nodiscard]] Boxed unless_refused(Boxed boxed);
  [[nodiscard]] std::unique_ptr<Boxed> part(const xml::Element& parent, std::string_view name,
                                            Visible& visible);
  [[nodiscard]] std::string_view id_of(const xml::Element& element) const;
  [[nodiscard]] bool speaks_feel(const xml::Element& element);

  /// The text of an element; the constant null, with a problem, when it does not compile.
  [[nodiscard]] Feel feel(const xml::Element& element, std::string_view what, Visible& visible,
                          FeelKind kind = FeelKind::expression);
  [[nodiscard]] Feel placed(expr::Expression expression, const xml::Element& element,
                            const Visible& visible) const;
  Boxed literal(const xml::Element& element, Visible& visible);
  Boxed context(const xml::Element& element, Visible& visible);
  Boxed relation(const xml::Element& element, Visible& visible);
  Boxed list(const xml::Element& element, Visible& visible);
  Boxed invocation(const xml::Element& element, Visible& visible);
  Boxed function(const xml::Element& element, Visible& visible);
  Boxed conditional(const xml::Element& element, Visible& visible);
  Boxed filter(const xml::Element& element, Visible& visible);
  Boxed iteration(const xml::Element& element, IterationKind kind, Visible& visible);

  // compile_table.cpp
  Boxed table(const xml::Element& element, Visible& visible);
  void read_policy(const xml::Element& element, Table& table);
  void read_input(const xml::Element& element, Visible& visible, Table& table);
  void read_output(const xml::Element& element, Visible& visible, Table& table);
  void read_rule(const xml::Element& element, Visible& visible, Table& table);
  void check_table(const xml::Element& element, const Table& table);

  DocumentIndex document_;
  ElementIndex element_;
  Types& types_;
  definition::Report& report_;
  std::string_view nearest_id_;
  std::string problem_;
  std::int32_t frame_size_ = 0;
};

} // namespace perdure::dmn
