// Tokens into a tree: precedence climbing for both dialects. Precedence, loosest first: `? :`
// (JUEL), or, and, comparison (JUEL: equality before order), + -, * / %, ** (FEEL), unary, path and
// filter.
#pragma once

#include <expected>
#include <string>

#include "expr/expression.h"
#include "expr/tree.h"

namespace perdure::expr {

/// Bounds on what compiles: a deeper or longer text is refused, so that evaluation needs no care.
inline constexpr std::size_t kMaxTextBytes = 64 * 1024;
inline constexpr int kMaxDepth = 200;

/// Parses tree.text from `offset` to the end (FEEL) or to the closing brace (JUEL) and appends the
/// nodes. Returns the root of what was read and the byte after it.
struct Parsed {
  NodeId root = 0;
  std::size_t end = 0;
};
[[nodiscard]] std::expected<Parsed, Diagnostic> parse_into(Tree& tree, std::size_t offset,
                                                           Dialect dialect);

/// Appends a node with its children.
NodeId add_node(Tree& tree, Node node, std::span<const Edge> edges);

} // namespace perdure::expr
