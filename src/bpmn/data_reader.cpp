#include "bpmn/data_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bpmn/expressions.h"
#include "bpmn/extension_rules.h"

namespace perdure::bpmn {

namespace {

using definition::Code;
using definition::DataSpec;
using definition::in_quotes;
using definition::Mapping;
using definition::MappingSource;
using definition::Report;
using xml::Vocabulary;

/// Paths into variables are no deeper: values nest at most 60 levels.
constexpr std::size_t kMaxPath = 16;
constexpr int kMaxNesting = 16;

std::string_view text_of(const xml::Element* element) {
  return element ? xml::trim(element->text) : std::string_view();
}

/// `a.b` as its parts; empty when one of them is.
std::vector<std::string> path_of(std::string_view text) {
  std::vector<std::string> path;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find('.', begin), text.size());
    const auto part = xml::trim(text.substr(begin, end - begin));
    if (part.empty()) return {};
    path.emplace_back(part);
    begin = end + 1;
  }
  return path;
}

class DataReader {
public:
  DataReader(const xml::Element& element, const DataNames& names, std::string_view id,
             Report& report)
      : element_(element), names_(names), id_(id), report_(report) {}

  std::optional<DataSpec> read() {
    if (const auto* io = find_extension(element_, Vocabulary::zeebe, "ioMapping")) read_zeebe(*io);
    if (const auto* io = find_extension(element_, Vocabulary::camunda, "inputOutput")) {
      read_camunda(*io);
    }
    declare(element_);
    if (const auto* io = element_.child(Vocabulary::bpmn, "ioSpecification")) declare(*io);
    for (const auto& child : element_.children) {
      if (child.is(Vocabulary::bpmn, "dataInputAssociation")) read_input_association(child);
      if (child.is(Vocabulary::bpmn, "dataOutputAssociation")) read_output_association(child);
    }
    return sound_ ? std::optional(std::move(spec_)) : std::nullopt;
  }

private:
  void wrong(const xml::Element& place, std::string message) {
    sound_ = false;
    report_.error(Code::bad_mapping, place.place, id_, std::move(message));
  }

  std::vector<std::string> target_of(const xml::Element& place, std::string_view text) {
    auto path = path_of(text);
    if (path.empty() || path.size() > kMaxPath) {
      wrong(place, "The target " + in_quotes(text) +
                       " of the mapping is no variable or path of at most 16 names: write it as "
                       "order.total.");
    }
    return path;
  }

  MappingSource text_source(std::string_view text, const xml::Element& place) {
    MappingSource source;
    source.text = read_template(text, {place.place, id_, "the mapping"}, report_);
    sound_ &= !expr::is_expression(source.text.text) || source.text.expression.has_value();
    return source;
  }

  std::optional<MappingSource> expression_source(std::string_view text, std::string_view language,
                                                 const xml::Element& place) {
    auto expression = read_expression(text, language, {place.place, id_, "the mapping"}, report_);
    if (!expression) {
      sound_ = false;
      return std::nullopt;
    }
    MappingSource source;
    source.text = {.text = expression->text(), .expression = std::move(expression)};
    return source;
  }

  /// The value of a variable.
  MappingSource variable_source(const std::string& name, const xml::Element& place) {
    return expression_source(name, {}, place).value_or(MappingSource());
  }

  void read_zeebe(const xml::Element& io) {
    for (const auto& child : io.children) {
      const bool is_input = child.is(Vocabulary::zeebe, "input");
      if (!is_input && !child.is(Vocabulary::zeebe, "output")) {
        wrong(child, "The element " + in_quotes(child.name) +
                         " has no meaning in zeebe:ioMapping: write zeebe:input or zeebe:output.");
        continue;
      }
      const auto* source = child.find(Vocabulary::none, "source");
      if (!source) {
        wrong(child, "The mapping has no source: write an expression such as =order.total.");
        continue;
      }
      Mapping mapping{.source = text_source(*source, child),
                      .target = target_of(child, child.get("target"))};
      (is_input ? spec_.inputs : spec_.outputs).push_back(std::move(mapping));
    }
    // What a worker gives stays with the activity when the model says what goes outwards.
    spec_.keeps_result |= !spec_.outputs.empty();
  }

