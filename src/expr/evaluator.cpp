// Walks the tree. Recursion is bounded by the depth the parser allows; work by the budget.
#include "expr/evaluator.h"

#include <algorithm>
#include <string>
#include <utility>

#include "expr/functions.h"
#include "expr/operators.h"

namespace perdure::expr {

namespace {

Datum datum_of(const Literal& literal) {
  if (const auto* boolean = std::get_if<bool>(&literal)) return *boolean;
  if (const auto* number = std::get_if<Decimal>(&literal)) return *number;
  if (const auto* text = std::get_if<std::string>(&literal)) return Datum::borrow(*text);
  return nullptr;
}

} // namespace

Datum Evaluator::visit(NodeId id) {
  const auto& node = tree_.nodes[id];
  if (!work_.spend(1, node.offset)) return nullptr;
  switch (node.kind) {
    case NodeKind::literal: return datum_of(tree_.literals[node.index]);
    case NodeKind::variable: return variable(node);
    case NodeKind::path: return path(node);
    case NodeKind::filter: return filter(node);
    case NodeKind::element: return element(node);
    case NodeKind::list: return list(node);
    case NodeKind::context: return context(node);
    case NodeKind::range: return range(node);
    case NodeKind::negate: return negated(work_, node.offset, operand(node, 0));
    case NodeKind::logical_not: return logical_not(node);
    case NodeKind::conjunction: return junction(node, false);
    case NodeKind::disjunction: return junction(node, true);
    case NodeKind::chain: return chain(node);
    case NodeKind::between: return between(node);
    case NodeKind::membership: return membership(node);
    case NodeKind::test:
      return warn(node, WarningKind::type_mismatch, "A test stands only after in.");
    case NodeKind::choice: return choice(node);
    case NodeKind::loop: return loop(node);
    case NodeKind::some: return quantified(node, true);
    case NodeKind::every: return quantified(node, false);
    case NodeKind::call: return call(node);
    case NodeKind::is_defined: return is_defined(edge(node, 0).node);
    case NodeKind::is_empty: return is_empty(node);
    case NodeKind::composite: return composite(node);
  }
  return nullptr;
}

Datum Evaluator::warn(const Node& node, WarningKind kind, std::string reason) {
  work_.warn(kind, std::move(reason), node.offset);
  return nullptr;
}

// --- names
// ------------------------------------------------------------------------------------------

std::optional<Datum> Evaluator::look_up(const std::string& name, const Node& node) {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (frame->is_open) {
      if (auto found = entry(frame->value, name, node)) return found;
    }
    if (frame->name == name) return frame->value;
  }
  const auto slot = std::ranges::lower_bound(tree_.variables, name) - tree_.variables.begin();
  return variables_.get(name, static_cast<std::size_t>(slot));
}

std::optional<Datum> Evaluator::entry(const Datum& context, std::string_view name,
                                      const Node& node) {
  // The search is linear.
  if (!work_.spend(context.size() / 16, node.offset)) return std::nullopt;
  return context.entry(name);
}

Datum Evaluator::variable(const Node& node) {
  const auto& name = tree_.names[node.index];
  if (auto found = look_up(name, node)) return *found;
  auto reason = "There is no variable \"" + name + "\".";
  if (tree_.dialect == Dialect::feel)
    return warn(node, WarningKind::type_mismatch, std::move(reason));
  work_.fail(std::move(reason), node.offset);
  return nullptr;
}

Datum Evaluator::path(const Node& node) {
  const auto base = operand(node, 0);
  const auto& name = tree_.names[node.index];
  if (base.is_list() && tree_.dialect == Dialect::feel) return projection(node, base, name);
  if (auto found = entry(base, name, node)) return *found;
  if (base.is_context())
    return warn(node, WarningKind::type_mismatch, "There is no entry \"" + name + "\".");
  return warn(node, WarningKind::type_mismatch,
              "\"." + name + "\" has no meaning for " + base.described() + ".");
}

Datum Evaluator::projection(const Node& node, const Datum& items, std::string_view name) {
  if (!work_.spend(items.size(), node.offset)) return nullptr;
  DatumList values;
  for (std::size_t i = 0; i < items.size(); ++i) {
    values.push_back(entry(items.item(i), name, node).value_or(Datum()));
  }
  return Datum(std::move(values));
}

Datum Evaluator::is_defined(NodeId id) {
  const auto& node = tree_.nodes[id];
  if (node.kind == NodeKind::variable) {
    return look_up(tree_.names[node.index], node).has_value();
  }
  if (node.kind != NodeKind::path) {
    static_cast<void>(visit(id));
    return true;
  }
  if (!is_defined(edge(node, 0).node).is_true()) return false;
  const auto base = operand(node, 0);
  return base.is_list() || entry(base, tree_.names[node.index], node).has_value();
}

// --- parts of lists
// ---------------------------------------------------------------------------------

