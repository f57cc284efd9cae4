#include "expr/range_text.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "expr/functions.h"
#include "expr/operators.h"
#include "expr/parser.h"
#include "expr/types.h"

namespace perdure::expr {

namespace {

/// Functions that are as good as a literal when their argument is a text literal.
constexpr std::array<std::string_view, 4> kLiteralFunctions = {"date", "time", "date and time",
                                                               "duration"};

/// What an end of the range is; nullopt when it is no literal.
std::optional<Datum> literal_of(const Tree& tree, NodeId id) {
  const auto& node = tree.nodes[id];
  const auto child = [&] { return literal_of(tree, tree.edges[node.first_edge].node); };
  Work work;
  if (node.kind == NodeKind::literal) return tree.literals[node.index];
  if (node.kind == NodeKind::negate) {
    const auto operand = child();
    return operand && operand->number() ? std::optional(negated(work, 0, *operand)) : std::nullopt;
  }
  if (node.kind != NodeKind::call || node.edge_count != 1) return std::nullopt;
  const auto& function = *tree.functions[node.index];
  const bool is_allowed =
      std::ranges::find(kLiteralFunctions, function.name) != kLiteralFunctions.end();
  const auto argument = is_allowed ? child() : std::nullopt;
  if (!argument || !argument->text()) return std::nullopt;
  return run_function(work, function, std::array{*argument}, 0);
}

/// A text that borrows from the tree becomes one of its own.
Datum owned(const Datum& datum) { return datum.text() ? Datum(std::string(*datum.text())) : datum; }

} // namespace

std::optional<Range> read_range(std::string_view text) {
  constexpr std::size_t kMaxBytes = 1000;
  if (text.size() > kMaxBytes || !utf8::is_valid(text)) return std::nullopt;
  Tree tree{.text = std::string(text)};
  const auto parsed = parse_into(tree, 0, Dialect::feel, {});
  if (!parsed || tree.nodes[parsed->root].kind != NodeKind::range) return std::nullopt;
  const auto ends = tree.edges_of(tree.nodes[parsed->root]);
  const auto low = literal_of(tree, ends[0].node);
  const auto high = literal_of(tree, ends[1].node);
  if (!low || !high || type_name_of(*low) != type_name_of(*high)) return std::nullopt;
  const auto order = order_of(*low, *high);
  if (!order || !(*order <= 0)) return std::nullopt;
  return Range{owned(*low), owned(*high), ends[0].operation == Operation::closed,
               ends[1].operation == Operation::closed};
}

} // namespace perdure::expr