  void read_camunda(const xml::Element& io) {
    for (const auto& child : io.children) {
      const bool is_input = child.is(Vocabulary::camunda, "inputParameter");
      if (!is_input && !child.is(Vocabulary::camunda, "outputParameter")) {
        wrong(child, "The element " + in_quotes(child.name) +
                         " has no meaning in camunda:inputOutput: write camunda:inputParameter or "
                         "camunda:outputParameter.");
        continue;
      }
      const auto name = xml::trim(child.get("name"));
      if (name.empty()) {
        wrong(child, "The parameter has no name: name the variable that it fills.");
        continue;
      }
      Mapping mapping{.source = camunda_value(child, 0), .target = {std::string(name)}};
      (is_input ? spec_.inputs : spec_.outputs).push_back(std::move(mapping));
    }
  }

  /// Text, list, map or script inside a parameter, entry or list.
  MappingSource camunda_value(const xml::Element& holder, int depth) {
    if (depth > kMaxNesting) {
      wrong(holder, "The lists and maps of the parameter nest too deep: use at most 16 levels.");
      return {};
    }
    for (const auto& child : holder.children) {
      if (child.vocabulary != Vocabulary::camunda) continue;
      if (child.name == "list") return camunda_list(child, depth);
      if (child.name == "map") return camunda_map(child, depth);
      wrong(child, "A parameter cannot be filled by " + in_quotes("camunda:" + child.name) +
                       ": write an expression such as ${total}, a list or a map.");
      return {};
    }
    const auto text = xml::trim(holder.text);
    if (!text.empty()) return text_source(text, holder);
    return expression_source("null", "feel", holder).value_or(MappingSource());
  }

  MappingSource camunda_list(const xml::Element& list, int depth) {
    MappingSource source;
    source.form = MappingSource::Form::list;
    for (const auto& item : list.children) {
      if (item.is(Vocabulary::camunda, "value")) {
        source.parts.emplace_back("", text_source(xml::trim(item.text), item));
      } else {
        // A list directly inside a list, and whatever has no meaning there.
        xml::Element holder;
        holder.place = item.place;
        holder.children.push_back(item);
        source.parts.emplace_back("", camunda_value(holder, depth + 1));
      }
    }
    return source;
  }

  MappingSource camunda_map(const xml::Element& map, int depth) {
    MappingSource source;
    source.form = MappingSource::Form::object;
    for (const auto& entry : map.children) {
      const auto key = xml::trim(entry.get("key"));
      if (!entry.is(Vocabulary::camunda, "entry") || key.empty()) {
        wrong(entry, "A map has entries with a key only: write <camunda:entry key=\"name\">.");
        continue;
      }
      source.parts.emplace_back(std::string(key), camunda_value(entry, depth + 1));
    }
    return source;
  }

  /// Data inputs and outputs that the element declares.
  void declare(const xml::Element& holder) {
    for (const auto& child : holder.children) {
      const bool is_input = child.is(Vocabulary::bpmn, "dataInput");
      if (!is_input && !child.is(Vocabulary::bpmn, "dataOutput")) continue;
      const auto id = std::string(child.get("id"));
      auto name = names_.variable(id);
      if (name.empty()) {
        wrong(child, "The " + child.name + " has neither id nor name: give it one.");
        continue;
      }
      (is_input ? inputs_ : outputs_).push_back(id);
      spec_.locals.push_back(std::move(name));
    }
  }

  static bool has_formula(const xml::Element& association) {
    return association.child(Vocabulary::bpmn, "assignment") != nullptr ||
           association.child(Vocabulary::bpmn, "transformation") != nullptr;
  }

  static bool is_among(const std::vector<std::string>& ids, std::string_view id) {
    return std::ranges::find(ids, id) != ids.end();
  }

  void read_input_association(const xml::Element& association) {
    const auto source = text_of(association.child(Vocabulary::bpmn, "sourceRef"));
    const auto target = text_of(association.child(Vocabulary::bpmn, "targetRef"));
    // An arrow that a modelling tool has drawn leads to nothing that is declared.
    const bool declared = is_among(inputs_, target);
    if (!declared && !has_formula(association)) return;
    read_association(association, source, target, declared && !source.empty(), spec_.inputs);
  }

