#include "cli/api_client.h"

#include "base/json.h"
#include "net/uri.h"

namespace perdure::cli {

namespace {

constexpr std::string_view kRoot = "/api/v1";

ExitCode code_of_status(int status) {
  if (status == 404) return ExitCode::not_found;
  return status >= 500 ? ExitCode::unreachable : ExitCode::failed;
}

std::string target_of(std::string_view path, ApiClient::Query query) {
  std::string target(kRoot);
  target += path;
  char separator = '?';
  for (const auto& [name, value] : query) {
    if (value.empty()) continue;
    target += separator;
    target += std::string(name) + "=" + net::percent_encode(value);
    separator = '&';
  }
  return target;
}

/// The problem's sentence, and one line for each thing that is wrong with a model.
std::string problem_text(int status, const Value& problem) {
  std::string message = text_of(problem, "detail");
  if (message.empty()) {
    message =
        "the server answered with status " + std::to_string(status) + "; is it a Perdure server?";
  }
  for (const auto& diagnostic : list_of(problem, "diagnostics")) {
    message += "\n  " + text_of(diagnostic, "file") + ":" +
               std::to_string(int_of(diagnostic, "line")) + ":" +
               std::to_string(int_of(diagnostic, "column")) + ": " +
               text_of(diagnostic, "severity") + " " + text_of(diagnostic, "code");
    const std::string element = text_of(diagnostic, "element_id");
    if (!element.empty()) message += " [" + element + "]";
    message += ": " + text_of(diagnostic, "message");
  }
  return message;
}

} // namespace

Failure to_failure(const Error& error) {
  switch (error.code) {
    case ErrorCode::not_found: return {ExitCode::not_found, error.message, {}};
    case ErrorCode::unavailable: return {ExitCode::unreachable, error.message, {}};
    case ErrorCode::invalid_input:
    case ErrorCode::conflict:
    case ErrorCode::invariant_violated:
    case ErrorCode::internal: break;
  }
  return {ExitCode::failed, error.message, {}};
}

ExitCode report(Output& output, const Failure& failure) {
  if (output.json()) {
    output.print_json(failure.problem.is_object() ? failure.problem
                                                  : Value(Object{{"detail", failure.message}}));
  }
  output.complain(failure.message);
  return failure.code;
}

Outcome<Value> ApiClient::get(std::string_view path, Query query) {
  return send("GET", target_of(path, query), {}, {});
}

Outcome<Array> ApiClient::get_all(std::string_view path,
                                  const std::pair<std::string_view, std::string>& filter) {
  Array all;
  std::string after;
  do {
    const auto page = get(path, {filter, {"after", after}});
    if (!page) return std::unexpected(page.error());
    const auto& items = list_of(*page, "items");
    all.insert(all.end(), items.begin(), items.end());
    after = text_of(*page, "next_after");
  } while (!after.empty());
  return all;
}

Outcome<Value> ApiClient::post(std::string_view path, const Value& body, net::Fields headers) {
  headers.emplace_back("Content-Type", "application/json");
  return send("POST", target_of(path, {}), headers, json::write(body));
}

Outcome<Value> ApiClient::upload(std::string_view path, Query query, std::string_view body,
                                 std::string content_type) {
  return send("POST", target_of(path, query), {{"Content-Type", std::move(content_type)}}, body);
}

Outcome<Value> ApiClient::send(std::string_view method, const std::string& target,
                               const net::Fields& headers, std::string_view body) {
  const auto response = backend_.request(method, target, headers, body);
  if (!response) return std::unexpected(to_failure(response.error()));
  Value answer;
  if (!response->body.empty()) {
    auto parsed = json::parse(response->body, {.max_bytes = response->body.size()});
    if (parsed) answer = std::move(*parsed);
  }
  if (response->status < 300) return answer;
  return std::unexpected(Failure{code_of_status(response->status),
                                 problem_text(response->status, answer), std::move(answer)});
}

std::string text_of(const Value& object, std::string_view member) {
  const auto* value = object.find(member);
  const auto* text = value != nullptr ? value->as<std::string>() : nullptr;
  return text != nullptr ? *text : std::string();
}

std::int64_t int_of(const Value& object, std::string_view member) {
  const auto* value = object.find(member);
  const auto* number = value != nullptr ? value->as<std::int64_t>() : nullptr;
  return number != nullptr ? *number : 0;
}

const Array& list_of(const Value& object, std::string_view member) {
  static const Array kEmpty;
  const auto* value = object.find(member);
  const auto* list = value != nullptr ? value->as<Array>() : nullptr;
  return list != nullptr ? *list : kEmpty;
}

} // namespace perdure::cli
