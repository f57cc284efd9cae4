#include "dmn/evaluator.h"

#include <algorithm>
#include <utility>

#include "definition/report.h"
#include "dmn/table.h"

namespace perdure::dmn {

namespace {

using definition::in_quotes;
using expr::Datum;
using expr::DatumEntries;
using expr::DatumList;
using expr::WarningKind;

class FrameVariables final : public expr::Variables {
public:
  FrameVariables(const Feel& feel, const Frame& frame, Evaluator& evaluator)
      : feel_(feel), frame_(frame), evaluator_(evaluator) {}

  [[nodiscard]] std::optional<Datum> get(std::string_view name, std::size_t slot) const override {
    const auto position = slot < feel_.slots.size() ? feel_.slots[slot] : kNoSlot;
    if (position != kNoSlot) return frame_[static_cast<std::size_t>(position)];
    const auto* free = evaluator_.find_free_variable(name);
    return free ? std::optional(*free) : std::nullopt;
  }

private:
  const Feel& feel_;
  const Frame& frame_;
  Evaluator& evaluator_;
};

/// A boxed function definition with the frame in which it stands.
class Closure final : public expr::Callable {
public:
  Closure(std::shared_ptr<const FunctionBody> function, Frame frame, Evaluator& evaluator)
      : function_(std::move(function)), frame_(std::move(frame)), evaluator_(evaluator) {}

