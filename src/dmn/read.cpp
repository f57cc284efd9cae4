#include "dmn/read.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "dmn/compiled.h"
#include "dmn/compiler.h"
#include "dmn/cycles.h"
#include "dmn/library.h"
#include "dmn/model.h"
#include "dmn/types.h"

namespace perdure::dmn {

namespace {

using definition::Code;
using definition::in_quotes;
using definition::Report;
using xml::Vocabulary;

/// Whether the element's name may stand after a point: it names a part of some value.
bool names_a_member(const xml::Element& element) {
  return element.name == "variable" || element.name == "output" || element.name == "column" ||
         element.name == "itemComponent";
}

/// A plain word needs no explanation after a point.
bool is_plain(std::string_view name) {
  return std::ranges::all_of(name, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_';
  });
}

void add_members(const xml::Element& element, expr::Names& names) {
  if (element.vocabulary == Vocabulary::dmn && names_a_member(element)) {
    if (const auto name = xml::trim(element.get("name")); !is_plain(name)) names.add_member(name);
  }
  for (const auto& child : element.children)
    add_members(child, names);
}

/// Camunda 7 says it in an attribute, Camunda 8 in an extension element.
std::string read_version_tag(const xml::Element& element) {
  if (const auto* tag = element.find(Vocabulary::camunda, "versionTag")) {
    return std::string(xml::trim(*tag));
  }
  for (const auto& holder : element.children) {
    if (!holder.is(Vocabulary::dmn, "extensionElements")) continue;
    if (const auto* tag = holder.child(Vocabulary::zeebe, "versionTag")) {
      return std::string(xml::trim(tag->get("value")));
    }
  }
  return {};
}

class Reader {
public:
  Reader(const Library& library, Types& types, std::vector<Report>& reports)
      : library_(library), types_(types), reports_(reports) {
    for (std::size_t i = 0; i < library.documents().size(); ++i) {
      auto& names = names_.emplace_back();
      types.add_names(static_cast<DocumentIndex>(i), names);
      for (const auto& document : library.documents())
        add_members(document.root, names);
    }
  }

  Node read(ElementIndex index) {
    const auto& element = library_.element(index);
    Node node{.kind = element.kind, .id = element.id, .name = element.name};
    node.document = element.document;
    node.place = element.xml->place;
    node.version_tag = read_version_tag(*element.xml);
    if (const auto* variable = element.xml->child(Vocabulary::dmn, "variable")) {
      node.type = types_.of(element.document, *variable);
    }
    switch (element.kind) {
      case ElementKind::input_data: break;
      case ElementKind::decision: read_decision(index, node); break;
      case ElementKind::knowledge_model: read_knowledge(index, node); break;
      case ElementKind::service: read_service(index, node); break;
    }
    return node;
  }

private:
  Report& report(const DrgElement& element) {
    return reports_[static_cast<std::size_t>(element.document)];
  }

  /// What the child `name` of a requirement refers to; with an error when it is nothing, or of a
  /// kind that cannot be there.
  std::optional<ElementIndex> target(const DrgElement& from, const xml::Element& reference,
                                     std::initializer_list<ElementKind> kinds) {
    const auto href = xml::trim(reference.get("href"));
    const auto found = library_.resolve(from.document, href);
    if (!found) {
      report(from).error(Code::unknown_reference, reference.place, from.id,
                         "There is no element " + in_quotes(href) + " that " +
                             in_quotes(from.name) + " could require: correct the reference.");
      return std::nullopt;
    }
    if (std::ranges::find(kinds, library_.element(*found).kind) == kinds.end()) {
      report(from).error(Code::unknown_reference, reference.place, from.id,
                         in_quotes(reference.name) + " cannot refer to " +
                             in_quotes(library_.element(*found).xml->name) +
                             ": correct the reference.");
      return std::nullopt;
    }
    return found;
  }

