// Requests read with types: members of the JSON body, query parameters, path keys and headers.
// Readers collect every complaint and pass over nothing: a member or parameter that nobody asked
// for is one too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/problems.h"
#include "base/enum_text.h"
#include "base/key.h"
#include "base/time.h"
#include "engine/commands.h"
#include "net/http.h"
#include "perdure/value.h"

namespace perdure::api {

/// Caps on what a request may ask for, checked before anything is done.
struct Limits {
  std::size_t max_variables_bytes = 1024 * 1024; ///< of the variables of one request, as JSON text
  std::size_t max_name_bytes = 255;              ///< of keys, ids, types and the like
  std::size_t max_text_bytes = 64 * 1024;        ///< of messages and reasons
  std::int64_t max_page = 1'000;
  std::int64_t max_tasks = 1'000; ///< of one fetch
  std::size_t max_task_types = 100;
  Duration max_wait{5 * 60'000}; ///< of a parked fetch
  Duration max_lock{7 * 24 * 3'600'000};
};

/// Bounds of an integer, both included.
struct Range {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

/// Reads the members of one JSON object. Getters return nothing (or an empty value) for a member
/// that is absent or wrong; finish() tells the two apart. The body must outlive the reader.
class BodyReader {
public:
  BodyReader(const Object& body, const Limits& limits) : body_(body), limits_(limits) {}

  /// A name: no control characters, not empty, at most max_name_bytes.
  [[nodiscard]] std::optional<std::string> name(std::string_view member);
  [[nodiscard]] std::string required_name(std::string_view member);
  /// Free text of at most max_text_bytes.
  [[nodiscard]] std::optional<std::string> text(std::string_view member);
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view member, Range range);
  [[nodiscard]] std::int64_t required_integer(std::string_view member, Range range);
  [[nodiscard]] std::optional<Duration> milliseconds(std::string_view member, Range range);
  [[nodiscard]] Duration required_milliseconds(std::string_view member, Range range);
  [[nodiscard]] bool flag(std::string_view member); ///< false when absent
  /// A key as decimal text or as an integer.
  [[nodiscard]] std::optional<Key> key(std::string_view member);
  /// A name that may be an integer too: shown as decimal text.
  [[nodiscard]] std::string required_name_or_integer(std::string_view member);
  /// A list of names; of each object in it, its member `type`. At least one.
  [[nodiscard]] std::vector<std::string> required_types(std::string_view member);
  /// A list of files, `{"name", "content"}` each, no two of one name. At least one.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> required_files(
      std::string_view member);
  /// An object; null counts as absent.
  [[nodiscard]] std::optional<Value> object(std::string_view member);
  /// Whatever stands there, null too.
  [[nodiscard]] std::optional<Value> value(std::string_view member);
  /// An object whose members are names; empty when absent.
  [[nodiscard]] std::map<std::string, std::string, std::less<>> name_map(std::string_view member);
  /// A list of names; empty when absent.
  [[nodiscard]] std::vector<std::string> names(std::string_view member);
  /// A list of objects, at least one.
  [[nodiscard]] std::vector<Object> required_objects(std::string_view member);

  void complain(std::string_view member, std::string detail);
  /// The answer that tells all that is wrong, unknown members too; nullopt when nothing is.
  [[nodiscard]] std::optional<net::Response> finish();

private:
  const Value* find(std::string_view member);
  const Value* require(std::string_view member);
  void complain_at(std::string pointer, std::string detail);
  std::optional<std::string> checked_name(const Value& value, const std::string& pointer);

  const Object& body_;
  const Limits& limits_;
  std::vector<std::string_view> known_;
  std::vector<Complaint> complaints_;
};

/// Reads query parameters in the same manner.
class QueryReader {
public:
  QueryReader(const net::Request& request, const Limits& limits)
      : request_(request), limits_(limits) {}

  [[nodiscard]] std::optional<std::string> text(std::string_view parameter);
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view parameter, Range range);
  [[nodiscard]] std::optional<Key> key(std::string_view parameter);
  [[nodiscard]] bool flag(std::string_view parameter, bool absent); ///< true or false
  [[nodiscard]] std::optional<std::size_t> one_of(std::string_view parameter,
                                                  std::initializer_list<std::string_view> choices);
  template <NamedEnum E>
  [[nodiscard]] std::optional<E> enumerator(std::string_view parameter) {
    const auto value = text(parameter);
    if (!value) return std::nullopt;
    const auto found = enum_from<E>(*value);
    if (!found) {
      const auto names = enum_names(E{});
      complain_choices(parameter, *value, {names.begin(), names.end()});
    }
    return found;
  }
  /// `limit`: from 1 to max_page, 100 when absent.
  [[nodiscard]] std::int64_t page_limit();

  void complain(std::string_view parameter, std::string detail);
  [[nodiscard]] std::optional<net::Response> finish();

private:
  void complain_choices(std::string_view parameter, std::string_view value,
                        const std::vector<std::string_view>& choices);

  const net::Request& request_;
  const Limits& limits_;
  std::vector<std::string_view> known_;
  std::vector<Complaint> complaints_;
};

/// The body as a JSON object. `may_be_empty`: no body stands for an object without members.
[[nodiscard]] Parsed<Value> parse_body(const net::Request& request, const Limits& limits,
                                       bool may_be_empty = false);

/// 413 when the variables of the request exceed max_variables_bytes.
[[nodiscard]] std::optional<net::Response> oversize(const net::Request& request,
                                                    const std::optional<Value>& variables,
                                                    const Limits& limits);

/// The key in the path, shown in messages as that of a `what`.
[[nodiscard]] Parsed<Key> path_key(const net::Request& request, std::string_view what);

/// A header that holds a name; nullopt when it is absent.
[[nodiscard]] Parsed<std::optional<std::string>> header_name(const net::Request& request,
                                                             std::string_view header,
                                                             const Limits& limits);

/// The Idempotency-Key with the digest of method, path and body; nullopt without that header.
[[nodiscard]] Parsed<std::optional<engine::Idempotency>> idempotency(const net::Request& request,
                                                                     const Limits& limits);

/// False for a request that a page of another site made a browser send (its user did not ask for
/// it).
[[nodiscard]] bool is_same_origin(const net::Request& request);

} // namespace perdure::api
