// The compiled form of an expression: a flat vector of nodes that refer to each other by index,
// with the literals and names beside it. Children stand before their parents; the depth is bounded
// by the parser.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "expr/decimal.h"
#include "expr/expression.h"

namespace perdure::expr {

struct Function; // functions.h

using NodeId = std::uint32_t;

enum class NodeKind : std::uint8_t {
  literal,     ///< `index` into Tree::literals
  variable,    ///< `index` into Tree::names
  path,        ///< child.name; `index` into Tree::names
  filter,      ///< FEEL a[b]: an index from 1 or a condition on each item
  element,     ///< JUEL a[b]: an index from 0 or a key
  list,        ///< [a, b]
  context,     ///< {name: a}; the names from `index` on in Tree::names, one per child
  range,       ///< [a..b]; the edge of each child says whether that end belongs to it
  negate,      ///< -a
  logical_not, ///< not(a), !a
  conjunction, ///< a and b and ...
  disjunction, ///< a or b or ...
  chain,       ///< a + b - c: left to right, the edge of each child says how it joins
  between,     ///< a between b and c
  membership,  ///< a in (tests...)
  test,        ///< `> a` inside a membership; the edge says which comparison
  choice,      ///< if a then b else c
  loop,        ///< for ... return: domains, then the body; names from `index` on
  some,        ///< some ... satisfies; as loop
  every,       ///< every ... satisfies; as loop
  call,        ///< `index` into the function table
  is_defined,  ///< is defined(a)
  is_empty,    ///< JUEL `empty a`
  composite,   ///< JUEL text ${a} text: parts made into one string
};

enum class Operation : std::uint8_t {
  none,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  power,
  closed, ///< end of a range that belongs to it
  open,   ///< end of a range that does not
};

/// The operation as it is written, for messages.
[[nodiscard]] std::string_view spelling(Operation operation);

struct Edge {
  NodeId node = 0;
  Operation operation = Operation::none;
};

struct Node {
  NodeKind kind = NodeKind::literal;
  std::uint32_t offset = 0; ///< byte in the text, for messages
  std::uint32_t first_edge = 0;
  std::uint32_t edge_count = 0;
  std::uint32_t index = 0;
};

using Literal = std::variant<std::nullptr_t, bool, Decimal, std::string>;

struct Tree {
  std::string text;
  Dialect dialect = Dialect::feel;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::vector<Literal> literals;
  std::vector<std::string> names;
  std::vector<std::string> variables; ///< root names, sorted
  NodeId root = 0;

  [[nodiscard]] std::span<const Edge> edges_of(const Node& node) const {
    return std::span(edges).subspan(node.first_edge, node.edge_count);
  }
};

} // namespace perdure::expr
