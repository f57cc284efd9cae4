// Writes problem details straight to text: four members, then the extra ones.
#include "net/problem.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.h"

namespace perdure::net {

Response to_response(const Problem& problem) {
  static constexpr std::array<std::string_view, 4> kOwn = {"type", "title", "status", "detail"};
  Response response;
  response.status = problem.status;
  response.content_type = kProblemType;
  std::string& out = response.body;
  out += R"({"type":)";
  json::append_string(out, problem.type);
  out += R"(,"title":)";
  json::append_string(out, problem.title.empty() ? reason_phrase(problem.status) : problem.title);
  out += R"(,"status":)";
  json::append_int(out, problem.status);
  out += R"(,"detail":)";
  json::append_string(out, problem.detail);
  for (const auto& [name, value] : problem.extra) {
    if (std::ranges::find(kOwn, name) != kOwn.end()) continue;
    out += ',';
    json::append_string(out, name);
    out += ':';
    json::append(out, value);
  }
  out += '}';
  return response;
}

Response problem(int status, std::string detail) {
  return to_response(Problem{.status = status, .detail = std::move(detail)});
}

} // namespace perdure::net