  void read_output_association(const xml::Element& association) {
    const auto source = text_of(association.child(Vocabulary::bpmn, "sourceRef"));
    const auto target = text_of(association.child(Vocabulary::bpmn, "targetRef"));
    const bool declared = is_among(outputs_, source);
    if (!declared && !has_formula(association)) return;
    read_association(association, source, target, declared && !target.empty(), spec_.outputs);
  }

  void read_association(const xml::Element& association, std::string_view source,
                        std::string_view target, bool copies, std::vector<Mapping>& mappings) {
    const auto* transformation = association.child(Vocabulary::bpmn, "transformation");
    bool assigned = false;
    for (const auto& child : association.children) {
      if (!child.is(Vocabulary::bpmn, "assignment")) continue;
      assigned = true;
      read_assignment(child, mappings);
    }
    if (transformation) {
      auto value =
          expression_source(transformation->text, transformation->get("language"), *transformation);
      if (!value) return;
      mappings.push_back(
          {.source = *std::move(value), .target = target_of(association, names_.variable(target))});
    } else if (copies && !assigned) {
      mappings.push_back({.source = variable_source(names_.variable(source), association),
                          .target = {names_.variable(target)}});
    }
  }

  void read_assignment(const xml::Element& assignment, std::vector<Mapping>& mappings) {
    const auto* from = assignment.child(Vocabulary::bpmn, "from");
    const auto* to = assignment.child(Vocabulary::bpmn, "to");
    if (!from || text_of(to).empty()) {
      return wrong(assignment, "The assignment lacks `from` or `to`: say what goes where.");
    }
    auto target = text_of(to);
    if (target.starts_with('=')) target = xml::trim(target.substr(1));
    auto path = target_of(*to, target);
    if (!path.empty()) path.front() = names_.variable(path.front());
    auto source = from_source(*from);
    if (source) mappings.push_back({.source = *std::move(source), .target = std::move(path)});
  }

  /// A text without a language that is no expression stands for itself; the id of a data element is
  /// its value.
  std::optional<MappingSource> from_source(const xml::Element& from) {
    const auto text = xml::trim(from.text);
    const auto language = from.get("language");
    if (names_.find(text)) return variable_source(names_.variable(text), from);
    if (!language.empty()) return expression_source(text, language, from);
    return text_source(text, from);
  }

  const xml::Element& element_;
  const DataNames& names_;
  std::string_view id_;
  Report& report_;
  DataSpec spec_;
  std::vector<std::string> inputs_; ///< ids of declared data inputs
  std::vector<std::string> outputs_;
  bool sound_ = true;
};

/// perdure:value of a data object, evaluated now: it reads no variables.
void read_initial_value(const xml::Element& data, const std::string& name, Object& values,
                        Report& report) {
  const auto* text = data.find(Vocabulary::perdure, "value");
  if (!text) return;
  const auto id = data.get("id");
  const auto source = read_template(*text, {data.place, id, "the initial value"}, report);
  if (!source.expression) {
    if (!expr::is_expression(source.text)) values.set(name, source.text);
    return;
  }
  const Object nothing;
  auto result = source.expression->is_constant()
                    ? expr::evaluate(*source.expression, expr::ObjectScope(nothing))
                    : std::unexpected(expr::EvaluationError{
                          .reason = "It reads variables.", .column = 1, .seen = {}});
  if (!result) {
    report.error(Code::bad_expression, data.place, id,
                 "The initial value " + in_quotes(source.text) +
                     " is no constant: write a value such as =0, =[] or plain text.");
    return;
  }
  values.set(name, std::move(result->value));
}

} // namespace

bool read_data(const xml::Element& element, const DataNames& names, definition::Node& node,
               Report& report) {
  auto spec = DataReader(element, names, node.id, report).read();
  if (!spec) return false;
  if (spec->locals.empty() && spec->inputs.empty() && spec->outputs.empty()) return true;
  node.data = *std::move(spec);
  return true;
}

Object read_initial_values(const xml::Element& container, const DataNames& names, Report& report) {
  Object values;
  for (const auto& child : container.children) {
    const bool holds_data =
        child.is(Vocabulary::bpmn, "dataObject") || child.is(Vocabulary::bpmn, "property");
    if (holds_data) read_initial_value(child, names.variable(child.get("id")), values, report);
  }
  return values;
}

} // namespace perdure::bpmn