Datum Evaluator::filter(const Node& node) {
  auto items = operand(node, 0);
  if (items.is_null()) return warn(node, WarningKind::type_mismatch, "null has no items.");
  if (!items.is_list()) items = Datum(DatumList{items});
  DatumList kept;
  // Whether it is an index or a condition shows only when it is evaluated; without items, on null.
  for (std::size_t i = 0; (i < items.size() || i == 0) && !work_.failed(); ++i) {
    const auto item = i < items.size() ? items.item(i) : Datum();
    frames_.push_back({"item", item, true});
    const auto selector = operand(node, 1);
    frames_.pop_back();
    if (i == 0 && selector.number()) return item_at(node, items, *selector.number());
    if (!items.size()) break;
    if (selector.is_true()) kept.push_back(item);
  }
  return Datum(std::move(kept));
}

Datum Evaluator::item_at(const Node& node, const Datum& items, const Decimal& number) {
  const auto size = static_cast<std::int64_t>(items.size());
  const auto index = number.as_int64().value_or(0);
  if (index >= 1 && index <= size) return items.item(static_cast<std::size_t>(index - 1));
  if (index <= -1 && index >= -size) return items.item(static_cast<std::size_t>(size + index));
  return warn(node, WarningKind::type_mismatch,
              "There is no item " + number.text() + " in a list of " + std::to_string(size) + ".");
}

Datum Evaluator::element(const Node& node) {
  const auto base = operand(node, 0);
  const auto selector = operand(node, 1);
  if (base.is_list() && selector.number()) {
    const auto index = selector.number()->as_int64().value_or(-1);
    if (index >= 0 && index < static_cast<std::int64_t>(base.size())) {
      return base.item(static_cast<std::size_t>(index));
    }
    return warn(node, WarningKind::type_mismatch,
                "There is no item " + selector.number()->text() + " in a list of " +
                    std::to_string(base.size()) + "; the first is 0.");
  }
  if (base.is_context() && selector.text()) {
    if (auto found = entry(base, *selector.text(), node)) return *found;
    return warn(node, WarningKind::type_mismatch,
                "There is no entry \"" + std::string(*selector.text()) + "\".");
  }
  return warn(node, WarningKind::type_mismatch,
              base.described() + " has no part named by " + selector.described() + ".");
}

// --- literals
// ---------------------------------------------------------------------------------------

Datum Evaluator::list(const Node& node) {
  DatumList items;
  for (const auto& item : tree_.edges_of(node))
    items.push_back(visit(item.node));
  return Datum(std::move(items));
}

Datum Evaluator::context(const Node& node) {
  DatumEntries entries;
  const auto frames = frames_.size();
  for (std::size_t i = 0; i < node.edge_count && !work_.failed(); ++i) {
    const auto& name = tree_.names[node.index + i];
    const auto value = operand(node, i);
    entries.emplace_back(name, value);
    frames_.push_back({name, value, false}); // later entries see the earlier ones
  }
  frames_.resize(frames);
  return Datum(std::move(entries));
}

Datum Evaluator::range(const Node& node) {
  return Datum(Range{operand(node, 0), operand(node, 1),
                     edge(node, 0).operation == Operation::closed,
                     edge(node, 1).operation == Operation::closed});
}

// --- logic
// ------------------------------------------------------------------------------------------

Datum Evaluator::logical_not(const Node& node) {
  const auto value = operand(node, 0);
  if (const auto boolean = value.boolean()) return !*boolean;
  if (value.is_null()) return nullptr;
  return warn(node, WarningKind::type_mismatch,
              "not has no meaning for " + value.described() + ".");
}

/// `decisive` settles it: false for and, true for or. Anything that is no boolean leaves null.
Datum Evaluator::junction(const Node& node, bool decisive) {
  bool is_known = true;
  for (const auto& part : tree_.edges_of(node)) {
    const auto value = visit(part.node);
    if (value.boolean() == decisive) return decisive;
    if (value.boolean()) continue;
    is_known = false;
    if (!value.is_null()) {
      warn(node, WarningKind::type_mismatch,
           (decisive ? "or" : "and") + std::string(" has no meaning for ") + value.described() +
               ".");
    }
  }
  return is_known ? Datum(!decisive) : Datum();
}

Datum Evaluator::chain(const Node& node) {
  auto result = operand(node, 0);
  for (std::size_t i = 1; i < node.edge_count && !work_.failed(); ++i) {
    result = operate(work_, node.offset, edge(node, i).operation, result, operand(node, i));
  }
  return result;
}

Datum Evaluator::between(const Node& node) {
  const auto value = operand(node, 0);
  return lies_in(work_, node.offset, value, Range{operand(node, 1), operand(node, 2), true, true});
}

Datum Evaluator::choice(const Node& node) {
  const auto condition = operand(node, 0);
  if (!condition.boolean()) {
    warn(node, WarningKind::type_mismatch,
         "The condition is " + condition.described() + ", not a boolean; it counts as false.");
  }
  return operand(node, condition.is_true() ? 1 : 2);
}