  void require(const DrgElement& from, ElementIndex wanted, Node& node, Visible& visible,
               Compiler& compiler) {
    const auto& element = library_.element(wanted);
    std::string prefix;
    if (element.document != from.document) {
      const auto* import = library_.import_of(from.document, element.document);
      if (import == nullptr) {
        report(from).error(Code::unknown_reference, from.xml->place, from.id,
                           in_quotes(from.name) + " requires " + in_quotes(element.name) +
                               " of a model that is not imported: import it.");
        return;
      }
      prefix = import->name;
    }
    const auto full_name = prefix.empty() ? element.name : prefix + "." + element.name;
    const auto [known, fresh] = required_.emplace(full_name, wanted);
    if (!fresh) {
      if (known->second == wanted) return;
      report(from).error(Code::duplicate_name, from.xml->place, from.id,
                         in_quotes(from.name) + " requires two elements that are called " +
                             in_quotes(full_name) + ": give each its own name.");
      return;
    }
    if (prefix.empty()) {
      const auto slot = compiler.new_slot();
      node.bindings.push_back({.slot = slot, .name = element.name, .element = wanted});
      visible.add(element.name, slot);
      if (element.xml->child(Vocabulary::dmn, "variable") == nullptr) {
        add_other_names(element, wanted, node, visible, compiler);
      }
      return;
    }
    auto import = std::ranges::find_if(node.bindings, [&](const Binding& binding) {
      return !binding.members.empty() && binding.name == prefix;
    });
    if (import == node.bindings.end()) {
      node.bindings.push_back({.slot = compiler.new_slot(), .name = prefix});
      import = node.bindings.end() - 1;
      visible.add(prefix, import->slot);
    }
    import->members.emplace_back(element.name, wanted);
  }

  /// An element without a variable can be called by its id too, and a decision table by the names
  /// of its outputs: some engines know no others.
  void add_other_names(const DrgElement& element, ElementIndex index, Node& node, Visible& visible,
                       Compiler& compiler) {
    const auto slot = node.bindings.back().slot;
    const auto add = [&](std::string_view name, Slot position) {
      if (!name.empty() && visible.find(name) == kNoSlot) visible.add(name, position);
    };
    add(element.id, slot);
    const auto* table = element.xml->child(Vocabulary::dmn, "decisionTable");
    if (table == nullptr) return;
    std::vector<std::string> outputs;
    for (const auto& child : table->children) {
      if (child.is(Vocabulary::dmn, "output")) outputs.emplace_back(xml::trim(child.get("name")));
    }
    if (outputs.size() == 1) add(outputs.front(), slot);
    if (outputs.size() < 2) return;
    for (const auto& output : outputs) {
      node.bindings.push_back({.slot = compiler.new_slot(), .element = index, .output = output});
      add(output, node.bindings.back().slot);
    }
  }

  void read_requirements(const DrgElement& element, Node& node, Visible& visible,
                         Compiler& compiler) {
    using enum ElementKind;
    required_.clear();
    for (const auto& child : element.xml->children) {
      if (child.vocabulary != Vocabulary::dmn) continue;
      for (const auto& reference : child.children) {
        std::optional<ElementIndex> found;
        if (reference.is(Vocabulary::dmn, "requiredInput")) {
          found = target(element, reference, {input_data});
        } else if (reference.is(Vocabulary::dmn, "requiredDecision")) {
          found = target(element, reference, {decision});
        } else if (reference.is(Vocabulary::dmn, "requiredKnowledge")) {
          found = target(element, reference, {knowledge_model, service});
        }
        if (!found) continue;
        require(element, *found, node, visible, compiler);
        if (library_.element(*found).kind == decision) node.decisions.push_back(*found);
      }
    }
  }

  Visible start_visible(const DrgElement& element) {
    return Visible(names_[static_cast<std::size_t>(element.document)]);
  }

  void read_decision(ElementIndex index, Node& node) {
    const auto& element = library_.element(index);
    Compiler compiler(element.document, index, element.id, types_, report(element));
    auto visible = start_visible(element);
    read_requirements(element, node, visible, compiler);
    // A decision may be drawn without logic: its value then comes from outside.
    if (const auto* expression = Compiler::find_expression(*element.xml)) {
      node.body = compiler.compile(*expression, visible);
    }
    node.frame_size = compiler.frame_size();
  }

