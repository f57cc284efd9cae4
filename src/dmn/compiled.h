// The compiled form of a model: boxed expressions with their FEEL compiled and their names resolved
// to slots of a frame.
//
// A frame is one vector of values: what the decision requires, then parameters, context entries and
// iterators, each at a fixed position that the compiler has chosen.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "definition/definition.h"
#include "dmn/library.h"
#include "expr/expression.h"
#include "expr/types.h"

namespace perdure::dmn {

using Slot = std::int32_t;
inline constexpr Slot kNoSlot = -1;

/// Where an expression stands, for warnings.
struct Origin {
  ElementIndex element = 0; ///< the decision, knowledge model or service around it
  std::string element_id;
  definition::SourcePlace place;
};

/// A FEEL text.
struct Feel {
  expr::Expression expression;
  std::vector<Slot> slots; ///< for each of expression.variables(); kNoSlot: not in scope
  Origin origin;
};

struct Boxed;
using Boxes = std::vector<Boxed>;

struct BoxedContext {
  std::vector<std::string> names; ///< for each value
  std::vector<Slot> slots;        ///< where later entries find it
  Boxes values;
  std::unique_ptr<Boxed> result; ///< the entry without a name; nullptr: the context itself
};

struct BoxedRelation {
  std::vector<std::string> columns;
  std::vector<Boxes> rows;
};

struct BoxedList {
  Boxes items;
};

struct BoxedInvocation {
  std::unique_ptr<Boxed> function;
  std::vector<std::string> names; ///< of the parameters
  Boxes arguments;
};

/// What a call runs: a function definition or a knowledge model.
struct FunctionBody {
  std::vector<expr::Parameter> parameters;
  std::vector<Slot> slots; ///< for each parameter
  std::unique_ptr<Boxed> body;
  expr::TypeRef result;
  std::int32_t frame_size = 0;
};

/// A function value; what is in the frame when it is made is visible in the body.
struct BoxedFunction {
  std::shared_ptr<const FunctionBody> function;
};

struct BoxedConditional {
  std::unique_ptr<Boxed> condition;
  std::unique_ptr<Boxed> then;
  std::unique_ptr<Boxed> otherwise;
};

struct BoxedFilter {
  std::unique_ptr<Boxed> list;
  std::unique_ptr<Boxed> match;
  Slot item = kNoSlot;

  /// A name that is an entry of the item when it has one, else what it is outside.
  struct Member {
    std::string name;
    Slot slot = kNoSlot;
    Slot outside = kNoSlot;
  };
  std::vector<Member> members;
};

enum class IterationKind : std::uint8_t { each, some, every };

struct BoxedIteration {
  IterationKind kind = IterationKind::each;
  std::unique_ptr<Boxed> list;
  std::unique_ptr<Boxed> body;
  Slot item = kNoSlot;
  Slot partial = kNoSlot;
};

enum class HitPolicy : std::uint8_t {
  unique,
  any,
  priority,
  first,
  collect,
  rule_order,
  output_order,
};
enum class Aggregator : std::uint8_t { none, sum, count, min, max };

struct TableInput {
  Feel expression;
  expr::TypeRef type;
  std::optional<Feel> allowed; ///< unary tests
};

struct TableOutput {
  std::string name; ///< may be empty for the only one
  expr::TypeRef type;
  std::optional<Feel> allowed;    ///< unary tests
  std::optional<Feel> in_order;   ///< the allowed values as a list, highest priority first
  std::optional<Feel> by_default; ///< when no rule matches
};

/// An input entry.
struct TableTest {
  Feel feel;
  /// When it is nothing but texts, numbers and ranges of numbers: these, so that most inputs are
  /// compared without an evaluation.
  std::vector<expr::Datum> constants;
};

struct TableRule {
  std::string id;
  std::vector<std::optional<TableTest>> tests; ///< for each input; none: matches anything
  std::vector<Feel> results;                   ///< for each output
};

struct Table {
  HitPolicy policy = HitPolicy::unique;
  Aggregator aggregator = Aggregator::none;
  std::vector<TableInput> inputs;
  std::vector<TableOutput> outputs;
  std::vector<TableRule> rules;
};

/// Something that cannot be evaluated: null, and this reason.
struct Refused {
  std::string reason;
};

struct Boxed {
  std::variant<Refused, Feel, BoxedContext, BoxedRelation, BoxedList, BoxedInvocation,
               BoxedFunction, BoxedConditional, BoxedFilter, BoxedIteration, Table>
      form;
  expr::TypeRef type; ///< what the element says about its value; nullptr: nothing
  Origin origin;
};

/// A name of a frame that stands for something required.
struct Binding {
  Slot slot = kNoSlot;
  std::string name;         ///< of the element, or of the import
  ElementIndex element = 0; ///< when `members` is empty
  std::string output;       ///< when not empty: of the element's value, only this entry
  /// The names of an import: a context of them.
  std::vector<std::pair<std::string, ElementIndex>> members;
};

/// An element of the requirements graph, compiled.
struct Node {
  ElementKind kind = ElementKind::input_data;
  std::string id;
  std::string name;        ///< of its variable
  std::string label;       ///< its own name, when it differs
  std::string version_tag; ///< decision, service: what its author calls this version
  DocumentIndex document = 0;
  definition::SourcePlace place;
  expr::TypeRef type; ///< of the value; of a knowledge model or service, what a call gives

  std::vector<Binding> bindings;       ///< decision, knowledge model
  std::vector<ElementIndex> decisions; ///< decision: what must be evaluated before; no duplicates
  std::optional<Boxed> body;           ///< decision: may be absent
  std::int32_t frame_size = 0;         ///< decision

  FunctionBody function; ///< knowledge model
  Slot self = kNoSlot;   ///< knowledge model: its own name inside
  std::string refusal;   ///< why it cannot be evaluated; empty: it can

  std::vector<ElementIndex> inputs;        ///< service: input data, then input decisions
  std::vector<ElementIndex> outputs;       ///< service
  std::vector<expr::Parameter> parameters; ///< service
};

/// What a decision or service is called by from outside.
[[nodiscard]] inline const std::string& key_of(const Node& node) {
  return node.id.empty() ? node.name : node.id;
}

/// An item definition's type lives here; the references in `expr::Type` do not own it.
struct Compiled {
  std::string id;
  std::string name;
  std::vector<std::string> files;              ///< of each document
  std::vector<std::string> namespaces;         ///< of each document
  std::vector<Node> nodes;                     ///< as Library::elements()
  std::unordered_set<std::string> input_names; ///< of the input data of all documents
  std::shared_ptr<const void> types;           ///< keeps the types alive
};

} // namespace perdure::dmn
