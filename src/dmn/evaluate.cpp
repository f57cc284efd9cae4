#include "dmn/evaluate.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "definition/report.h"
#include "dmn/compiled.h"
#include "dmn/evaluator.h"
#include "dmn/input_text.h"

namespace perdure::dmn {

namespace {

using definition::in_quotes;
using expr::Datum;
using expr::WarningKind;

constexpr int kMaxValueDepth = 60;
constexpr std::size_t kMaxNamed = 20;

/// What is known of each element within one walk through the requirements: that of the request, or
/// that of a call of a service.
using Known = std::vector<std::optional<Datum>>;

class Run {
public:
  Run(const Compiled& compiled, std::span<const Input> inputs, const Options& options)
      : compiled_(compiled),
        options_(options),
        work_(options.limits, options.now),
        evaluator_(compiled, work_),
        trace_steps_(options.limits.steps) {
    for (const auto& input : inputs) {
      if (compiled.input_names.contains(input.name)) continue;
      evaluator_.add_free_variable(input.name, input.value);
    }
    functions_.resize(compiled.nodes.size());
  }

  Outcome decide(ElementIndex decision, std::span<const Input> inputs) {
    Known known(compiled_.nodes.size());
    for (std::size_t i = 0; i < known.size(); ++i) {
      const auto& node = compiled_.nodes[i];
      if (node.kind != ElementKind::input_data) continue;
      if (const auto* input = find_input(node, inputs)) known[i] = accept(node, i, *input);
    }
    return finish(value_of(decision, known));
  }

  Outcome serve(ElementIndex service, std::span<const Input> inputs) {
    const auto& node = node_at(service);
    std::vector<Datum> arguments;
    for (const auto index : node.inputs) {
      const auto* input = find_input(node_at(index), inputs);
      arguments.push_back(input ? accept(node_at(index), static_cast<std::size_t>(index), *input)
                                : Datum());
    }
    return finish(call_service(service, arguments));
  }

  Datum call_service(ElementIndex service, std::span<const Datum> arguments);
  Datum call_knowledge(ElementIndex knowledge, std::span<const Datum> arguments);

  [[nodiscard]] const Node& node_at(ElementIndex index) const {
    return compiled_.nodes[static_cast<std::size_t>(index)];
  }

private:
  const Input* find_input(const Node& node, std::span<const Input> inputs) const {
    const Input* found = nullptr;
    for (const auto& input : inputs) {
      if (input.name != node.name) continue;
      const auto& own = compiled_.namespaces[static_cast<std::size_t>(node.document)];
      if (input.model_namespace == own) return &input;
      if (input.model_namespace.empty()) found = &input;
    }
    return found;
  }

  /// The input as the type that the model demands.
  Datum accept(const Node& node, std::size_t index, const Input& input) {
    taken_.insert(input.name);
    auto value = read_texts(input.value, node.type);
    return evaluator_.as_type(std::move(value), node.type,
                              origin_of(static_cast<ElementIndex>(index)),
                              "The input " + in_quotes(node.name));
  }

  const Origin& origin_of(ElementIndex index) {
    const auto& node = node_at(index);
    return origins_.emplace_back(Origin{index, node.id, node.place});
  }

  Datum value_of(ElementIndex wanted, Known& known);
  Datum evaluate_decision(ElementIndex index, Known& known);
  Datum value_for_frame(ElementIndex index, const Known& known);
  void bind(const Node& node, Frame& frame, const Known& known);
  void record(const Node& node, const Known& known, const Datum& value);
  /// The value as data that can be kept; null when it is none, or when `steps` are used up.
  Value plain(const Datum& datum, std::size_t& steps) const;
  Outcome finish(Datum value);

  const Compiled& compiled_;
  const Options& options_;
  expr::Work work_;
  std::deque<Origin> origins_; ///< of elements themselves
  Evaluator evaluator_;
  std::vector<std::optional<Datum>> functions_; ///< of knowledge models and services, once made
  std::vector<Step> trace_;
  std::set<std::string, std::less<>> taken_; ///< names of the inputs that count
  std::size_t trace_steps_;                  ///< what copying values into the trace may still cost
};

/// A knowledge model or a service as a function value.
class Invocable final : public expr::Callable {
public:
  Invocable(ElementIndex index, Run& run) : index_(index), run_(run) {}

