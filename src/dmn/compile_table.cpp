// Decision tables: inputs, outputs, rules as rows.
#include <algorithm>
#include <array>

#include "dmn/compiler.h"
#include "dmn/text.h"

namespace perdure::dmn {

namespace {

using definition::Code;
using definition::in_quotes;
using xml::Vocabulary;

struct PolicyName {
  std::string_view name;
  HitPolicy policy;
};
constexpr auto kPolicies = std::to_array<PolicyName>({
    {"UNIQUE", HitPolicy::unique},
    {"ANY", HitPolicy::any},
    {"PRIORITY", HitPolicy::priority},
    {"FIRST", HitPolicy::first},
    {"COLLECT", HitPolicy::collect},
    {"RULE ORDER", HitPolicy::rule_order},
    {"OUTPUT ORDER", HitPolicy::output_order},
});

struct AggregatorName {
  std::string_view name;
  Aggregator aggregator;
};
constexpr auto kAggregators = std::to_array<AggregatorName>({
    {"", Aggregator::none},
    {"SUM", Aggregator::sum},
    {"COUNT", Aggregator::count},
    {"MIN", Aggregator::min},
    {"MAX", Aggregator::max},
});

std::string_view text_of(const xml::Element& element) {
  const auto* text = element.child(Vocabulary::dmn, "text");
  return text ? xml::trim(text->text) : std::string_view();
}

/// Whether a value of the table can be compared with it directly.
bool is_simple(const expr::Datum& datum) {
  const auto* range = datum.range();
  if (range == nullptr) return datum.text() || datum.number();
  return range->form != expr::Range::Form::exclusion &&
         (range->low.number() || range->low.is_null()) &&
         (range->high.number() || range->high.is_null());
}

/// The items of a list of constants; none when it is anything else. There is no clock: what asks
/// for the time is null, and no constant.
std::vector<expr::Datum> constants_in(const std::string& list) {
  const auto compiled = expr::compile_feel(list, expr::Names());
  if (!compiled || !compiled->is_constant()) return {};
  expr::Work work;
  const auto value = expr::evaluate(*compiled, expr::SlotVariables({}), work);
  if (work.failed() || !work.warnings().empty()) return {};
  std::vector<expr::Datum> constants;
  for (std::size_t i = 0; i < value.size(); ++i) {
    auto item = value.item(i);
    if (!is_simple(item)) return {};
    // A text of the expression lives no longer than it.
    if (const auto text = item.text()) item = expr::Datum(std::string(*text));
    constants.push_back(std::move(item));
  }
  return constants;
}

std::vector<expr::Datum> constants_of(std::string_view tests) {
  auto constants = constants_in("[" + std::string(tests) + "]");
  if (constants.empty()) constants = constants_in("[(" + std::string(tests) + ")]");
  return constants;
}

} // namespace

void Compiler::read_policy(const xml::Element& element, Table& table) {
  const auto policy = xml::trim(element.get("hitPolicy"));
  if (!policy.empty()) {
    const auto found = std::ranges::find(kPolicies, policy, &PolicyName::name);
    if (found == kPolicies.end()) {
      problem(Code::bad_table, element,
              "There is no hit policy " + in_quotes(policy) + ": take UNIQUE, FIRST or another.");
    } else {
      table.policy = found->policy;
    }
  }
  const auto aggregation = xml::trim(element.get("aggregation"));
  const auto found = std::ranges::find(kAggregators, aggregation, &AggregatorName::name);
  if (found == kAggregators.end()) {
    problem(Code::bad_table, element,
            "There is no aggregation " + in_quotes(aggregation) + ": take SUM, COUNT, MIN or MAX.");
  } else if (table.policy == HitPolicy::collect) {
    table.aggregator = found->aggregator;
  }
}

void Compiler::read_input(const xml::Element& element, Visible& visible, Table& table) {
  TableInput input;
  if (const auto* expression = element.child(Vocabulary::dmn, "inputExpression")) {
    input.type = types_.of(document_, *expression);
    input.expression = feel(*expression, "the table's input", visible);
  } else {
    problem(Code::missing_expression, element,
            "An input of the table has no expression: say what it reads.");
  }
  if (const auto* values = element.child(Vocabulary::dmn, "inputValues")) {
    if (!text_of(*values).empty()) {
      input.allowed = feel(*values, "the input values", visible, FeelKind::unary_tests);
    }
  }
  table.inputs.push_back(std::move(input));
}

void Compiler::read_output(const xml::Element& element, Visible& visible, Table& table) {
  TableOutput output;
  output.name = xml::trim(element.get("name"));
  output.type = types_.of(document_, element);
  const auto* values = element.child(Vocabulary::dmn, "outputValues");
  if (values == nullptr || text_of(*values).empty()) {
    values = types_.allowed_values(document_, xml::trim(element.get("typeRef")));
  } else {
    output.allowed = feel(*values, "the output values", visible, FeelKind::unary_tests);
  }
  const bool by_priority =
      table.policy == HitPolicy::priority || table.policy == HitPolicy::output_order;
  if (values != nullptr && by_priority) {
    const auto source = "[" + std::string(text_of(*values)) + "]";
    auto compiled = expr::compile_feel(source, visible.names());
    if (compiled) {
      output.in_order = placed(std::move(*compiled), *values, visible);
    } else {
      problem(Code::bad_expression, *values,
              bad_expression("the output values", source, compiled.error()));
    }
  }
  if (const auto* entry = element.child(Vocabulary::dmn, "defaultOutputEntry")) {
    if (!text_of(*entry).empty()) {
      output.by_default = feel(*entry, "the default output", visible);
    }
  }
  table.outputs.push_back(std::move(output));
}

void Compiler::read_rule(const xml::Element& element, Visible& visible, Table& table) {
  TableRule rule;
  rule.id = element.get("id");
  for (const auto& child : element.children) {
    if (child.is(Vocabulary::dmn, "inputEntry")) {
      const auto text = text_of(child);
      auto& test = rule.tests.emplace_back();
      if (!text.empty() && text != "-") {
        test = TableTest{feel(child, "the input entry", visible, FeelKind::unary_tests),
                         constants_of(text)};
      }
    } else if (child.is(Vocabulary::dmn, "outputEntry")) {
      // Modelling tools leave an output empty that has no value.
      rule.results.push_back(text_of(child).empty() ? placed({}, child, visible)
                                                    : feel(child, "the output entry", visible));
    }
  }
  if (rule.tests.size() != table.inputs.size() || rule.results.size() != table.outputs.size()) {
    problem(Code::bad_table, element,
            "The rule has " + std::to_string(rule.tests.size()) + " input entries and " +
                std::to_string(rule.results.size()) + " output entries where the table has " +
                std::to_string(table.inputs.size()) + " inputs and " +
                std::to_string(table.outputs.size()) + " outputs: make them equal.");
  }
  table.rules.push_back(std::move(rule));
}

void Compiler::check_table(const xml::Element& element, const Table& table) {
  if (table.outputs.empty()) {
    problem(Code::bad_table, element, "The table has no output: add one.");
  }
  if (table.outputs.size() > 1) {
    for (const auto& output : table.outputs) {
      if (!output.name.empty()) continue;
      problem(Code::missing_name, element,
              "An output of the table has no name: a table with several outputs must name each.");
    }
    if (table.aggregator != Aggregator::none && table.aggregator != Aggregator::count) {
      problem(Code::bad_table, element,
              "An aggregation has no meaning for several outputs: take one output.");
    }
  }
  const bool by_priority =
      table.policy == HitPolicy::priority || table.policy == HitPolicy::output_order;
  const bool has_order = std::ranges::any_of(
      table.outputs, [](const TableOutput& output) { return output.in_order.has_value(); });
  if (by_priority && !has_order) {
    problem(Code::bad_table, element,
            "The hit policy needs the order of the output values: list them in the output.");
  }
}

Boxed Compiler::table(const xml::Element& element, Visible& visible) {
  auto boxed = box(element);
  Table table;
  read_policy(element, table);
  for (const auto& child : element.children) {
    if (child.is(Vocabulary::dmn, "input")) read_input(child, visible, table);
    if (child.is(Vocabulary::dmn, "output")) read_output(child, visible, table);
    if (child.is(Vocabulary::dmn, "rule")) read_rule(child, visible, table);
  }
  check_table(element, table);
  boxed.form = std::move(table);
  return unless_refused(std::move(boxed));
}

} // namespace perdure::dmn
