#include "decide/rule_results.h"

#include <string_view>
#include <utility>

#include "base/enum_text.h"

namespace perdure::decide {

namespace {

using definition::ResultMapping;

/// One for each rule that gave something; a decision without rules counts as one.
Array results_of(const DecisionValue& result) {
  const auto& [decision, value, has_matches] = result;
  const bool is_table = !decision.outputs.empty();
  const auto* list = value.as<Array>();
  if (decision.is_list && has_matches && list) return *list;
  if (is_table && !has_matches && value.is_null()) return {};
  return Array{value};
}

/// The outputs of a rule by their names; several are told by them already.
Value named(const DecisionValue& result, Value outputs) {
  const auto& decision = result.decision;
  if (decision.outputs.size() > 1) return outputs;
  const bool is_named = !decision.outputs.empty() && !decision.outputs.front().empty();
  return Object{{is_named ? decision.outputs.front() : decision.name, std::move(outputs)}};
}

std::unexpected<std::string> too_many(std::size_t count, std::string_view what,
                                      ResultMapping mapping) {
  return std::unexpected(std::string(what) + " " + std::to_string(count) + " " +
                         (what == "has" ? "outputs" : "results") + " where `" +
                         std::string(name_of(mapping)) + "` allows one");
}

} // namespace

std::expected<Value, std::string> map_result(const DecisionValue& result, ResultMapping mapping) {
  if (mapping == ResultMapping::whole) return result.value;
  const bool wants_entries =
      mapping == ResultMapping::single_entry || mapping == ResultMapping::collect_entries;
  const bool wants_one =
      mapping == ResultMapping::single_entry || mapping == ResultMapping::single_result;
  const auto outputs = result.decision.outputs.size();
  if (wants_entries && outputs > 1) return too_many(outputs, "has", mapping);
  auto results = results_of(result);
  if (wants_one && results.size() > 1) return too_many(results.size(), "gave", mapping);
  if (!wants_entries) {
    for (auto& item : results)
      item = named(result, std::move(item));
  }
  if (!wants_one) return Value(std::move(results));
  return results.empty() ? Value() : std::move(results.front());
}

} // namespace perdure::decide
