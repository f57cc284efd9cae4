// One evaluation of one tree: the walk over its nodes. Made for a single use.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/datum.h"
#include "expr/tree.h"
#include "expr/work.h"

namespace perdure::expr {

class Evaluator {
public:
  /// Tree and variables must outlive the evaluator and the Datum it returns.
  Evaluator(const Tree& tree, const Variables& variables, Work& work)
      : tree_(tree), variables_(variables), work_(work) {}

  /// The value of a node; null when the work has failed.
  [[nodiscard]] Datum visit(NodeId id);

private:
  /// A name of the expression's own: an iterator, an earlier entry, the item of a filter.
  struct Frame {
    std::string_view name;
    Datum value;
    bool is_open; ///< the entries of the value are visible as names too
  };

  [[nodiscard]] const Edge& edge(const Node& node, std::size_t index) const {
    return tree_.edges[node.first_edge + index];
  }
  [[nodiscard]] Datum operand(const Node& node, std::size_t index) {
    return visit(edge(node, index).node);
  }
  Datum warn(const Node& node, WarningKind kind, std::string reason);

  std::optional<Datum> look_up(const std::string& name, const Node& node);
  std::optional<Datum> entry(const Datum& context, std::string_view name, const Node& node);
  Datum variable(const Node& node);
  Datum path(const Node& node);
  Datum projection(const Node& node, const Datum& items, std::string_view name);
  Datum is_defined(NodeId id);

  Datum filter(const Node& node);
  Datum item_at(const Node& node, const Datum& items, const Decimal& number);
  Datum element(const Node& node);

  Datum list(const Node& node);
  Datum context(const Node& node);
  Datum range(const Node& node);

  Datum logical_not(const Node& node);
  Datum junction(const Node& node, bool decisive);
  Datum chain(const Node& node);
  Datum between(const Node& node);
  Datum choice(const Node& node);
  Datum membership(const Node& node);
  Datum passes(const Datum& value, NodeId test);

  Datum domain(const Node& node, const Datum& value);
  bool for_each(const Node& node, std::size_t iterator, const std::function<bool(Datum)>& body);
  Datum loop(const Node& node);
  Datum quantified(const Node& node, bool decisive);

  Datum call(const Node& node);
  Datum is_empty(const Node& node);
  Datum composite(const Node& node);

  const Tree& tree_;
  const Variables& variables_;
  Work& work_;
  std::vector<Frame> frames_;
};

} // namespace perdure::expr
