#include "dmn/text.h"

#include "definition/report.h"

namespace perdure::dmn {

std::string bad_expression(std::string_view what, std::string_view text,
                           const expr::Diagnostic& reason) {
  auto message = reason.message;
  while (message.ends_with('.'))
    message.pop_back();
  return "The expression of " + std::string(what) + " " + definition::in_quotes(text) +
         " is wrong at its column " + std::to_string(reason.column) + ": " + message + ".";
}

} // namespace perdure::dmn
