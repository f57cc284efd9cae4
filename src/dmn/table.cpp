#include "dmn/table.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "definition/report.h"
#include "expr/operators.h"

namespace perdure::dmn {

namespace {

using definition::in_quotes;
using expr::Datum;
using expr::DatumEntries;
using expr::DatumList;
using expr::WarningKind;

/// A rule that matched: the values of its outputs, one for each.
using Row = std::vector<Datum>;

enum class Verdict : std::uint8_t { no, yes, unclear };

/// Compares texts with texts and numbers with numbers; anything else needs FEEL's own rules.
Verdict compare(const Datum& input, const std::vector<Datum>& constants, expr::Work& work) {
  const auto text = input.text();
  const auto* number = input.number();
  if (!text && !number) return Verdict::unclear;
  auto verdict = constants.empty() ? Verdict::unclear : Verdict::no;
  for (const auto& constant : constants) {
    bool is_equal = false;
    if (const auto* range = constant.range()) {
      if (!number) return Verdict::unclear;
      is_equal = expr::lies_in(work, 0, input, *range).is_true();
    } else if (const auto* wanted = constant.number()) {
      if (!number) return Verdict::unclear;
      is_equal = *wanted == *number;
    } else {
      if (!text) return Verdict::unclear;
      is_equal = *constant.text() == *text;
    }
    if (is_equal) verdict = Verdict::yes;
  }
  return verdict;
}

class TableRun {
public:
  TableRun(Evaluator& evaluator, const Table& table, const Origin& origin, const Frame& frame)
      : evaluator_(evaluator), table_(table), origin_(origin), frame_(frame) {}

  Datum run() {
    if (!read_inputs()) return nullptr;
    find_matches();
    if (evaluator_.work().failed()) return nullptr;
    if (matches_.empty()) return without_match();
    for (const auto match : matches_) {
      const auto& rule = table_.rules[match];
      evaluator_.add_match({static_cast<int>(match) + 1, rule.id});
    }
    return with_policy();
  }

private:
  /// False when an input has a value that it must not have.
  bool read_inputs() {
    for (const auto& input : table_.inputs) {
      auto value = evaluator_.run(input.expression, frame_);
      value = evaluator_.as_type(std::move(value), input.type, input.expression.origin,
                                 "The table's input");
      if (input.allowed && !value.is_null() &&
          !evaluator_.run(*input.allowed, frame_, &value).is_true()) {
        evaluator_.warn(input.allowed->origin, WarningKind::rule_violated,
                        "The input " + in_quotes(input.expression.expression.text()) +
                            " is none of its allowed values, so the table gives null.");
        return false;
      }
      inputs_.push_back(std::move(value));
    }
    return true;
  }

  bool matches(const TableRule& rule) {
    for (std::size_t i = 0; i < rule.tests.size(); ++i) {
      const auto& test = rule.tests[i];
      if (!test) continue;
      const auto verdict = compare(inputs_[i], test->constants, evaluator_.work());
      if (verdict == Verdict::no) return false;
      if (verdict == Verdict::yes) continue;
      if (!evaluator_.run(test->feel, frame_, &inputs_[i]).is_true()) return false;
    }
    return true;
  }

  void find_matches() {
    for (std::size_t i = 0; i < table_.rules.size() && !evaluator_.work().failed(); ++i) {
      if (!evaluator_.work().spend(1, 0) || !matches(table_.rules[i])) continue;
      matches_.push_back(i);
      if (table_.policy == HitPolicy::first) return;
    }
  }

  Datum output(const TableOutput& output, const Feel& feel) {
    auto value = evaluator_.run(feel, frame_);
    value = evaluator_.as_type(std::move(value), output.type, feel.origin, "The table's output");
    if (output.allowed && !value.is_null() &&
        !evaluator_.run(*output.allowed, frame_, &value).is_true()) {
      evaluator_.warn(feel.origin, WarningKind::rule_violated,
                      "The output is none of the allowed output values, so it counts as null.");
      return nullptr;
    }
    return value;
  }

  Row row_of(const TableRule& rule) {
    Row row;
    for (std::size_t i = 0; i < table_.outputs.size(); ++i)
      row.push_back(output(table_.outputs[i], rule.results[i]));
    return row;
  }

  /// The only output's value, or a context of all.
  Datum value_of(Row row) const {
    if (row.size() == 1) return std::move(row.front());
    DatumEntries entries;
    for (std::size_t i = 0; i < row.size(); ++i)
      entries.emplace_back(table_.outputs[i].name, std::move(row[i]));
    return Datum(std::move(entries));
  }

  Datum without_match() {
    const bool has_default = std::ranges::any_of(
        table_.outputs, [](const TableOutput& output) { return output.by_default.has_value(); });
    if (has_default) {
      Row row;
      for (const auto& out : table_.outputs)
        row.push_back(out.by_default ? output(out, *out.by_default) : Datum());
      return value_of(std::move(row));
    }
    if (table_.aggregator == Aggregator::count) return expr::Decimal(0);
    return nullptr;
  }

