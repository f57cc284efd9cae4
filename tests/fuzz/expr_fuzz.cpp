// Fuzz target: any bytes compile to an expression or to a diagnostic with a column inside the text,
// and what compiles evaluates within its bounds to a value or an error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "expr/expression.h"

namespace {

using namespace perdure;

const Object& variables() {
  static const Object kVariables{
      {"a", 5},
      {"b", 2.5},
      {"s", "text"},
      {"yes", true},
      {"nothing", nullptr},
      {"l", Array{1, 2, 3}},
      {"c", Object{{"x", 1}, {"items", Array{Object{{"n", 1}}, Object{{"n", 2}}}}}},
  };
  return kVariables;
}

const expr::Names& names() {
  static const expr::Names kNames = [] {
    expr::Names known;
    for (const auto* name : {"a", "b", "s", "a b", "a-b", "in a", "it's"})
      known.add(name);
    known.add_member("x");
    known.add_member("items n");
    known.add_type("tList", expr::built_in_type("list"));
    return known;
  }();
  return kNames;
}

/// Ends within its bounds whatever the input is; the text of the result can be made.
void try_tests(std::string_view text) {
  const auto tests = expr::compile_unary_tests(text, names());
  if (!tests) return;
  const expr::ObjectScope scope(variables());
  expr::Work work(expr::Limits{.steps = 100'000}, from_ms(0));
  const auto input = expr::Datum::of(*variables().find("c"));
  const auto result = expr::evaluate(*tests, scope, work, &input);
  if (!work.failed()) static_cast<void>(expr::text_of(work, 0, result));
}

void try_out(const std::expected<expr::Expression, expr::Diagnostic>& expression,
             std::size_t size) {
  if (!expression) {
    PERDURE_CHECK(!expression.error().message.empty());
    PERDURE_CHECK(expression.error().column >= 1);
    PERDURE_CHECK(static_cast<std::size_t>(expression.error().column) <= size + 1);
    return;
  }
  const expr::ObjectScope scope(variables());
  const auto result = expr::evaluate(*expression, scope);
  // What comes out can be written and read again.
  if (result) PERDURE_CHECK(json::parse(json::write(result->value)) == result->value);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_out(expr::compile(text, expr::Dialect::feel), size);
  try_out(expr::compile(text, expr::Dialect::juel), size);
  try_out(expr::compile_attribute(text), size);
  try_out(expr::compile_feel(text, names()), size);
  try_tests(text);
  return 0;
}
