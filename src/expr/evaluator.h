// One evaluation of one tree: the walk over its nodes. Made for a single use.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/datum.h"
#include "expr/tree.h"
#include "expr/work.h"

namespace perdure::expr {

class Evaluator {
public:
  /// All must outlive the evaluator and the Datum it returns. `input` may be nullptr.
  Evaluator(const std::shared_ptr<const Tree>& tree, const Variables& variables, Work& work,
            const Datum* input)
      : tree_(*tree), shared_tree_(tree), variables_(variables), work_(work), input_(input) {}

  /// The value of a node; null when the work has failed.
  [[nodiscard]] Datum visit(NodeId id);
  /// The value of a node where these locals stand.
  [[nodiscard]] Datum visit_with(std::vector<Datum> locals, NodeId id);

private:
  using Body = std::function<bool(Datum)>;

  [[nodiscard]] const Edge& edge(const Node& node, std::size_t index) const {
    return tree_.edges[node.first_edge + index];
  }
  [[nodiscard]] Datum operand(const Node& node, std::size_t index) {
    return visit(edge(node, index).node);
  }
  Datum dispatch(const Node& node);
  Datum bounded(const Node& node, Datum value);
  Datum warn(const Node& node, WarningKind kind, std::string reason);
  /// That `what` cannot be done with the value; a null operand is a kind of its own.
  Datum mismatch(const Node& node, std::string_view what, const Datum& value);

  // evaluator.cpp: names, paths, lists, logic
  std::optional<Datum> entry(const Datum& context, std::string_view name, const Node& node);
  Datum variable(const Node& node);
  Datum implicit(const Node& node);
  Datum path(const Node& node);
  Datum projection(const Node& node, const Datum& items, std::string_view name);
  Datum is_defined(NodeId id);
  Datum filter(const Node& node);
  Datum item_at(const Node& node, const Datum& items, const Decimal& number);
  Datum element(const Node& node);
  Datum list(const Node& node);
  Datum context(const Node& node);
  Datum range(const Node& node);
  Datum unary_range(const Node& node);
  Datum logical_not(const Node& node);
  Datum junction(const Node& node, bool decisive);
  Datum chain(const Node& node);
  Datum between(const Node& node);
  Datum choice(const Node& node);
  Datum membership(const Node& node);
  Datum passes(const Node& node, const Datum& value, const Edge& test);
  Datum matches(const Node& node, const Datum& value, const Datum& wanted);
  Datum instance_of(const Node& node);
  Datum is_empty(const Node& node);
  Datum composite(const Node& node);

  // evaluator_loops.cpp: loops and calls
  Datum domain(const Node& node, NodeId id);
  Datum sequence(const Node& node, const Datum& low, const Datum& high, bool downwards);
  bool for_each(const Node& node, std::size_t iterator, const Body& body);
  Datum loop(const Node& node);
  Datum quantified(const Node& node, bool decisive);
  Datum lambda(const Node& node);
  Datum call(const Node& node);
  Datum invocation(const Node& node);
  std::optional<DatumList> in_order(const Node& node, const Callable& function,
                                    std::span<const std::string> names, DatumList arguments);

  const Tree& tree_;
  const std::shared_ptr<const Tree>& shared_tree_;
  const Variables& variables_;
  Work& work_;
  const Datum* input_;
  std::vector<Datum> locals_;
};

} // namespace perdure::expr
