#include "dmn/types.h"

#include <utility>

#include "dmn/text.h"

namespace perdure::dmn {

namespace {

using definition::Code;
using definition::in_quotes;
using expr::Type;
using expr::TypeRef;
using xml::Vocabulary;

/// Definitions that only name each other, one after the other.
constexpr int kMaxChain = 100;

/// The allowed values of an item definition, on top of those of the type it restricts.
class AllowedValues final : public expr::Constraint {
public:
  AllowedValues(expr::Expression tests, std::shared_ptr<const expr::Constraint> base)
      : tests_(std::move(tests)), base_(std::move(base)) {}

  [[nodiscard]] bool allows(const expr::Datum& datum) const override {
    if (base_ && !base_->allows(datum)) return false;
    expr::Work work;
    return expr::evaluate(tests_, expr::SlotVariables({}), work, &datum).is_true();
  }

private:
  expr::Expression tests_;
  std::shared_ptr<const expr::Constraint> base_;
};

/// A reference that does not own: the storage does.
TypeRef refer(const Type& type) { return {TypeRef(), &type}; }

/// The names that other versions of DMN and other engines have for built-in types.
std::string_view in_feel(std::string_view name) {
  if (const auto colon = name.find(':'); colon != std::string_view::npos) {
    name.remove_prefix(colon + 1);
  }
  if (name == "dateTime") return "date and time";
  if (name == "dayTimeDuration") return "days and time duration";
  if (name == "yearMonthDuration") return "years and months duration";
  if (name == "integer" || name == "long" || name == "double") return "number";
  return name;
}

/// Whether it has no structure of its own, only that of the type that it names.
bool names_a_type(const xml::Element& item) {
  return item.child(Vocabulary::dmn, "itemComponent") == nullptr &&
         item.child(Vocabulary::dmn, "functionItem") == nullptr;
}

/// Whether it is just another name of the type that it names.
bool is_plain(const xml::Element& item) {
  return names_a_type(item) && !xml::is_true(item.get("isCollection")) &&
         item.child(Vocabulary::dmn, "allowedValues") == nullptr &&
         item.child(Vocabulary::dmn, "typeConstraint") == nullptr;
}

} // namespace

Types::Types(const Library& library, std::vector<definition::Report>& reports)
    : library_(library), reports_(reports), items_(library.documents().size()) {
  for (std::size_t i = 0; i < items_.size(); ++i)
    collect(static_cast<DocumentIndex>(i));
  for (auto& of_document : items_) {
    for (auto& [name, item] : of_document)
      build(item);
  }
}

void Types::collect(DocumentIndex index) {
  for (const auto& child : library_.document(index).root.children) {
    if (!child.is(Vocabulary::dmn, "itemDefinition")) continue;
    const auto name = xml::trim(child.get("name"));
    auto& type = make();
    type.name = name;
    Item item{.xml = &child, .document = index, .state = State::waiting, .type = &type};
    if (name.empty()) {
      report(index).error(Code::missing_name, child.place, child.get("id"),
                          "An item definition has no name: give it one.");
    } else if (!items_[static_cast<std::size_t>(index)].emplace(name, item).second) {
      report(index).error(
          Code::duplicate_name, child.place, child.get("id"),
          "The file has another item definition " + in_quotes(name) + ": give each its own name.");
    }
  }
}

Type& Types::make() { return storage_->emplace_back(); }

void Types::build(Item& item) {
  if (item.state != State::waiting) return;
  item.state = State::working;
  fill(*item.type, *item.xml, item.document);
  item.state = State::done;
}

void Types::fill(Type& type, const xml::Element& xml, DocumentIndex document) {
  const auto* allowed = xml.child(Vocabulary::dmn, "allowedValues");
  const auto* whole = xml.child(Vocabulary::dmn, "typeConstraint");
  if (xml::is_true(xml.get("isCollection"))) {
    type.kind = expr::TypeKind::list;
    if (allowed == nullptr && names_a_type(xml)) {
      type.element = reference(xml, document, Need::name);
    } else {
      auto& element = make();
      fill_core(element, xml, document);
      if (allowed) constrain(element, *allowed, document);
      type.element = refer(element);
    }
  } else {
    fill_core(type, xml, document);
    if (allowed) constrain(type, *allowed, document);
  }
  if (whole) constrain(type, *whole, document);
}

void Types::fill_core(Type& type, const xml::Element& xml, DocumentIndex document) {
  if (const auto* function = xml.child(Vocabulary::dmn, "functionItem")) {
    fill_function(type, *function, document);
    return;
  }
  bool has_members = false;
  for (const auto& child : xml.children) {
    if (!child.is(Vocabulary::dmn, "itemComponent")) continue;
    has_members = true;
    const auto name = std::string(xml::trim(child.get("name")));
    members_.push_back(name);
    type.kind = expr::TypeKind::context;
    if (is_plain(child)) {
      type.members.emplace_back(name, reference(child, document, Need::name));
    } else {
      auto& member = make();
      fill(member, child, document);
      type.members.emplace_back(name, refer(member));
    }
  }
  if (has_members) return;
  const auto base = reference(xml, document, Need::content);
  if (!base) return;
  const auto name = type.name;
  type = *base;
  if (!name.empty()) type.name = name;
}

void Types::fill_function(Type& type, const xml::Element& item, DocumentIndex document) {
  type.kind = expr::TypeKind::function;
  const auto result = xml::trim(item.get("outputTypeRef"));
  if (!result.empty()) type.element = find(document, result, item);
  for (const auto& child : item.children) {
    if (child.is(Vocabulary::dmn, "parameters")) type.parameters.push_back(of(document, child));
  }
}

void Types::constrain(Type& type, const xml::Element& tests, DocumentIndex document) {
  const auto* text = tests.child(Vocabulary::dmn, "text");
  if (text == nullptr || xml::trim(text->text).empty()) return;
  auto compiled = expr::compile_unary_tests(text->text, expr::Names());
  if (!compiled) {
    report(document).error(
        Code::bad_expression, text->place, tests.get("id"),
        bad_expression("the allowed values", xml::trim(text->text), compiled.error()));
    return;
  }
  type.constraint = std::make_shared<AllowedValues>(std::move(*compiled), type.constraint);
}

TypeRef Types::reference(const xml::Element& xml, DocumentIndex document, Need need) {
  const auto* child = xml.child(Vocabulary::dmn, "typeRef");
  const auto name = child ? xml::trim(child->text) : xml::trim(xml.get("typeRef"));
  if (name.empty()) return nullptr;
  const auto& place = child ? *child : xml;
  auto* item = item_of(document, name);
  if (item == nullptr) return find(document, name, place);
  if (need == Need::name) return refer(*item->type);
  if (item->state == State::waiting && depth_ < kMaxChain) {
    ++depth_;
    build(*item);
    --depth_;
  }
  if (item->state != State::done) {
    report(document).error(
        Code::bad_type, place.place, xml.get("id"),
        "The type " + in_quotes(name) + " is defined by itself, or through more than " +
            std::to_string(kMaxChain) + " others: give it components or a built-in type.");
    return nullptr;
  }
  return refer(*item->type);
}

Types::Item* Types::item_of(DocumentIndex from, std::string_view name) {
  auto& own = items_[static_cast<std::size_t>(from)];
  if (const auto found = own.find(std::string(name)); found != own.end()) return &found->second;
  for (const auto& import : library_.document(from).imports) {
    auto rest = name;
    if (!import.name.empty()) {
      if (!rest.starts_with(import.name)) continue;
      rest.remove_prefix(import.name.size());
      if (!rest.starts_with('.') && !rest.starts_with(':')) continue;
      rest.remove_prefix(1);
    }
    auto& imported = items_[static_cast<std::size_t>(import.document)];
    const auto found = imported.find(std::string(rest));
    if (found != imported.end()) return &found->second;
  }
  return nullptr;
}

TypeRef Types::find(DocumentIndex from, std::string_view name, const xml::Element& place) {
  if (const auto* item = item_of(from, name)) return refer(*item->type);
  if (auto built_in = expr::built_in_type(in_feel(name))) {
    return built_in->kind == expr::TypeKind::any ? nullptr : built_in;
  }
  // DMN 1.1 writes a prefix before the name of a type of the same model.
  if (const auto colon = name.find(':'); colon != std::string_view::npos) {
    if (const auto* item = item_of(from, name.substr(colon + 1))) return refer(*item->type);
  }
  report(from).error(Code::unknown_type, place.place, place.get("id"),
                     "There is no type " + in_quotes(name) +
                         ": define it as an item definition or take a built-in one.");
  return nullptr;
}

TypeRef Types::of(DocumentIndex from, const xml::Element& element) {
  const auto name = xml::trim(element.get("typeRef"));
  return name.empty() ? nullptr : find(from, name, element);
}

const xml::Element* Types::allowed_values(DocumentIndex from, std::string_view name) {
  const auto* item = item_of(from, name);
  return item ? item->xml->child(Vocabulary::dmn, "allowedValues") : nullptr;
}

void Types::add_names(DocumentIndex from, expr::Names& names) const {
  for (const auto& [name, item] : items_[static_cast<std::size_t>(from)])
    names.add_type(name, refer(*item.type));
  for (const auto& import : library_.document(from).imports) {
    const auto prefix = import.name.empty() ? std::string() : import.name + ".";
    for (const auto& [name, item] : items_[static_cast<std::size_t>(import.document)])
      names.add_type(prefix + name, refer(*item.type));
  }
  for (const auto& member : members_)
    names.add_member(member);
}

} // namespace perdure::dmn