  [[nodiscard]] std::span<const expr::Parameter> parameters() const override {
    const auto& node = run_.node_at(index_);
    return node.kind == ElementKind::service ? node.parameters : node.function.parameters;
  }
  [[nodiscard]] expr::TypeRef result() const override { return run_.node_at(index_).type; }
  [[nodiscard]] Datum call(expr::Work& work, std::span<const Datum> arguments,
                           std::uint32_t offset) const override {
    const auto& node = run_.node_at(index_);
    if (!work.enter(offset) || !work.spend(1 + arguments.size(), offset)) {
      work.leave();
      return nullptr;
    }
    auto value = node.kind == ElementKind::service ? run_.call_service(index_, arguments)
                                                   : run_.call_knowledge(index_, arguments);
    work.leave();
    return value;
  }

private:
  ElementIndex index_;
  Run& run_;
};

Datum Run::value_for_frame(ElementIndex index, const Known& known) {
  const auto position = static_cast<std::size_t>(index);
  const auto kind = node_at(index).kind;
  if (kind == ElementKind::input_data || kind == ElementKind::decision) {
    return known[position].value_or(Datum());
  }
  auto& function = functions_[position];
  if (!function) function = Datum(std::make_shared<const Invocable>(index, *this));
  return *function;
}

void Run::bind(const Node& node, Frame& frame, const Known& known) {
  for (const auto& binding : node.bindings) {
    auto& value = frame[static_cast<std::size_t>(binding.slot)];
    if (binding.members.empty()) {
      value = value_for_frame(binding.element, known);
      if (!binding.output.empty()) value = value.entry(binding.output).value_or(Datum());
      continue;
    }
    expr::DatumEntries entries;
    for (const auto& [name, element] : binding.members)
      entries.emplace_back(name, value_for_frame(element, known));
    value = Datum(std::move(entries));
  }
}

Datum Run::call_knowledge(ElementIndex knowledge, std::span<const Datum> arguments) {
  const auto& node = node_at(knowledge);
  if (!node.refusal.empty()) {
    evaluator_.warn(origin_of(knowledge), WarningKind::invalid_argument, node.refusal);
    return nullptr;
  }
  if (!work_.spend(1 + static_cast<std::size_t>(node.frame_size), 0)) return nullptr;
  Frame frame(static_cast<std::size_t>(node.frame_size));
  bind(node, frame, {});
  frame[static_cast<std::size_t>(node.self)] = value_for_frame(knowledge, {});
  for (std::size_t i = 0; i < arguments.size(); ++i)
    frame[static_cast<std::size_t>(node.function.slots[i])] = arguments[i];
  return evaluator_.run_body(node.function, frame);
}

Datum Run::call_service(ElementIndex service, std::span<const Datum> arguments) {
  const auto& node = node_at(service);
  if (!work_.spend(1 + compiled_.nodes.size(), 0)) return nullptr;
  Known known(compiled_.nodes.size());
  for (std::size_t i = 0; i < arguments.size(); ++i)
    known[static_cast<std::size_t>(node.inputs[i])] = arguments[i];
  Datum result;
  if (node.outputs.size() == 1) {
    result = value_of(node.outputs.front(), known);
  } else {
    expr::DatumEntries entries;
    for (const auto output : node.outputs)
      entries.emplace_back(node_at(output).name, value_of(output, known));
    result = Datum(std::move(entries));
  }
  return evaluator_.as_type(std::move(result), node.type, origin_of(service),
                            "The result of the service " + in_quotes(node.name));
}

/// A walk with its own stack: requirements may be deeper than the program's stack.
Datum Run::value_of(ElementIndex wanted, Known& known) {
  std::vector<std::pair<ElementIndex, std::size_t>> path{{wanted, 0}};
  while (!path.empty() && !work_.failed()) {
    auto& [index, next] = path.back();
    const auto& node = node_at(index);
    auto& value = known[static_cast<std::size_t>(index)];
    if (!value && node.refusal.empty() && next < node.decisions.size()) {
      path.emplace_back(node.decisions[next++], 0);
      continue;
    }
    if (!value) value = evaluate_decision(index, known);
    path.pop_back();
  }
  return known[static_cast<std::size_t>(wanted)].value_or(Datum());
}

Datum Run::evaluate_decision(ElementIndex index, Known& known) {
  const auto& node = node_at(index);
  const auto& origin = origin_of(index);
  const Evaluator::At here(evaluator_, origin);
  if (!node.refusal.empty() || !node.body) {
    evaluator_.warn(origin, WarningKind::rule_violated,
                    node.refusal.empty()
                        ? "The decision " + in_quotes(node.name) +
                              " has no logic: give it some, or its value from outside."
                        : node.refusal);
    return nullptr;
  }
  if (!work_.spend(1 + static_cast<std::size_t>(node.frame_size), 0)) return nullptr;
  Frame frame(static_cast<std::size_t>(node.frame_size));
  bind(node, frame, known);
  auto outer = evaluator_.take_matches();
  auto value = evaluator_.evaluate(*node.body, frame);
  value = evaluator_.as_type(std::move(value), node.type, origin,
                             "The value of the decision " + in_quotes(node.name));
  if (options_.with_trace) record(node, known, value);
  evaluator_.set_matches(std::move(outer));
  return value;
}

void Run::record(const Node& node, const Known& known, const Datum& value) {
  Step step{.id = node.id,
            .name = node.name,
            .inputs = {},
            .output = plain(value, trace_steps_),
            .rules = {}};
  const auto add = [&](ElementIndex index, const std::string& name) {
    const auto& required = node_at(index);
    if (required.kind == ElementKind::input_data || required.kind == ElementKind::decision) {
      const auto& input = known[static_cast<std::size_t>(index)];
      step.inputs.append(name, input ? plain(*input, trace_steps_) : Value());
    }
  };
  for (const auto& binding : node.bindings) {
    if (binding.members.empty() && binding.output.empty()) add(binding.element, binding.name);
    for (const auto& [name, element] : binding.members)
      add(element, binding.name + "." + name);
  }
  step.rules = evaluator_.take_matches();
  trace_.push_back(std::move(step));
}

Value Run::plain(const Datum& datum, std::size_t& steps) const {
  expr::Work work(expr::Limits{.steps = steps, .depth = options_.limits.depth});
  auto value = expr::value_of(work, 0, datum, kMaxValueDepth);
  steps = work.steps_left();
  return work.failed() ? Value() : value;
}

Outcome Run::finish(Datum value) {
  Outcome outcome;
  outcome.warnings = evaluator_.located_warnings();
  outcome.trace = std::move(trace_);
  taken_.merge(evaluator_.take_free_names());
  outcome.taken.assign(taken_.begin(), taken_.end());
  if (work_.failed()) {
    Warning bare;
    bare.warning = work_.failure();
    const auto* origin = evaluator_.failure_origin();
    outcome.failure = origin ? evaluator_.located(*origin, work_.failure()) : std::move(bare);
    return outcome;
  }
  auto steps = options_.limits.steps;
  outcome.value = plain(value, steps);
  outcome.datum = std::move(value);
  return outcome;
}

std::optional<ElementIndex> find_element(const Compiled& compiled, ElementKind kind,
                                         std::string_view what, bool only_by_id) {
  std::optional<ElementIndex> by_id;
  for (std::size_t i = 0; i < compiled.nodes.size(); ++i) {
    const auto& node = compiled.nodes[i];
    if (node.kind != kind || node.document != 0) continue;
    if (node.name == what && !only_by_id) return static_cast<ElementIndex>(i);
    if (key_of(node) == what && !by_id) by_id = static_cast<ElementIndex>(i);
  }
  return by_id;
}

std::string unknown(const Model& model, std::string_view what) {
  std::string names;
  std::size_t count = 0;
  for (const auto& entries : {model.decisions(), model.services()}) {
    for (const auto& entry : entries) {
      if (++count > kMaxNamed) continue;
      names += (names.empty() ? "" : ", ") + in_quotes(entry.name);
    }
  }
  if (count > kMaxNamed) names += " and " + std::to_string(count - kMaxNamed) + " more";
  return "The model has no decision " + in_quotes(what) +
         (names.empty() ? "; it has none at all." : "; it has " + names + ".");
}

} // namespace

std::expected<Outcome, std::string> evaluate(const Model& model, std::string_view what,
                                             std::span<const Input> inputs,
                                             const Options& options) {
  const auto& compiled = model.compiled();
  Run run(compiled, inputs, options);
  if (const auto decision = find_element(compiled, ElementKind::decision, what, options.by_id)) {
    return run.decide(*decision, inputs);
  }
  if (const auto service = find_element(compiled, ElementKind::service, what, options.by_id)) {
    return run.serve(*service, inputs);
  }
  return std::unexpected(unknown(model, what));
}

std::vector<Input> inputs_of(const Object& variables) {
  std::vector<Input> inputs;
  for (const auto& [name, value] : variables)
    inputs.push_back({name, {}, Datum::of(value)});
  return inputs;
}

} // namespace perdure::dmn
