// Loops, quantifiers, functions and calls.
#include <algorithm>
#include <array>
#include <utility>

#include "expr/evaluator.h"
#include "expr/functions.h"
#include "expr/names.h"
#include "expr/operators.h"

namespace perdure::expr {

namespace {

/// A function of an expression, with all that it saw where it was made.
class LambdaFunction final : public Callable, public std::enable_shared_from_this<LambdaFunction> {
public:
  LambdaFunction(std::shared_ptr<const Tree> tree, std::uint32_t index, std::vector<Datum> locals,
                 std::vector<std::optional<Datum>> variables)
      : tree_(std::move(tree)),
        lambda_(tree_->lambdas[index]),
        locals_(std::move(locals)),
        variables_(std::move(variables)) {
    for (const auto& local : locals_)
      depth_ = std::max(depth_, local.depth() + 1);
    for (const auto& variable : variables_) {
      if (variable) depth_ = std::max(depth_, variable->depth() + 1);
    }
  }

  [[nodiscard]] int depth() const override { return depth_; }
  [[nodiscard]] std::span<const Parameter> parameters() const override {
    return lambda_.parameters;
  }

  [[nodiscard]] Datum call(Work& work, std::span<const Datum> arguments,
                           std::uint32_t) const override {
    auto locals = locals_;
    if (lambda_.self != Lambda::kNoSelf) locals[lambda_.self] = Datum(shared_from_this());
    locals.insert(locals.end(), arguments.begin(), arguments.end());
    const Captured captured(variables_);
    const auto outer = work.set_text(tree_->text);
    auto result =
        Evaluator(tree_, captured, work, nullptr).visit_with(std::move(locals), lambda_.body);
    work.set_text(outer);
    return result;
  }

private:
  class Captured final : public Variables {
  public:
    explicit Captured(const std::vector<std::optional<Datum>>& values) : values_(values) {}
    [[nodiscard]] std::optional<Datum> get(std::string_view, std::size_t slot) const override {
      return values_[slot];
    }

  private:
    const std::vector<std::optional<Datum>>& values_;
  };

