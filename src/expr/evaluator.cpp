// Walks the tree. Recursion and work are bounded by what is given to spend.
#include "expr/evaluator.h"

#include <algorithm>
#include <utility>

#include "expr/functions.h"
#include "expr/operators.h"
#include "expr/properties.h"
#include "expr/types.h"

namespace perdure::expr {

Datum Evaluator::visit(NodeId id) {
  const auto& node = tree_.nodes[id];
  if (node.kind == NodeKind::literal) return tree_.literals[node.index];
  if (node.kind == NodeKind::local) return locals_[node.index];
  // Children that are literals or locals are paid for here.
  Datum result;
  if (work_.spend(1 + node.edge_count, node.offset) && work_.enter(node.offset))
    result = dispatch(node);
  work_.leave();
  return bounded(node, std::move(result));
}

/// Values deeper than that would make every walk through them, even their end, a danger.
Datum Evaluator::bounded(const Node& node, Datum value) {
  constexpr int kMaxDepthOfValues = 500;
  if (value.depth() <= kMaxDepthOfValues) return value;
  work_.fail("The value is nested too deep; at most " + std::to_string(kMaxDepthOfValues) +
                 " values may be inside each other.",
             node.offset);
  return nullptr;
}

Datum Evaluator::visit_with(std::vector<Datum> locals, NodeId id) {
  locals_ = std::move(locals);
  return visit(id);
}

Datum Evaluator::dispatch(const Node& node) {
  switch (node.kind) {
    case NodeKind::literal: return tree_.literals[node.index];
    case NodeKind::local: return locals_[node.index];
    case NodeKind::variable: return variable(node);
    case NodeKind::implicit: return implicit(node);
    case NodeKind::built_in:
      return Datum(std::make_shared<const BuiltIn>(*tree_.functions[node.index]));
    case NodeKind::input: return input_ ? *input_ : Datum();
    case NodeKind::path: return path(node);
    case NodeKind::filter: return filter(node);
    case NodeKind::element: return element(node);
    case NodeKind::list: return list(node);
    case NodeKind::context: return context(node);
    case NodeKind::range:
    case NodeKind::span: return range(node);
    case NodeKind::unary_range: return unary_range(node);
    case NodeKind::negate: return negated(work_, node.offset, operand(node, 0));
    case NodeKind::logical_not: return logical_not(node);
    case NodeKind::conjunction: return junction(node, false);
    case NodeKind::disjunction: return junction(node, true);
    case NodeKind::chain: return chain(node);
    case NodeKind::between: return between(node);
    case NodeKind::membership: return membership(node);
    case NodeKind::test:
      return warn(node, WarningKind::invalid_argument, "A test stands only after in.");
    case NodeKind::instance_of: return instance_of(node);
    case NodeKind::choice: return choice(node);
    case NodeKind::loop: return loop(node);
    case NodeKind::some: return quantified(node, true);
    case NodeKind::every: return quantified(node, false);
    case NodeKind::lambda: return lambda(node);
    case NodeKind::call: return call(node);
    case NodeKind::invocation: return invocation(node);
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

Datum Evaluator::mismatch(const Node& node, std::string_view what, const Datum& value) {
  const auto kind = value.is_null() ? WarningKind::null_operand : WarningKind::type_mismatch;
  return warn(node, kind, std::string(what) + " has no meaning for " + value.described() + ".");
}

// --- names

std::optional<Datum> Evaluator::entry(const Datum& context, std::string_view name,
                                      const Node& node) {
  // The search is linear.
  if (!work_.spend(context.size() / 16, node.offset)) return std::nullopt;
  return context.entry(name);
}

Datum Evaluator::variable(const Node& node) {
  const auto& name = tree_.variables[node.index];
  if (auto found = variables_.get(name, node.index)) return *std::move(found);
  if (tree_.dialect == Dialect::feel) {
    if (const auto* function = find_function(name)) {
      return Datum(std::make_shared<const BuiltIn>(*function));
    }
    return warn(node, WarningKind::unknown_name, "There is no variable \"" + name + "\".");
  }
  work_.fail("There is no variable \"" + name + "\".", node.offset);
  return nullptr;
}

Datum Evaluator::implicit(const Node& node) {
  const auto& name = tree_.names[node.index];
  const auto item = operand(node, 0);
  if (auto found = entry(item, name, node)) return *std::move(found);
  return operand(node, 1);
}

Datum Evaluator::path(const Node& node) {
  const auto base = operand(node, 0);
  const auto& name = tree_.names[node.index];
  if (auto found = entry(base, name, node)) return *std::move(found);
  if (base.is_list() && tree_.dialect == Dialect::feel) return projection(node, base, name);
  if (base.is_context()) {
    return warn(node, WarningKind::unknown_name, "There is no entry \"" + name + "\".");
  }
  if (auto property = property_of(base, name)) return *std::move(property);
  return warn(node, base.is_null() ? WarningKind::null_operand : WarningKind::type_mismatch,
              "\"." + name + "\" has no meaning for " + base.described() + ".");
}

Datum Evaluator::projection(const Node& node, const Datum& items, std::string_view name) {
  if (!work_.spend(items.size(), node.offset)) return nullptr;
  DatumList values;
  values.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto item = items.item(i);
    auto value = entry(item, name, node);
    if (!value) value = property_of(item, name);
    values.push_back(std::move(value).value_or(Datum()));
  }
  return Datum(std::move(values));
}

Datum Evaluator::is_defined(NodeId id) {
  const auto& node = tree_.nodes[id];
  switch (node.kind) {
    case NodeKind::variable:
      return variables_.get(tree_.variables[node.index], node.index).has_value();
    case NodeKind::implicit:
      if (entry(operand(node, 0), tree_.names[node.index], node)) return true;
      return is_defined(edge(node, 1).node);
    case NodeKind::path: break;
    default: static_cast<void>(visit(id)); return true;
  }
  if (!is_defined(edge(node, 0).node).is_true()) return false;
  const auto base = operand(node, 0);
  const auto& name = tree_.names[node.index];
  return base.is_list() || entry(base, name, node) || property_of(base, name);
}

// --- parts of lists

Datum Evaluator::filter(const Node& node) {
  auto items = operand(node, 0);
  if (items.is_null()) return warn(node, WarningKind::null_operand, "null has no items.");
  if (!items.is_list()) items = Datum(DatumList{items});
  DatumList kept;
  // Whether it is an index or a condition shows only when it is evaluated; without items, on null.
  for (std::size_t i = 0; (i < items.size() || i == 0) && work_.spend(1, node.offset); ++i) {
    const auto item = i < items.size() ? items.item(i) : Datum();
    locals_.push_back(item);
    const auto selector = operand(node, 1);
    locals_.pop_back();
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
  return warn(node, WarningKind::out_of_range,
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
    return warn(node, WarningKind::out_of_range,
                "There is no item " + selector.number()->text() + " in a list of " +
                    std::to_string(base.size()) + "; the first is 0.");
  }
  if (base.is_context() && selector.text()) {
    if (auto found = entry(base, *selector.text(), node)) return *std::move(found);
    return warn(node, WarningKind::unknown_name,
                "There is no entry \"" + std::string(*selector.text()) + "\".");
  }
  return warn(node, WarningKind::type_mismatch,
              base.described() + " has no part named by " + selector.described() + ".");
}

// --- literals

Datum Evaluator::list(const Node& node) {
  DatumList items;
  items.reserve(node.edge_count);
  for (const auto& item : tree_.edges_of(node))
    items.push_back(visit(item.node));
  return Datum(std::move(items));
}

Datum Evaluator::context(const Node& node) {
  DatumEntries entries;
  entries.reserve(node.edge_count);
  const auto locals = locals_.size();
  for (std::size_t i = 0; i < node.edge_count && !work_.failed(); ++i) {
    // A function's own name has its place before the function is made.
    locals_.emplace_back();
    const bool is_function = tree_.nodes[edge(node, i).node].kind == NodeKind::lambda;
    if (!is_function) locals_.pop_back();
    auto value = operand(node, i);
    if (!is_function) locals_.emplace_back();
    locals_.back() = value; // later entries see the earlier ones
    entries.emplace_back(tree_.names[node.index + i], std::move(value));
  }
  locals_.resize(locals);
  return Datum(std::move(entries));
}

Datum Evaluator::range(const Node& node) {
  return Datum(Range{operand(node, 0), operand(node, 1),
                     edge(node, 0).operation == Operation::closed,
                     edge(node, 1).operation == Operation::closed});
}

Datum Evaluator::unary_range(const Node& node) {
  const auto end = operand(node, 0);
  Range range{.has_low_end = false, .has_high_end = false, .form = Range::Form::comparison};
  const auto operation = edge(node, 0).operation;
  if (operation == Operation::not_equal) range.form = Range::Form::exclusion;
  if (operation != Operation::less && operation != Operation::less_equal) range.low = end;
  if (operation != Operation::greater && operation != Operation::greater_equal) range.high = end;
  range.has_low_end = operation == Operation::greater_equal || operation == Operation::equal;
  range.has_high_end = operation == Operation::less_equal || operation == Operation::equal;
  return Datum(std::move(range));
}

// --- logic

Datum Evaluator::logical_not(const Node& node) {
  const auto value = operand(node, 0);
  if (const auto boolean = value.boolean()) return !*boolean;
  if (value.is_null()) return nullptr;
  return mismatch(node, "not", value);
}

/// `decisive` settles it: false for and, true for or. Anything that is no boolean leaves null.
Datum Evaluator::junction(const Node& node, bool decisive) {
  bool is_known = true;
  for (const auto& part : tree_.edges_of(node)) {
    const auto value = visit(part.node);
    if (value.boolean() == decisive) return decisive;
    if (value.boolean()) continue;
    is_known = false;
    if (!value.is_null()) mismatch(node, decisive ? "or" : "and", value);
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
    warn(node, condition.is_null() ? WarningKind::null_operand : WarningKind::type_mismatch,
         "The condition is " + condition.described() + ", not a boolean; it counts as false.");
  }
  return operand(node, condition.is_true() ? 1 : 2);
}

Datum Evaluator::membership(const Node& node) {
  const auto value = operand(node, 0);
  bool is_known = true;
  for (std::size_t i = 1; i < node.edge_count && !work_.failed(); ++i) {
    const auto passed = passes(node, value, edge(node, i));
    if (passed.is_true()) return true;
    if (passed.is_null()) is_known = false;
  }
  return is_known ? Datum(false) : Datum();
}

Datum Evaluator::passes(const Node& node, const Datum& value, const Edge& test) {
  const auto& asked = tree_.nodes[test.node];
  if (asked.kind == NodeKind::test) {
    return operate(work_, asked.offset, edge(asked, 0).operation, value, operand(asked, 0));
  }
  const auto wanted = visit(test.node);
  if (test.operation == Operation::holds && (wanted.boolean() || wanted.is_null())) return wanted;
  return matches(node, value, wanted);
}

/// The wanted value itself, one inside a range, or one of a list.
Datum Evaluator::matches(const Node& node, const Datum& value, const Datum& wanted) {
  if (const auto* range = wanted.range(); range && !value.range()) {
    return lies_in(work_, node.offset, value, *range);
  }
  if (!wanted.is_list()) return operate(work_, node.offset, Operation::equal, value, wanted);
  bool found = value.is_list() && are_equal(work_, node.offset, value, wanted).value_or(false);
  for (std::size_t i = 0; i < wanted.size() && !found && !work_.failed(); ++i) {
    const auto item = wanted.item(i);
    found = item.range() && !value.range()
                ? lies_in(work_, node.offset, value, *item.range()).is_true()
                : are_equal(work_, node.offset, value, item).value_or(false);
  }
  return found;
}

Datum Evaluator::instance_of(const Node& node) {
  const auto value = operand(node, 0);
  const auto& type = tree_.types[node.index];
  if (value.is_null()) return type && type->kind == TypeKind::null;
  return is_instance(value, type, &work_);
}

// --- JUEL

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
