// ApiClient: the native API as calls that answer with a Value, or say why not in words and exit
// code.
#pragma once

#include <expected>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/key.h"
#include "cli/backend.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "perdure/value.h"

namespace perdure::cli {

/// Why a command ended without its answer.
struct Failure {
  ExitCode code = ExitCode::failed;
  std::string message;
  Value problem; ///< as the API told it (RFC 9457); null when it did not
};

template <class T>
using Outcome = std::expected<T, Failure>;

[[nodiscard]] Failure to_failure(const Error& error);

/// Tells the failure (as JSON when programs are asked for) and returns its exit code.
ExitCode report(Output& output, const Failure& failure);

class ApiClient {
public:
  /// Query parameters; those with an empty value are left out.
  using Query = std::initializer_list<std::pair<std::string_view, std::string>>;

  explicit ApiClient(Backend& backend) : backend_(backend) {}

  /// `path` is below /api/v1, its segments encoded.
  [[nodiscard]] Outcome<Value> get(std::string_view path, Query query = {});
  /// The items of all pages, whatever a page may hold. `filter` is a query parameter.
  [[nodiscard]] Outcome<Array> get_all(std::string_view path,
                                       const std::pair<std::string_view, std::string>& filter = {});
  [[nodiscard]] Outcome<Value> post(std::string_view path, const Value& body,
                                    net::Fields headers = {});
  /// POST with a body that is no JSON.
  [[nodiscard]] Outcome<Value> upload(std::string_view path, Query query, std::string_view body,
                                      std::string content_type);

  [[nodiscard]] Backend& backend() { return backend_; }

private:
  Outcome<Value> send(std::string_view method, const std::string& target,
                      const net::Fields& headers, std::string_view body);

  Backend& backend_;
};

// ---- members of answers: an absent or other-typed one reads as empty ----------------------------

[[nodiscard]] std::string text_of(const Value& object, std::string_view member);
[[nodiscard]] std::int64_t int_of(const Value& object, std::string_view member);
/// The member when it is a list; an empty one otherwise.
[[nodiscard]] const Array& list_of(const Value& object, std::string_view member);

} // namespace perdure::cli
