// Boxed expressions into values: the walk over the compiled form within one evaluation.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dmn/compiled.h"
#include "dmn/evaluate.h"
#include "expr/datum.h"
#include "expr/work.h"

namespace perdure::dmn {

using Frame = std::vector<expr::Datum>;

/// Lives as long as one evaluation, and longer than every function value that it makes.
class Evaluator {
public:
  Evaluator(const Compiled& compiled, expr::Work& work) : compiled_(compiled), work_(work) {}
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// The value, as the type that the element states; null with a warning when it is none.
  [[nodiscard]] expr::Datum evaluate(const Boxed& boxed, Frame& frame);
  /// A FEEL text; `input` is what `?` means in unary tests.
  [[nodiscard]] expr::Datum run(const Feel& feel, const Frame& frame,
                                const expr::Datum* input = nullptr);
  /// The body of a function whose parameters are in the frame.
  [[nodiscard]] expr::Datum run_body(const FunctionBody& function, Frame& frame);
  /// The value as that type; null with a warning that begins with `what`.
  [[nodiscard]] expr::Datum as_type(expr::Datum datum, const expr::TypeRef& type,
                                    const Origin& origin, std::string_view what);

  void warn(const Origin& origin, expr::WarningKind kind, std::string reason);
  /// Variables that belong to no input data: names that nothing else explains mean them.
  void add_free_variable(std::string_view name, expr::Datum value);
  [[nodiscard]] const expr::Datum* find_free_variable(std::string_view name);
  /// Those that were found.
  [[nodiscard]] std::set<std::string, std::less<>> take_free_names() {
    return std::exchange(free_names_, {});
  }

  void add_match(MatchedRule rule) { matches_.push_back(std::move(rule)); }
  [[nodiscard]] std::vector<MatchedRule> take_matches() { return std::exchange(matches_, {}); }
  void set_matches(std::vector<MatchedRule> matches) { matches_ = std::move(matches); }

  [[nodiscard]] expr::Work& work() { return work_; }
  /// The warnings of the work, each with the place of its expression.
  [[nodiscard]] std::vector<Warning> located_warnings();
  [[nodiscard]] Warning located(const Origin& origin, const expr::Warning& warning) const;
  /// Where the work failed; nullptr when it did not, or outside of any expression.
  [[nodiscard]] const Origin* failure_origin() const { return failure_origin_; }

  /// While it lives, warnings belong to that place.
  class At {
  public:
    At(Evaluator& evaluator, const Origin& origin)
        : evaluator_(evaluator), outer_(evaluator.move_to(&origin)) {}
    At(const At&) = delete;
    At& operator=(const At&) = delete;
    ~At() { evaluator_.move_to(outer_); }

  private:
    Evaluator& evaluator_;
    const Origin* outer_;
  };

private:
  const Origin* move_to(const Origin* origin);

  expr::Datum form(const Boxed& boxed, Frame& frame);
  expr::Datum context(const BoxedContext& context, Frame& frame);
  expr::Datum relation(const BoxedRelation& relation, Frame& frame);
  expr::Datum list(const BoxedList& list, Frame& frame);
  expr::Datum invocation(const BoxedInvocation& call, const Origin& origin, Frame& frame);
  expr::Datum conditional(const BoxedConditional& choice, const Origin& origin, Frame& frame);
  expr::Datum filter(const BoxedFilter& filter, const Origin& origin, Frame& frame);
  expr::Datum iteration(const BoxedIteration& iteration, const Origin& origin, Frame& frame);
  expr::Datum quantified(const BoxedIteration& iteration, const expr::DatumList& items,
                         const Origin& origin, Frame& frame);
  /// A warning when it is none.
  bool is_boolean(const expr::Datum& condition, const Origin& origin);
  /// What an iteration goes through; nullopt, with a warning, when it is no list.
  std::optional<expr::DatumList> domain(const Boxed& boxed, const Origin& origin, Frame& frame);

  const Compiled& compiled_;
  expr::Work& work_;
  std::unordered_map<std::string_view, expr::Datum> free_variables_;
  std::set<std::string, std::less<>> free_names_;
  std::vector<MatchedRule> matches_;
  const Origin* current_ = nullptr;
  const Origin* failure_origin_ = nullptr;
  std::vector<const Origin*> origins_; ///< for each warning of the work
};

} // namespace perdure::dmn
