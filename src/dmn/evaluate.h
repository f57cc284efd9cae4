// Evaluates a decision or a decision service of a model: only what it needs, each decision once.
// Pure and bounded: the same arguments give the same outcome, a hostile model ends in a failure.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "definition/definition.h"
#include "dmn/model.h"
#include "expr/datum.h"
#include "expr/work.h"
#include "perdure/value.h"

namespace perdure::dmn {

/// A value for the input data of that name; also for a decision, which then is not evaluated.
struct Input {
  std::string name;
  std::string model_namespace; ///< of an imported model; empty: wherever the name is
  expr::Datum value;           ///< texts become dates and durations where the type demands it
};

struct Options {
  expr::Limits limits;
  std::optional<Instant> now; ///< what now() and today() say; without it they have no value
  bool with_trace = true;
  bool by_id = false; ///< names do not count: only the element whose key is meant
};

/// Why a null came about, and where.
struct Warning {
  std::string element;    ///< name of the decision, knowledge model or service
  std::string element_id; ///< of the expression or of the nearest element that has an id
  definition::SourcePlace place;
  std::string file;
  expr::Warning warning; ///< its column counts in the text of the expression
};

struct MatchedRule {
  int number = 0; ///< 1-based, as people count rows
  std::string id; ///< may be empty
};

/// One decision that was evaluated.
struct Step {
  std::string id;
  std::string name;
  Object inputs; ///< what it required, by the names it uses; no knowledge models
  Value output;
  std::vector<MatchedRule> rules; ///< of the decision tables inside, in the order they matched
};

struct Outcome {
  Value value; ///< temporal values as ISO 8601 texts; null for a function or a range
  /// The same as FEEL knows it. Lives as long as the model and the inputs.
  expr::Datum datum;
  std::vector<Warning> warnings;  ///< the first few, in order of evaluation
  std::vector<Step> trace;        ///< in order of evaluation
  std::vector<std::string> taken; ///< names of the inputs that the model asks for, sorted
  /// Set when a limit ended the evaluation; the value then is null.
  std::optional<Warning> failure;
};

/// `what`: name or id of a decision of the model or, when there is none, of a decision service. The
/// error says which there are. A name stands for a decision of the model itself, not of an import.
[[nodiscard]] std::expected<Outcome, std::string> evaluate(const Model& model,
                                                           std::string_view what,
                                                           std::span<const Input> inputs,
                                                           const Options& options = {});

/// The members of an object as inputs; they borrow from it.
[[nodiscard]] std::vector<Input> inputs_of(const Object& variables);

} // namespace perdure::dmn