  std::shared_ptr<const Tree> tree_;
  const Lambda& lambda_;
  std::vector<Datum> locals_;
  std::vector<std::optional<Datum>> variables_;
  int depth_ = 1;
};

} // namespace

// --- loops

/// The values of a loop: the items of a list, the members of a range, or a single value.
Datum Evaluator::domain(const Node& node, NodeId id) {
  const auto value = visit(id);
  if (value.is_list()) return value;
  const auto* range = value.range();
  if (!range) {
    return value.is_null() ? warn(node, WarningKind::null_operand, "null has no items.")
                           : Datum(DatumList{value});
  }
  if (tree_.nodes[id].kind == NodeKind::span) return sequence(node, range->low, range->high, true);
  const auto items = sequence(node, range->low, range->high, false);
  if (items.is_null() || (range->has_low_end && range->has_high_end)) return items;
  DatumList inner;
  const auto end = items.size() - (range->has_high_end ? 0 : 1);
  for (std::size_t i = range->has_low_end ? 0 : 1; i < end; ++i)
    inner.push_back(items.item(i));
  return Datum(std::move(inner));
}

/// Whole numbers or days from `low` to `high`.
Datum Evaluator::sequence(const Node& node, const Datum& low, const Datum& high, bool downwards) {
  const auto whole = [](const Datum& end) -> std::optional<std::int64_t> {
    if (end.date()) return end.date()->days();
    return end.number() ? end.number()->as_int64() : std::nullopt;
  };
  const auto first = whole(low);
  const auto last = whole(high);
  const bool are_dates = low.date() && high.date();
  if (!first || !last || (low.date() != nullptr) != (high.date() != nullptr)) {
    return warn(node, WarningKind::type_mismatch,
                "A loop needs a list or a range of whole numbers or dates.");
  }
  if (*first > *last && !downwards) {
    return warn(node, WarningKind::out_of_range, "The range ends before it begins.");
  }
  DatumList items;
  const std::int64_t step = *first <= *last ? 1 : -1;
  for (auto i = *first; work_.spend(1, node.offset); i += step) {
    items.push_back(are_dates ? Datum(*Date::from_days(i)) : Datum(Decimal(i)));
    if (i == *last) break;
  }
  return Datum(std::move(items));
}

/// Calls `body` for every combination of the domains, the last one fastest, until it returns false.
/// False when that happened or when there is no domain.
bool Evaluator::for_each(const Node& node, std::size_t iterator, const Body& body) {
  if (iterator + 1 == node.edge_count) return body(operand(node, iterator));
  const auto items = domain(node, edge(node, iterator).node);
  bool go_on = !items.is_null();
  for (std::size_t i = 0; i < items.size() && go_on && work_.spend(1, node.offset); ++i) {
    locals_.push_back(items.item(i));
    go_on = for_each(node, iterator + 1, body);
    locals_.pop_back();
  }
  return go_on;
}

Datum Evaluator::loop(const Node& node) {
  DatumList results;
  const auto partial = locals_.size();
  locals_.emplace_back(DatumList());
  const bool has_domains = for_each(node, 0, [&](Datum result) {
    results.push_back(std::move(result));
    if (node.index == 1 && work_.spend(results.size() / 4, node.offset)) {
      locals_[partial] = bounded(node, Datum(DatumList(results)));
    }
    return true;
  });
  locals_.resize(partial);
  return has_domains ? Datum(std::move(results)) : Datum();
}

/// `decisive` settles it: true for some, false for every.
Datum Evaluator::quantified(const Node& node, bool decisive) {
  bool is_settled = false;
  bool is_known = true;
  const bool is_complete = for_each(node, 0, [&](const Datum& result) {
    is_settled = result.boolean() == decisive;
    if (!result.boolean()) {
      is_known = false;
      if (!result.is_null()) mismatch(node, decisive ? "some" : "every", result);
    }
    return !is_settled;
  });
  if (is_settled) return decisive;
  return is_known && is_complete ? Datum(!decisive) : Datum();
}

// --- functions

Datum Evaluator::lambda(const Node& node) {
  const auto& lambda = tree_.lambdas[node.index];
  std::vector<std::optional<Datum>> variables;
  for (std::size_t i = 0; i < tree_.variables.size(); ++i)
    variables.push_back(variables_.get(tree_.variables[i], i));
  std::vector<Datum> locals(locals_.begin(),
                            locals_.begin() + static_cast<std::ptrdiff_t>(lambda.locals));
  work_.spend(variables.size() + locals.size(), node.offset);
  return Datum(std::make_shared<const LambdaFunction>(shared_tree_, node.index, std::move(locals),
                                                      std::move(variables)));
}

Datum Evaluator::call(const Node& node) {
  // Most calls have few arguments: no allocation for them.
  std::array<Datum, 4> few;
  DatumList many;
  if (node.edge_count > few.size()) many.resize(node.edge_count);
  const auto arguments =
      node.edge_count > few.size() ? std::span(many) : std::span(few).first(node.edge_count);
  for (std::size_t i = 0; i < node.edge_count; ++i)
    arguments[i] = operand(node, i);
  if (work_.failed()) return nullptr;
  return run_function(work_, *tree_.functions[node.index], arguments, node.offset);
}

Datum Evaluator::invocation(const Node& node) {
  const auto& how = tree_.invocations[node.index];
  auto callee = operand(node, 0);
  DatumList arguments;
  for (std::size_t i = 1; i < node.edge_count; ++i)
    arguments.push_back(operand(node, i));
  if (work_.failed()) return nullptr;
  if (!callee.is_function() && how.fallback) {
    callee = Datum(std::make_shared<const BuiltIn>(*how.fallback));
  }
  const auto function = callee.function();
  if (!function) {
    return warn(node, callee.is_null() ? WarningKind::null_operand : WarningKind::type_mismatch,
                callee.described() + " cannot be called; it is no function.");
  }
  if (how.names.empty()) return invoke(work_, *function, arguments, node.offset);
  auto ordered = in_order(node, *function, how.names, std::move(arguments));
  return ordered ? invoke(work_, *function, *ordered, node.offset) : Datum();
}

/// Named arguments in the order of the parameters; those left out are null.
std::optional<DatumList> Evaluator::in_order(const Node& node, const Callable& function,
                                             std::span<const std::string> names,
                                             DatumList arguments) {
  auto parameters = function.parameters();
  DatumList ordered(parameters.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = std::ranges::find(parameters, names[i], [](const Parameter& parameter) {
      return normalised(parameter.name);
    });
    if (found == parameters.end()) {
      warn(node, WarningKind::invalid_argument,
           "The function has no parameter \"" + names[i] + "\".");
      return std::nullopt;
    }
    ordered[static_cast<std::size_t>(found - parameters.begin())] = std::move(arguments[i]);
  }
  return ordered;
}

} // namespace perdure::expr
