// The compiled form of an expression: a flat vector of nodes that refer to each other by index,
// with the literals and names beside it. Children stand before their parents; the depth is bounded
// by the parser.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/datum.h"
#include "expr/expression.h"
#include "expr/types.h"

namespace perdure::expr {

struct Function; // functions.h

using NodeId = std::uint32_t;

enum class NodeKind : std::uint8_t {
  literal,     ///< `index` into Tree::literals
  variable,    ///< `index` into Tree::variables
  local,       ///< a name of the expression's own: `index` is its place on the stack of locals
  implicit,    ///< an entry of a filter's item: `index` into Tree::names; the first child is the
               ///< item, the second what the name means when the item has no such entry
  built_in,    ///< a built-in function as a value: `index` into Tree::functions
  input,       ///< `?` of unary tests
  path,        ///< child.name; `index` into Tree::names
  filter,      ///< FEEL a[b]: an index from 1 or a condition on each item
  element,     ///< JUEL a[b]: an index from 0 or a key
  list,        ///< [a, b]
  context,     ///< {name: a}; the names from `index` on in Tree::names, one per child
  range,       ///< [a..b]; the edge of each child says whether that end belongs to it
  unary_range, ///< (< a); the edge says which comparison
  span,        ///< a..b after `in` of a loop: it may go downwards
  negate,      ///< -a
  logical_not, ///< not(a), !a
  conjunction, ///< a and b and ...
  disjunction, ///< a or b or ...
  chain,       ///< a + b - c: left to right, the edge of each child says how it joins
  between,     ///< a between b and c
  membership,  ///< a in (tests...), and unary tests
  test,        ///< `> a` inside a membership; the edge says which comparison
  instance_of, ///< a instance of type; `index` into Tree::types
  choice,      ///< if a then b else c
  loop,        ///< for ... return: domains, then the body; `index` is 1 when it uses `partial`
  some,        ///< some ... satisfies; as loop
  every,       ///< every ... satisfies; as loop
  lambda,      ///< function(...) a; `index` into Tree::lambdas
  call,        ///< of a built-in function: `index` into Tree::functions
  invocation,  ///< of a value: the function, then the arguments; `index` into Tree::invocations
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
  holds,  ///< a unary test that speaks of the input itself: true or false
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

/// A function of the expression. Its parameters follow the locals that were there where it stands.
struct Lambda {
  static constexpr std::uint32_t kNoSelf = static_cast<std::uint32_t>(-1);
  std::vector<Parameter> parameters;
  NodeId body = 0;
  std::uint32_t locals = 0;     ///< how many it captures
  std::uint32_t self = kNoSelf; ///< the local that stands for the function itself
};

/// How a value is called.
struct Invocation {
  std::vector<std::string> names;     ///< of the arguments; empty when they are given in order
  const Function* fallback = nullptr; ///< when a variable of the function's name is no function
};

struct Tree {
  std::string text;
  Dialect dialect = Dialect::feel;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::vector<Datum> literals;
  std::deque<std::string> texts; ///< what the literals borrow: does not move
  std::vector<std::string> names;
  std::vector<std::string> variables; ///< root names, sorted
  std::vector<const Function*> functions;
  std::vector<Lambda> lambdas;
  std::vector<Invocation> invocations;
  std::vector<TypeRef> types;
  NodeId root = 0;

  [[nodiscard]] std::span<const Edge> edges_of(const Node& node) const {
    return std::span(edges).subspan(node.first_edge, node.edge_count);
  }
};

} // namespace perdure::expr