  Datum with_policy() {
    switch (table_.policy) {
      case HitPolicy::unique: return unique();
      case HitPolicy::any: return any();
      case HitPolicy::first: return value_of(row_of(table_.rules[matches_.front()]));
      case HitPolicy::priority: return value_of(by_priority().front());
      case HitPolicy::output_order: return list_of(by_priority());
      case HitPolicy::rule_order: return list_of(rows());
      case HitPolicy::collect: return collected();
    }
    return nullptr;
  }

  std::vector<Row> rows() {
    std::vector<Row> all;
    for (const auto match : matches_)
      all.push_back(row_of(table_.rules[match]));
    return all;
  }

  Datum list_of(std::vector<Row> all) const {
    DatumList items;
    for (auto& row : all)
      items.push_back(value_of(std::move(row)));
    return Datum(std::move(items));
  }

  Datum unique() {
    if (matches_.size() > 1) {
      evaluator_.warn(origin_, WarningKind::rule_violated,
                      "The rules " + std::to_string(matches_[0] + 1) + " and " +
                          std::to_string(matches_[1] + 1) +
                          " both match where the hit policy UNIQUE allows one: make them "
                          "exclude each other.");
      return nullptr;
    }
    return value_of(row_of(table_.rules[matches_.front()]));
  }

  Datum any() {
    auto all = rows();
    for (std::size_t i = 1; i < all.size(); ++i) {
      for (std::size_t column = 0; column < all[i].size(); ++column) {
        const auto equal = expr::are_equal(evaluator_.work(), 0, all[0][column], all[i][column]);
        const bool both_null = all[0][column].is_null() && all[i][column].is_null();
        if (both_null || equal.value_or(false)) continue;
        evaluator_.warn(origin_, WarningKind::rule_violated,
                        "The rules " + std::to_string(matches_[0] + 1) + " and " +
                            std::to_string(matches_[i] + 1) +
                            " both match with different outputs, which the hit policy ANY does "
                            "not allow: make the outputs equal.");
        return nullptr;
      }
    }
    return value_of(std::move(all.front()));
  }

  /// Where a value stands in the order of an output; behind all others when it does not.
  std::size_t rank(const Datum& order, const Datum& value) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto item = order.item(i);
      const bool is_it = item.range()
                             ? expr::lies_in(evaluator_.work(), 0, value, *item.range()).is_true()
                             : expr::are_equal(evaluator_.work(), 0, value, item).value_or(false);
      if (is_it) return i;
    }
    return order.size();
  }

  std::vector<Row> by_priority() {
    auto all = rows();
    std::vector<Datum> orders;
    for (const auto& output : table_.outputs) {
      orders.push_back(output.in_order ? evaluator_.run(*output.in_order, frame_) : Datum());
    }
    std::vector<std::pair<std::vector<std::size_t>, std::size_t>> keys;
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto& [ranks, position] = keys.emplace_back();
      position = i;
      for (std::size_t column = 0; column < orders.size(); ++column)
        ranks.push_back(rank(orders[column], all[i][column]));
    }
    std::ranges::sort(keys);
    std::vector<Row> sorted;
    for (const auto& [ranks, position] : keys)
      sorted.push_back(std::move(all[position]));
    return sorted;
  }

  Datum collected() {
    auto all = rows();
    switch (table_.aggregator) {
      case Aggregator::none: return list_of(std::move(all));
      case Aggregator::count: return expr::Decimal(static_cast<std::int64_t>(all.size()));
      case Aggregator::sum: return folded(all, expr::Operation::add);
      case Aggregator::min: return folded(all, expr::Operation::less);
      case Aggregator::max: return folded(all, expr::Operation::greater);
    }
    return nullptr;
  }

  /// Adds up, or keeps the one that compares as `operation` says.
  Datum folded(const std::vector<Row>& all, expr::Operation operation) {
    auto& work = evaluator_.work();
    const Evaluator::At here(evaluator_, origin_);
    auto result = all.front().front();
    for (std::size_t i = 1; i < all.size(); ++i) {
      const auto& next = all[i].front();
      auto combined = expr::operate(work, 0, operation, next, result);
      if (combined.is_null()) return nullptr;
      if (operation == expr::Operation::add) {
        result = expr::operate(work, 0, operation, result, next);
      } else if (combined.is_true()) {
        result = next;
      }
    }
    return result;
  }

  Evaluator& evaluator_;
  const Table& table_;
  const Origin& origin_;
  const Frame& frame_;
  std::vector<Datum> inputs_;
  std::vector<std::size_t> matches_;
};

} // namespace

Datum evaluate_table(Evaluator& evaluator, const Table& table, const Origin& origin,
                     const Frame& frame) {
  return TableRun(evaluator, table, origin, frame).run();
}

} // namespace perdure::dmn