  [[nodiscard]] std::span<const expr::Parameter> parameters() const override {
    return function_->parameters;
  }
  [[nodiscard]] expr::TypeRef result() const override { return function_->result; }
  [[nodiscard]] Datum call(expr::Work& work, std::span<const Datum> arguments,
                           std::uint32_t offset) const override {
    if (!work.spend(1 + frame_.size(), offset)) return nullptr;
    auto frame = frame_;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      frame[static_cast<std::size_t>(function_->slots[i])] = arguments[i];
    return evaluator_.run_body(*function_, frame);
  }

private:
  std::shared_ptr<const FunctionBody> function_;
  Frame frame_;
  Evaluator& evaluator_;
};

Datum& at(Frame& frame, Slot slot) { return frame[static_cast<std::size_t>(slot)]; }

} // namespace

const Origin* Evaluator::move_to(const Origin* origin) {
  origins_.resize(work_.warnings().size(), current_);
  if (work_.failed() && failure_origin_ == nullptr) failure_origin_ = current_;
  return std::exchange(current_, origin);
}

void Evaluator::warn(const Origin& origin, WarningKind kind, std::string reason) {
  const At here(*this, origin);
  const auto text = work_.set_text({});
  work_.warn(kind, std::move(reason), 0);
  work_.set_text(text);
}

void Evaluator::add_free_variable(std::string_view name, Datum value) {
  free_variables_.emplace(name, std::move(value));
}

const Datum* Evaluator::find_free_variable(std::string_view name) {
  const auto found = free_variables_.find(name);
  if (found == free_variables_.end()) return nullptr;
  if (!free_names_.contains(name)) free_names_.emplace(name);
  return &found->second;
}

Warning Evaluator::located(const Origin& origin, const expr::Warning& warning) const {
  const auto& node = compiled_.nodes[static_cast<std::size_t>(origin.element)];
  return {.element = node.name,
          .element_id = origin.element_id,
          .place = origin.place,
          .file = compiled_.files[static_cast<std::size_t>(node.document)],
          .warning = warning};
}

std::vector<Warning> Evaluator::located_warnings() {
  origins_.resize(work_.warnings().size(), current_);
  std::vector<Warning> located_all;
  for (std::size_t i = 0; i < origins_.size(); ++i) {
    const auto& warning = work_.warnings()[i];
    Warning bare;
    bare.warning = warning;
    located_all.push_back(origins_[i] ? located(*origins_[i], warning) : std::move(bare));
  }
  return located_all;
}

Datum Evaluator::run(const Feel& feel, const Frame& frame, const Datum* input) {
  const At here(*this, feel.origin);
  return expr::evaluate(feel.expression, FrameVariables(feel, frame, *this), work_, input);
}

Datum Evaluator::run_body(const FunctionBody& function, Frame& frame) {
  auto value = evaluate(*function.body, frame);
  return as_type(std::move(value), function.result, function.body->origin,
                 "The result of the function");
}

Datum Evaluator::as_type(Datum datum, const expr::TypeRef& type, const Origin& origin,
                         std::string_view what) {
  if (!type || datum.is_null()) return datum;
  if (auto value = expr::coerced(datum, type)) return *std::move(value);
  warn(origin, WarningKind::type_mismatch,
       std::string(what) + " is " + datum.described() + ", which is not of the type " +
           in_quotes(type->name.empty() ? expr::text_of(*type) : type->name) +
           ", so it counts as null.");
  return nullptr;
}

Datum Evaluator::evaluate(const Boxed& boxed, Frame& frame) {
  if (!work_.enter(0) || !work_.spend(1, 0)) {
    work_.leave();
    return nullptr;
  }
  auto value = form(boxed, frame);
  work_.leave();
  if (work_.failed()) return nullptr;
  return as_type(std::move(value), boxed.type, boxed.origin, "The value of the expression");
}

Datum Evaluator::form(const Boxed& boxed, Frame& frame) {
  if (const auto* feel = std::get_if<Feel>(&boxed.form)) return run(*feel, frame);
  const At here(*this, boxed.origin);
  if (const auto* refused = std::get_if<Refused>(&boxed.form)) {
    warn(boxed.origin, WarningKind::invalid_argument, refused->reason);
    return nullptr;
  }
  if (const auto* table = std::get_if<Table>(&boxed.form)) {
    return evaluate_table(*this, *table, boxed.origin, frame);
  }
  if (const auto* part = std::get_if<BoxedContext>(&boxed.form)) return context(*part, frame);
  if (const auto* part = std::get_if<BoxedRelation>(&boxed.form)) return relation(*part, frame);
  if (const auto* part = std::get_if<BoxedList>(&boxed.form)) return list(*part, frame);
  if (const auto* part = std::get_if<BoxedInvocation>(&boxed.form)) {
    return invocation(*part, boxed.origin, frame);
  }
  if (const auto* part = std::get_if<BoxedFunction>(&boxed.form)) {
    if (!work_.spend(1 + frame.size(), 0)) return nullptr;
    return Datum(std::make_shared<const Closure>(part->function, frame, *this));
  }
  if (const auto* part = std::get_if<BoxedConditional>(&boxed.form)) {
    return conditional(*part, boxed.origin, frame);
  }
  if (const auto* part = std::get_if<BoxedFilter>(&boxed.form)) {
    return filter(*part, boxed.origin, frame);
  }
  return iteration(std::get<BoxedIteration>(boxed.form), boxed.origin, frame);
}

Datum Evaluator::context(const BoxedContext& context, Frame& frame) {
  DatumEntries entries;
  for (std::size_t i = 0; i < context.values.size(); ++i) {
    auto value = evaluate(context.values[i], frame);
    at(frame, context.slots[i]) = value;
    entries.emplace_back(context.names[i], std::move(value));
  }
  if (context.result) return evaluate(*context.result, frame);
  return Datum(std::move(entries));
}

Datum Evaluator::relation(const BoxedRelation& relation, Frame& frame) {
  DatumList rows;
  for (const auto& cells : relation.rows) {
    DatumEntries row;
    for (std::size_t i = 0; i < cells.size(); ++i)
      row.emplace_back(relation.columns[i], evaluate(cells[i], frame));
    rows.emplace_back(std::move(row));
  }
  return Datum(std::move(rows));
}

Datum Evaluator::list(const BoxedList& list, Frame& frame) {
  DatumList items;
  for (const auto& item : list.items)
    items.push_back(evaluate(item, frame));
  return Datum(std::move(items));
}

Datum Evaluator::invocation(const BoxedInvocation& call, const Origin& origin, Frame& frame) {
  const auto function = evaluate(*call.function, frame).function();
  if (!function) {
    warn(origin, WarningKind::type_mismatch,
         "What is invoked is no function: name a knowledge model, a service or a function.");
    return nullptr;
  }
  const auto parameters = function->parameters();
  std::vector<Datum> arguments(parameters.size());
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto found = std::ranges::find(parameters, call.names[i], &expr::Parameter::name);
    if (found == parameters.end()) {
      warn(origin, WarningKind::invalid_argument,
           "The function has no parameter " + in_quotes(call.names[i]) +
               ", so it is not called: correct the binding.");
      return nullptr;
    }
    arguments[static_cast<std::size_t>(found - parameters.begin())] =
        evaluate(call.arguments[i], frame);
  }
  return expr::invoke(work_, *function, arguments);
}