Datum Evaluator::membership(const Node& node) {
  const auto value = operand(node, 0);
  bool is_known = true;
  for (std::size_t i = 1; i < node.edge_count && !work_.failed(); ++i) {
    const auto passed = passes(value, edge(node, i).node);
    if (passed.is_true()) return true;
    if (passed.is_null()) is_known = false;
  }
  return is_known ? Datum(false) : Datum();
}

Datum Evaluator::passes(const Datum& value, NodeId test) {
  const auto& node = tree_.nodes[test];
  if (node.kind == NodeKind::test) {
    return operate(work_, node.offset, edge(node, 0).operation, value, operand(node, 0));
  }
  const auto wanted = visit(test);
  if (const auto* range = wanted.range()) return lies_in(work_, node.offset, value, *range);
  if (!wanted.is_list()) return operate(work_, node.offset, Operation::equal, value, wanted);
  bool found = value.is_list() && are_equal(work_, node.offset, value, wanted).value_or(false);
  for (std::size_t i = 0; i < wanted.size() && !found && !work_.failed(); ++i) {
    const auto item = wanted.item(i);
    found = item.range() ? lies_in(work_, node.offset, value, *item.range()).is_true()
                         : are_equal(work_, node.offset, value, item).value_or(false);
  }
  return found;
}

// --- loops
// ------------------------------------------------------------------------------------------

Datum Evaluator::domain(const Node& node, const Datum& value) {
  if (value.is_list()) return value;
  const auto* range = value.range();
  if (!range)
    return value.is_null() ? warn(node, WarningKind::type_mismatch, "null has no items.")
                           : Datum(DatumList{value});
  const auto low = range->low.number() ? range->low.number()->as_int64() : std::nullopt;
  const auto high = range->high.number() ? range->high.number()->as_int64() : std::nullopt;
  if (!low || !high) {
    return warn(node, WarningKind::type_mismatch,
                "A loop needs a list or a range of whole numbers.");
  }
  DatumList numbers;
  const std::int64_t step = *low <= *high ? 1 : -1;
  for (auto i = *low; work_.spend(1, node.offset); i += step) {
    numbers.push_back(Decimal(i));
    if (i == *high) break;
  }
  return Datum(std::move(numbers));
}

/// Calls `body` for every combination of the domains, the last one fastest, until it returns false.
/// False when that happened or when there is no domain.
bool Evaluator::for_each(const Node& node, std::size_t iterator,
                         const std::function<bool(Datum)>& body) {
  if (iterator + 1 == node.edge_count) return body(operand(node, iterator));
  const auto items = domain(node, operand(node, iterator));
  bool go_on = !items.is_null();
  for (std::size_t i = 0; i < items.size() && go_on && !work_.failed(); ++i) {
    frames_.push_back({tree_.names[node.index + iterator], items.item(i), false});
    go_on = for_each(node, iterator + 1, body);
    frames_.pop_back();
  }
  return go_on;
}

Datum Evaluator::loop(const Node& node) {
  DatumList results;
  const bool has_domains = for_each(node, 0, [&](Datum result) {
    results.push_back(std::move(result));
    return true;
  });
  return has_domains ? Datum(std::move(results)) : Datum();
}

/// `decisive` settles it: true for some, false for every.
Datum Evaluator::quantified(const Node& node, bool decisive) {
  bool is_settled = false;
  bool is_known = true;
  const bool is_complete = for_each(node, 0, [&](const Datum& result) {
    is_settled = result.boolean() == decisive;
    if (!result.boolean()) is_known = false;
    return !is_settled;
  });
  if (is_settled) return decisive;
  return is_known && is_complete ? Datum(!decisive) : Datum();
}

// --- calls and texts
// --------------------------------------------------------------------------------

Datum Evaluator::call(const Node& node) {
  DatumList arguments;
  for (const auto& argument : tree_.edges_of(node))
    arguments.push_back(visit(argument.node));
  if (work_.failed()) return nullptr;
  const auto& function = functions()[node.index];
  return function.run(Call{work_, arguments, node.offset, function.name});
}

Datum Evaluator::is_empty(const Node& node) {
  const auto value = operand(node, 0);
  if (value.is_null()) return true;
  if (value.text()) return value.text()->empty();
  return (value.is_list() || value.is_context()) && value.size() == 0;
}

Datum Evaluator::composite(const Node& node) {
  std::string out;
  for (std::size_t i = 0; i < node.edge_count && !work_.failed(); ++i) {
    const auto part = operand(node, i);
    if (part.is_null()) continue;
    if (part.is_list() || part.is_context()) {
      work_.fail("A " + std::string(part.type_name()) + " cannot be put into a text.",
                 tree_.nodes[edge(node, i).node].offset);
    } else {
      out += text_of(work_, node.offset, part);
    }
  }
  return Datum(std::move(out));
}

} // namespace perdure::expr
