#include "bench/decisions.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "bench/backend.h"
#include "bench/cpu.h"
#include "dmn/evaluate.h"
#include "dmn/read.h"
#include "expr/expression.h"

namespace perdure::bench {

namespace {

constexpr double kCpuSeconds = 2;
constexpr int kTableRules = 500;

struct Condition {
  std::string text;
  Object context;
  Value value;
  expr::Expression compiled;
};

/// Calls of `once` per second of CPU time; `once` does `calls` of them.
template <class Once>
double rate(double calls, Once once) {
  double done = 0;
  const auto began = own_cpu_seconds();
  double spent = 0;
  do {
    for (int i = 0; i < 20; ++i)
      once();
    done += 20 * calls;
    spent = own_cpu_seconds() - began;
  } while (spent < kCpuSeconds);
  return done / spent;
}

expr::Expression compiled(const std::string& text) {
  auto expression = expr::compile(text, expr::Dialect::feel);
  if (!expression) give_up(text + ": " + expression.error().message);
  return *std::move(expression);
}

Value value_of(const Condition& condition) {
  auto result = expr::evaluate(condition.compiled, expr::ObjectScope(condition.context));
  if (!result) give_up(condition.text + ": " + result.error().reason);
  return std::move(result->value);
}

template <class T>
const T* member(const Value& object, std::string_view name) {
  const auto* found = object.find(name);
  return found ? found->as<T>() : nullptr;
}

/// Speed counts only for right answers.
std::vector<Condition> read_conditions(const std::filesystem::path& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto json = json::parse(text);
  const auto* items = json ? json->as<Array>() : nullptr;
  if (items == nullptr) give_up(path.string() + " is no JSON list of conditions");
  std::vector<Condition> conditions;
  for (const auto& item : *items) {
    const auto* text_of = member<std::string>(item, "expression");
    const auto* context = member<Object>(item, "context");
    const auto* value = item.find("value");
    if (!text_of || !context || !value) give_up(path.string() + ": an entry is not whole");
    Condition condition{.text = *text_of, .context = *context, .value = *value, .compiled = {}};
    condition.compiled = compiled(condition.text);
    if (json::write(value_of(condition)) != json::write(condition.value))
      give_up(condition.text + " gives " + json::write(value_of(condition)));
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

struct Rates {
  double parse = 0;
  double eval = 0;
};

/// nullopt when it is not installed.
std::optional<Rates> peer_rates(const std::filesystem::path& conditions,
                                const std::filesystem::path& peer) {
  if (!std::filesystem::exists(peer / "node_modules" / "feelin")) return std::nullopt;
  const auto command = "node '" + (peer / "feelin.mjs").string() + "' '" + conditions.string() +
                       "' " + std::to_string(kCpuSeconds);
  auto* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) give_up("cannot run node");
  Rates rates;
  const bool is_read = std::fscanf(pipe, "%lf %lf", &rates.parse, &rates.eval) == 2;
  if (::pclose(pipe) != 0 || !is_read) give_up("feelin.mjs failed");
  return rates;
}

void expressions(Figures& figures, const std::filesystem::path& file,
                 const std::filesystem::path& peer) {
  const auto conditions = read_conditions(file);
  const auto count = static_cast<double>(conditions.size());
  const auto parse = rate(count, [&] {
    for (const auto& condition : conditions)
      (void)compiled(condition.text);
  });
  const auto eval = rate(count, [&] {
    for (const auto& condition : conditions)
      (void)value_of(condition);
  });
  const auto both = rate(count, [&] {
    for (const auto& condition : conditions)
      (void)expr::evaluate(compiled(condition.text), expr::ObjectScope(condition.context));
  });
  figures.add("feel_parse_per_s", parse, "ten typical conditions, per second of CPU time");
  figures.add("feel_eval_per_s", eval, "the same, compiled before");
  figures.add("feel_parse_and_eval_per_s", both);
  const auto others = peer_rates(file, peer);
  if (!others) {
    std::cout << "feelin is not installed beside: no ratio\n";
    return;
  }
  figures.add("feelin_parse_per_s", others->parse);
  figures.add("feelin_eval_per_s", others->eval, "it keeps nothing compiled: it parses each time");
  figures.add("feel_vs_feelin_ratio", eval / others->eval, "aim: 20");
  figures.add("feel_parse_and_eval_vs_feelin_ratio", both / others->eval, "when ours parses too");
}

/// Rules for amounts of ten each, and for two of four countries.
std::string table() {
  std::string text = R"(<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/"
    id="bench" name="bench" namespace="bench">
  <inputData id="a" name="amount"><variable name="amount" typeRef="number"/></inputData>
  <inputData id="c" name="country"><variable name="country" typeRef="string"/></inputData>
  <decision id="fee" name="fee"><variable name="fee" typeRef="number"/>
    <informationRequirement id="ra"><requiredInput href="#a"/></informationRequirement>
    <informationRequirement id="rc"><requiredInput href="#c"/></informationRequirement>
    <decisionTable hitPolicy="FIRST">
      <input id="i1"><inputExpression><text>amount</text></inputExpression></input>
      <input id="i2"><inputExpression><text>country</text></inputExpression></input>
      <output id="o1" typeRef="number"/>
)";
  for (int i = 0; i < kTableRules; ++i) {
    const auto low = std::to_string(i / 2 * 10);
    const auto high = std::to_string(i / 2 * 10 + 10);
    text += "<rule id=\"r" + std::to_string(i) + "\"><inputEntry><text>[" + low + ".." + high +
            ")</text></inputEntry><inputEntry><text>" +
            (i % 2 == 0 ? "\"DE\", \"AT\"" : "\"FR\", \"IT\"") +
            "</text></inputEntry><outputEntry><text>" + std::to_string(i) +
            "</text></outputEntry></rule>\n";
  }
  return text + "</decisionTable></decision></definitions>";
}

void decision_table(Figures& figures) {
  const auto document = table();
  const dmn::Source source{.file = "bench.dmn", .document = document};
  const auto reading = dmn::read({&source, 1});
  if (!reading.is_sound()) give_up("the decision table is refused");
  std::vector<Object> cases;
  for (int i = 0; i < kTableRules; i += 7) { // spread over all rules
    cases.push_back({{"amount", i / 2 * 10 + 3}, {"country", i % 2 == 0 ? "AT" : "IT"}});
  }
  const dmn::Options options{.limits = {}, .now = {}, .with_trace = false};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto outcome = dmn::evaluate(*reading.model, "fee", dmn::inputs_of(cases[i]), options);
    if (!outcome || json::write(outcome->value) != std::to_string(i * 7))
      give_up("the decision table gives a wrong value");
  }
  const auto per_s = rate(static_cast<double>(cases.size()), [&] {
    for (const auto& variables : cases)
      (void)dmn::evaluate(*reading.model, "fee", dmn::inputs_of(variables), options);
  });
  figures.add("dmn_table_500_eval_per_s", per_s, "500 rules, two inputs, per second of CPU time");
}

} // namespace

void decisions_load(Figures& figures, const std::filesystem::path& conditions,
                    const std::filesystem::path& peer) {
  expressions(figures, conditions, peer);
  decision_table(figures);
}

} // namespace perdure::bench
