#include "dmn/compiler.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "dmn/text.h"
#include "expr/names.h"

namespace perdure::dmn {

namespace {

using definition::Code;
using definition::in_quotes;
using xml::Vocabulary;

constexpr auto kExpressions = std::to_array<std::string_view>(
    {"literalExpression", "context", "decisionTable", "relation", "list", "invocation",
     "functionDefinition", "conditional", "filter", "for", "some", "every"});

constexpr std::string_view kPartial = "partial";
constexpr std::string_view kItem = "item";

bool is_boxed(const xml::Element& element) {
  return element.vocabulary == Vocabulary::dmn &&
         std::ranges::find(kExpressions, element.name) != kExpressions.end();
}

std::string_view text_of(const xml::Element& element) {
  const auto* text = element.child(Vocabulary::dmn, "text");
  return text ? xml::trim(text->text) : std::string_view();
}

} // namespace

void Visible::add(std::string_view name, Slot slot) {
  names_.add(name);
  added_.push_back(expr::normalised(name));
  slots_[added_.back()].push_back(slot);
}

Slot Visible::find(std::string_view name) const {
  const auto found = slots_.find(expr::normalised(name));
  return found == slots_.end() ? kNoSlot : found->second.back();
}

void Visible::shrink_to(std::size_t size) {
  for (; added_.size() > size; added_.pop_back()) {
    const auto found = slots_.find(added_.back());
    found->second.pop_back();
    if (!found->second.empty()) continue;
    names_.remove(found->first);
    slots_.erase(found);
  }
}

const xml::Element* Compiler::find_expression(const xml::Element& parent) {
  const auto found = std::ranges::find_if(
      parent.children, [](const xml::Element& child) { return is_boxed(child); });
  return found == parent.children.end() ? nullptr : &*found;
}

std::string_view Compiler::id_of(const xml::Element& element) const {
  const auto own = element.get("id");
  return own.empty() ? nearest_id_ : own;
}

Origin Compiler::origin_of(const xml::Element& element) const {
  return {element_, std::string(id_of(element)), element.place};
}

Boxed Compiler::box(const xml::Element& element) {
  return {.form = Refused{}, .type = types_.of(document_, element), .origin = origin_of(element)};
}

void Compiler::problem(Code code, const xml::Element& element, std::string message) {
  if (problem_.empty()) problem_ = message;
  report_.error(code, element.place, id_of(element), std::move(message));
}

Boxed Compiler::unless_refused(Boxed boxed) {
  if (!problem_.empty()) boxed.form = Refused{std::exchange(problem_, {})};
  return boxed;
}

Boxed Compiler::compile(const xml::Element& element, Visible& visible) {
  const auto outer = std::exchange(nearest_id_, id_of(element));
  const auto compile_form = [&] {
    const std::string_view name = element.name;
    if (name == "literalExpression") return literal(element, visible);
    if (name == "context") return context(element, visible);
    if (name == "decisionTable") return table(element, visible);
    if (name == "relation") return relation(element, visible);
    if (name == "list") return list(element, visible);
    if (name == "invocation") return invocation(element, visible);
    if (name == "functionDefinition") return function(element, visible);
    if (name == "conditional") return conditional(element, visible);
    if (name == "filter") return filter(element, visible);
    if (name == "some") return iteration(element, IterationKind::some, visible);
    if (name == "every") return iteration(element, IterationKind::every, visible);
    return iteration(element, IterationKind::each, visible);
  };
  auto boxed = compile_form();
  nearest_id_ = outer;
  return boxed;
}

Boxed Compiler::compile_inside(const xml::Element& parent, Visible& visible) {
  if (const auto* expression = find_expression(parent)) return compile(*expression, visible);
  problem(Code::missing_expression, parent,
          "The element " + in_quotes(parent.name) + " is empty: put an expression into it.");
  return unless_refused(box(parent));
}

std::unique_ptr<Boxed> Compiler::part(const xml::Element& parent, std::string_view name,
                                      Visible& visible) {
  if (const auto* child = parent.child(Vocabulary::dmn, name)) {
    return std::make_unique<Boxed>(compile_inside(*child, visible));
  }
  problem(Code::missing_expression, parent,
          "The element " + in_quotes(parent.name) + " has no " + in_quotes(name) + ": add it.");
  return std::make_unique<Boxed>(unless_refused(box(parent)));
}

bool Compiler::speaks_feel(const xml::Element& element) {
  const auto language = xml::trim(element.get("expressionLanguage"));
  const bool is_feel = language.empty() || language == "feel" || language == "FEEL" ||
                       language.find("/FEEL") != std::string_view::npos;
  if (!is_feel) {
    problem(Code::unsupported_language, element,
            "The language " + in_quotes(language) + " is not supported: write it in FEEL.");
  }
  return is_feel;
}

Feel Compiler::placed(expr::Expression expression, const xml::Element& element,
                      const Visible& visible) const {
  Feel feel{.expression = std::move(expression), .slots = {}, .origin = origin_of(element)};
  for (const auto& name : feel.expression.variables())
    feel.slots.push_back(visible.find(name));
  return feel;
}

Feel Compiler::feel(const xml::Element& element, std::string_view what, Visible& visible,
                    FeelKind kind) {
  const auto* text = element.child(Vocabulary::dmn, "text");
  const auto source = text_of(element);
  if (!speaks_feel(element)) return placed({}, element, visible);
  if (source.empty()) {
    problem(Code::missing_expression, element,
            "The element " + in_quotes(element.name) + " has no text: write an expression.");
    return placed({}, element, visible);
  }
  auto compiled = kind == FeelKind::expression ? expr::compile_feel(source, visible.names())
                                               : expr::compile_unary_tests(source, visible.names());
  if (!compiled) {
    problem(Code::bad_expression, *text, bad_expression(what, source, compiled.error()));
    return placed({}, *text, visible);
  }
  return placed(std::move(*compiled), *text, visible);
}

Boxed Compiler::literal(const xml::Element& element, Visible& visible) {
  auto boxed = box(element);
  if (element.child(Vocabulary::dmn, "importedValues") != nullptr) {
    problem(Code::unsupported_element, element,
            "Imported values are not supported: write the value as an expression.");
  } else {
    boxed.form = feel(element, "the literal expression", visible);
  }
  return unless_refused(std::move(boxed));
}

Boxed Compiler::context(const xml::Element& element, Visible& visible) {
  auto boxed = box(element);
  const Visible::Scope scope(visible);
  BoxedContext context;
  std::unordered_set<std::string_view> names;
  for (const auto& child : element.children) {
    if (!child.is(Vocabulary::dmn, "contextEntry")) continue;
    const auto* variable = child.child(Vocabulary::dmn, "variable");
    auto value = compile_inside(child, visible);
    if (variable == nullptr) {
      context.result = std::make_unique<Boxed>(std::move(value));
      continue;
    }
    const auto name = xml::trim(variable->get("name"));
    if (!names.insert(name).second) {
      problem(Code::duplicate_name, *variable,
              "The context has another entry " + in_quotes(name) + ": give each its own name.");
    }
    if (auto type = types_.of(document_, *variable)) value.type = std::move(type);
    context.names.emplace_back(name);
    context.slots.push_back(new_slot());
    context.values.push_back(std::move(value));
    visible.add(name, context.slots.back());
  }
  boxed.form = std::move(context);
  return unless_refused(std::move(boxed));
}

Boxed Compiler::relation(const xml::Element& element, Visible& visible) {
  auto boxed = box(element);
  BoxedRelation relation;
  for (const auto& child : element.children) {
    if (child.is(Vocabulary::dmn, "column")) {
      relation.columns.emplace_back(xml::trim(child.get("name")));
    } else if (child.is(Vocabulary::dmn, "row")) {
      Boxes row;
      for (const auto& cell : child.children) {
        if (is_boxed(cell)) row.push_back(compile(cell, visible));
      }
      if (row.size() != relation.columns.size()) {
        problem(Code::bad_table, child,
                "A row of the relation has " + std::to_string(row.size()) + " cells for " +
                    std::to_string(relation.columns.size()) + " columns: make them equal.");
      }
      relation.rows.push_back(std::move(row));
    }
  }
  boxed.form = std::move(relation);
  return unless_refused(std::move(boxed));
}

Boxed Compiler::list(const xml::Element& element, Visible& visible) {
  auto boxed = box(element);
  BoxedList list;
  for (const auto& child : element.children) {
    if (is_boxed(child)) {
      list.items.push_back(compile(child, visible));
    }
  }
  boxed.form = std::move(list);
  return boxed;
}

Boxed Compiler::invocation(const xml::Element& element, Visible& visible) {
  auto boxed = box(element);
  BoxedInvocation call;
  call.function = std::make_unique<Boxed>(compile_inside(element, visible));
  for (const auto& child : element.children) {
    if (!child.is(Vocabulary::dmn, "binding")) continue;
    const auto* parameter = child.child(Vocabulary::dmn, "parameter");
    call.names.emplace_back(parameter ? xml::trim(parameter->get("name")) : std::string_view());
    call.arguments.push_back(compile_inside(child, visible));
  }
  boxed.form = std::move(call);
  return boxed;
}

FunctionBody Compiler::compile_function(const xml::Element& definition, Visible& visible) {
  FunctionBody function;
  const Visible::Scope scope(visible);
  for (const auto& child : definition.children) {
    if (!child.is(Vocabulary::dmn, "formalParameter")) continue;
    const auto name = std::string(xml::trim(child.get("name")));
    function.parameters.push_back({name, types_.of(document_, child)});
    function.slots.push_back(new_slot());
    visible.add(name, function.slots.back());
  }
  const auto kind = xml::trim(definition.get("kind"));
  if (kind.empty() || kind == "FEEL") {
    function.body = std::make_unique<Boxed>(compile_inside(definition, visible));
  } else {
    problem(Code::unsupported_function, definition,
            "Functions of kind " + in_quotes(kind) +
                " cannot be called, only FEEL can: write the function in FEEL.");
    function.body = std::make_unique<Boxed>(unless_refused(box(definition)));
  }
  return function;
}

Boxed Compiler::function(const xml::Element& element, Visible& visible) {
  auto boxed = box(element);
  auto body = compile_function(element, visible);
  // What the element says about its type may be the function's or that of what it gives.
  if (boxed.type && boxed.type->kind != expr::TypeKind::function) {
    body.result = std::exchange(boxed.type, nullptr);
  }
  boxed.form = BoxedFunction{std::make_shared<const FunctionBody>(std::move(body))};
  return boxed;
}

Boxed Compiler::conditional(const xml::Element& element, Visible& visible) {
  auto boxed = box(element);
  boxed.form = BoxedConditional{.condition = part(element, "if", visible),
                                .then = part(element, "then", visible),
                                .otherwise = part(element, "else", visible)};
  return boxed;
}

Boxed Compiler::filter(const xml::Element& element, Visible& visible) {
  auto boxed = box(element);
  BoxedFilter filter;
  filter.list = part(element, "in", visible);
  filter.item = new_slot();
  {
    const Visible::Scope scope(visible);
    const Visible::Opened opened(visible);
    visible.add(kItem, filter.item);
    filter.match = part(element, "match", visible);
  }
  // Entries of the item are names of their own; which it has is known only when it is there.
  if (auto* feel = std::get_if<Feel>(&filter.match->form)) {
    for (std::size_t i = 0; i < feel->slots.size(); ++i) {
      const auto& name = feel->expression.variables()[i];
      if (name == kItem) continue;
      feel->slots[i] = new_slot();
      filter.members.push_back({name, feel->slots[i], visible.find(name)});
    }
  }
  boxed.form = std::move(filter);
  return boxed;
}

Boxed Compiler::iteration(const xml::Element& element, IterationKind kind, Visible& visible) {
  auto boxed = box(element);
  BoxedIteration iteration{.kind = kind, .list = part(element, "in", visible), .body = {}};
  iteration.item = new_slot();
  const Visible::Scope scope(visible);
  visible.add(xml::trim(element.get("iteratorVariable")), iteration.item);
  if (kind == IterationKind::each) {
    iteration.partial = new_slot();
    visible.add(kPartial, iteration.partial);
  }
  iteration.body = part(element, kind == IterationKind::each ? "return" : "satisfies", visible);
  boxed.form = std::move(iteration);
  return boxed;
}

} // namespace perdure::dmn