Datum Evaluator::conditional(const BoxedConditional& choice, const Origin& origin, Frame& frame) {
  const auto condition = evaluate(*choice.condition, frame);
  if (!condition.is_null() && !is_boolean(condition, origin)) return nullptr;
  return evaluate(condition.is_true() ? *choice.then : *choice.otherwise, frame);
}

bool Evaluator::is_boolean(const Datum& condition, const Origin& origin) {
  if (condition.boolean()) return true;
  warn(origin, WarningKind::type_mismatch,
       "The condition is " + condition.described() + " where a boolean is needed.");
  return false;
}

std::optional<DatumList> Evaluator::domain(const Boxed& boxed, const Origin& origin, Frame& frame) {
  const auto value = evaluate(boxed, frame);
  if (!value.is_list()) {
    warn(origin, WarningKind::type_mismatch,
         "What is gone through is " + value.described() + " where a list is needed.");
    return std::nullopt;
  }
  DatumList items;
  if (!work_.spend(value.size(), 0)) return std::nullopt;
  for (std::size_t i = 0; i < value.size(); ++i)
    items.push_back(value.item(i));
  return items;
}

Datum Evaluator::filter(const BoxedFilter& filter, const Origin& origin, Frame& frame) {
  auto items = domain(*filter.list, origin, frame);
  if (!items) return nullptr;
  DatumList kept;
  for (auto& item : *items) {
    at(frame, filter.item) = item;
    for (const auto& member : filter.members) {
      const auto entry = item.entry(member.name);
      const auto outside = member.outside == kNoSlot ? Datum() : at(frame, member.outside);
      at(frame, member.slot) = entry ? *entry : outside;
    }
    const auto match = evaluate(*filter.match, frame);
    if (work_.failed()) return nullptr;
    if (!match.is_null() && !is_boolean(match, origin)) return nullptr;
    if (match.is_true()) kept.push_back(std::move(item));
  }
  return Datum(std::move(kept));
}

Datum Evaluator::iteration(const BoxedIteration& iteration, const Origin& origin, Frame& frame) {
  const auto items = domain(*iteration.list, origin, frame);
  if (!items) return nullptr;
  if (iteration.kind != IterationKind::each) return quantified(iteration, *items, origin, frame);
  DatumList results;
  for (const auto& item : *items) {
    if (!work_.spend(results.size(), 0)) return nullptr;
    at(frame, iteration.item) = item;
    at(frame, iteration.partial) = Datum(results);
    results.push_back(evaluate(*iteration.body, frame));
    if (work_.failed()) return nullptr;
  }
  return Datum(std::move(results));
}

/// Goes through all items: one condition that is no boolean makes the whole null.
Datum Evaluator::quantified(const BoxedIteration& iteration, const DatumList& items,
                            const Origin& origin, Frame& frame) {
  const bool decisive = iteration.kind == IterationKind::some;
  bool is_decided = false;
  bool has_null = false;
  for (const auto& item : items) {
    at(frame, iteration.item) = item;
    const auto result = evaluate(*iteration.body, frame);
    if (work_.failed()) return nullptr;
    if (result.is_null()) {
      has_null = true;
    } else if (!is_boolean(result, origin)) {
      return nullptr;
    } else if (result.boolean() == decisive) {
      is_decided = true;
    }
  }
  if (is_decided) return decisive;
  if (has_null) return nullptr;
  return !decisive;
}

} // namespace perdure::dmn
