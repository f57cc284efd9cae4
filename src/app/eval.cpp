#include "app/eval.h"

#include <optional>
#include <string>
#include <utility>

#include "app/exact_json.h"
#include "app/standard_input.h"
#include "base/enum_text.h"
#include "base/json.h"
#include "cli/api_client.h"
#include "cli/file.h"
#include "expr/expression.h"
#include "expr/types.h"

namespace perdure::app {

namespace {

using cli::ExitCode;

constexpr int kMaxDepth = 60;

struct Question {
  std::string expression;
  Object context;
  std::optional<Value> unary_input;
};

/// What is known when the expression has been looked at; `error` is set when it has no value.
struct Answer {
  std::string value; ///< JSON text
  std::string type;
  Array warnings;
  std::string error;
};

/// Names with spaces can be used because the context says which there are.
void add_names(const Value& value, expr::Names& names, bool is_root) {
  if (const auto* object = value.as<Object>()) {
    for (const auto& [name, member] : *object) {
      if (is_root) names.add(name);
      names.add_member(name);
      add_names(member, names, false);
    }
  } else if (const auto* array = value.as<Array>()) {
    for (const auto& item : *array)
      add_names(item, names, false);
  }
}

Value as_value(const expr::Warning& warning) {
  return Object{{"message", warning.reason},
                {"column", warning.column},
                {"kind", std::string(name_of(warning.kind))}};
}

std::string located(const expr::Warning& warning) {
  return "column " + std::to_string(warning.column) + ": " + warning.reason;
}

Answer answer(const Question& question, Instant now) {
  expr::Names names;
  add_names(question.context, names, true);
  const auto compiled = question.unary_input ? expr::compile_unary_tests(question.expression, names)
                                             : expr::compile_feel(question.expression, names);
  Answer answer;
  if (!compiled) {
    answer.error =
        "column " + std::to_string(compiled.error().column) + ": " + compiled.error().message;
    return answer;
  }
  expr::Work work(expr::Limits{}, now);
  const auto input = question.unary_input ? expr::Datum::of(*question.unary_input) : expr::Datum();
  const auto datum = expr::evaluate(*compiled, expr::ObjectScope(question.context), work,
                                    question.unary_input ? &input : nullptr);
  for (const auto& warning : work.warnings())
    answer.warnings.push_back(as_value(warning));
  if (work.failed()) {
    answer.error = located(work.failure());
    return answer;
  }
  answer.type = expr::type_name_of(datum);
  // JSON has no ranges and functions: they are shown as FEEL writes them.
  const bool is_json = datum.range() == nullptr && datum.function() == nullptr;
  const auto kept =
      is_json ? expr::value_of(work, 0, datum, kMaxDepth) : Value(expr::text_of(work, 0, datum));
  if (work.failed()) {
    answer.error = work.failure().reason;
  } else {
    append_exact(answer.value, datum, kept);
  }
  return answer;
}

/// One line of JSON.
std::string line_of(Answer answer) {
  const bool is_right = answer.error.empty();
  std::string line = R"({"value":)" + (is_right ? std::move(answer.value) : "null");
  line += R"(,"type":)" + json::write(is_right ? Value(std::move(answer.type)) : Value());
  line += R"(,"warnings":)" + json::write(std::move(answer.warnings));
  line += R"(,"error":)" + json::write(is_right ? Value() : Value(std::move(answer.error)));
  return line + "}\n";
}

void print(const Answer& answer, cli::Output& output) {
  if (!answer.error.empty()) {
    output.complain(answer.error);
    return;
  }
  output.print(answer.value + "\n");
  output.print("type: " + answer.type + "\n");
  for (const auto& warning : answer.warnings) {
    const auto* column = warning.find("column")->as<std::int64_t>();
    const auto* message = warning.find("message")->as<std::string>();
    output.print("warning at column " + std::to_string(*column) + ": " + *message + "\n");
  }
}

Result<Question> question_of(const cli::EvalCommand& command) {
  Question question{command.expression, {}, command.unary_input};
  if (command.context) {
    const auto text = cli::read_file(*command.context);
    if (!text) return std::unexpected(text.error());
    auto value = json::parse(*text);
    if (!value) return std::unexpected(value.error());
    auto* object = value->as<Object>();
    if (object == nullptr) {
      return fail(ErrorCode::invalid_input,
                  *command.context + " is no JSON object; write {\"name\": value, ...}");
    }
    question.context = std::move(*object);
  }
  for (const auto& [name, value] : command.variables)
    question.context.set(name, value);
  return question;
}

/// {"expression", "context", "input"}; with an input the expression is a unary test.
Answer answer_line(const std::string& line, const Object& variables, Instant now) {
  const auto parsed = json::parse(line);
  if (!parsed) return {.error = parsed.error().message};
  const auto* expression = parsed->find("expression");
  if (expression == nullptr || !expression->is_string()) {
    return {.error = "The line has no text `expression`: write {\"expression\": \"1 + 1\"}."};
  }
  Question question{*expression->as<std::string>(), variables, std::nullopt};
  if (const auto* context = parsed->find("context"); context && !context->is_null()) {
    if (!context->is_object()) return {.error = "The `context` is no object: write {...}."};
    for (const auto& [name, value] : *context->as<Object>())
      question.context.set(name, value);
  }
  if (const auto* input = parsed->find("input")) question.unary_input = *input;
  return answer(question, now);
}

} // namespace

ExitCode run_eval(const cli::EvalCommand& command, Surroundings& surroundings) {
  auto& output = surroundings.output;
  if (command.lines) {
    while (const auto line = read_input_line()) {
      if (line->find_first_not_of(" \t\r") == std::string::npos) continue;
      auto found = answer_line(*line, command.variables, surroundings.clock.now());
      output.print(line_of(std::move(found)));
    }
    return ExitCode::ok;
  }
  const auto question = question_of(command);
  if (!question) return cli::report(output, cli::to_failure(question.error()));
  auto found = answer(*question, surroundings.clock.now());
  const auto code = found.error.empty() ? ExitCode::ok : ExitCode::failed;
  if (output.json()) {
    output.print(line_of(std::move(found)));
  } else {
    print(found, output);
  }
  return code;
}

} // namespace perdure::app
