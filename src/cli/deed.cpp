#include "cli/deed.h"

#include <cstdlib>

#include "base/json.h"
#include "base/utf8.h"
#include "cli/text_table.h"

namespace perdure::cli {

Object with_actor(Object body) {
  const char* user = std::getenv("USER");
  if (user != nullptr && *user != '\0' && utf8::is_valid(user)) body.append("actor", user);
  return body;
}

ExitCode report_deed(const Outcome<Value>& answer, Output& output, const std::string& sentence) {
  if (!answer) return report(output, answer.error());
  if (output.json()) {
    output.print_json(answer->is_null() ? Value(Object{}) : *answer);
  } else {
    output.print(sentence + "\n");
  }
  return ExitCode::ok;
}

ExitCode print_facts_to_be(const Value& answer, Output& output) {
  TextTable table({{"FACT"}, {"DETAILS"}});
  for (const auto& fact : list_of(answer, "facts")) {
    const auto* payload = fact.find("payload");
    table.add({text_of(fact, "type"), payload ? json::write(*payload) : ""});
  }
  output.print("Nothing is changed. It would become so:\n" + table.text());
  return ExitCode::ok;
}

} // namespace perdure::cli