  void read_knowledge(ElementIndex index, Node& node) {
    const auto& element = library_.element(index);
    Compiler compiler(element.document, index, element.id, types_, report(element));
    auto visible = start_visible(element);
    node.self = compiler.new_slot();
    visible.add(element.name, node.self);
    read_requirements(element, node, visible, compiler);
    const auto* logic = element.xml->child(Vocabulary::dmn, "encapsulatedLogic");
    if (logic == nullptr) {
      report(element).error(
          Code::missing_expression, element.xml->place, element.id,
          "The knowledge model " + in_quotes(element.name) + " has no logic: write its function.");
      node.refusal = "The knowledge model " + in_quotes(element.name) + " has no logic.";
      return;
    }
    node.function = compiler.compile_function(*logic, visible);
    if (node.type && node.type->kind == expr::TypeKind::function) node.type = node.type->element;
    node.function.result = node.type;
    node.frame_size = compiler.frame_size();
  }

  void read_service(ElementIndex index, Node& node) {
    using enum ElementKind;
    const auto& element = library_.element(index);
    std::vector<ElementIndex> input_decisions;
    for (const auto& child : element.xml->children) {
      if (child.vocabulary != Vocabulary::dmn) continue;
      if (child.name == "inputData") {
        if (auto found = target(element, child, {input_data})) node.inputs.push_back(*found);
      } else if (child.name == "inputDecision") {
        if (auto found = target(element, child, {decision})) input_decisions.push_back(*found);
      } else if (child.name == "outputDecision") {
        if (auto found = target(element, child, {decision})) node.outputs.push_back(*found);
      }
    }
    std::ranges::copy(input_decisions, std::back_inserter(node.inputs));
    if (node.type && node.type->kind == expr::TypeKind::function) node.type = node.type->element;
  }

  const Library& library_;
  Types& types_;
  std::vector<Report>& reports_;
  std::unordered_map<std::string, ElementIndex> required_; ///< by the current element, by name
  std::vector<expr::Names> names_; ///< for each document: its types, and the members of all
};

/// Parameters of services have the types of what they stand for, which is known only now.
void finish_services(Compiled& compiled) {
  for (auto& node : compiled.nodes) {
    for (const auto input : node.inputs) {
      const auto& parameter = compiled.nodes[static_cast<std::size_t>(input)];
      node.parameters.push_back({parameter.name, parameter.type});
    }
  }
}

std::unique_ptr<Compiled> compile(const Library& library, std::vector<Report>& reports) {
  auto compiled = std::make_unique<Compiled>();
  const auto& root = library.document(0).root;
  compiled->id = root.get("id");
  compiled->name = root.get("name");
  for (const auto& document : library.documents()) {
    compiled->files.push_back(document.file);
    compiled->namespaces.push_back(document.model_namespace);
  }
  Types types(library, reports);
  Reader reader(library, types, reports);
  for (std::size_t i = 0; i < library.elements().size(); ++i)
    compiled->nodes.push_back(reader.read(static_cast<ElementIndex>(i)));
  for (const auto& node : compiled->nodes) {
    if (node.kind == ElementKind::input_data) compiled->input_names.insert(node.name);
  }
  compiled->types = types.storage();
  finish_services(*compiled);
  refuse_cycles(*compiled, reports);
  return compiled;
}

} // namespace

bool Reading::is_sound() const {
  return model && std::ranges::none_of(diagnostics, [](const definition::Diagnostic& diagnostic) {
           return diagnostic.severity == definition::Severity::error;
         });
}

Reading read(std::span<const Source> sources) {
  Reading reading;
  std::vector<Report> reports(sources.size());
  const Library library(sources, reports);
  const bool is_dmn = !sources.empty() && !library.document(0).root.name.empty();
  if (is_dmn) reading.model = std::make_shared<Model>(compile(library, reports));
  for (std::size_t i = 0; i < reports.size(); ++i) {
    auto found = std::move(reports[i]).take(sources[i].file);
    std::ranges::move(found, std::back_inserter(reading.diagnostics));
  }
  return reading;
}

} // namespace perdure::dmn
