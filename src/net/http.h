// HTTP messages as handlers see them: plain values, no sockets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure::net {

/// One name and its value: a header field, a query or a path parameter.
using Field = std::pair<std::string, std::string>;
using Fields = std::vector<Field>;

/// Equal but for the case of ASCII letters, as header names compare.
[[nodiscard]] bool same_name(std::string_view left, std::string_view right);
/// The first header of that name; the view lives as long as `headers` stays unchanged.
[[nodiscard]] std::optional<std::string_view> find_header(const Fields& headers,
                                                          std::string_view name);

struct Request {
  std::string method; ///< as sent; methods are case-sensitive
  std::string target; ///< origin form as sent: "/path?query", or "*"
  std::string path;   ///< decoded path; use the path parameters where %2F must stay apart from /
  Fields query_parameters; ///< decoded, in order, repeated names kept
  Fields path_parameters;  ///< decoded, filled in by the router
  Fields headers;          ///< in order, repeated names kept
  std::string body;
  std::string peer; ///< numeric address of the client, without port

  /// The first header of that name, whatever the case of its letters.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
  /// The first query parameter of exactly that name.
  [[nodiscard]] std::optional<std::string_view> query(std::string_view name) const;
  /// The path parameter of that name; a bug when the route's pattern has none.
  [[nodiscard]] const std::string& path_parameter(std::string_view name) const;
  /// The part of `target` before the question mark, still percent-encoded.
  [[nodiscard]] std::string_view raw_path() const;
};

struct Response {
  int status = 200;
  /// The server writes Content-Length, Connection and Transfer-Encoding itself and leaves out any
  /// given here. Control characters in a value become spaces.
  Fields headers = {};
  std::string body = {};
  std::string content_type = "application/json"; ///< left out when there is no body
};

/// "Not Found" for 404; "Unknown" for a status without a standard phrase.
[[nodiscard]] std::string_view reason_phrase(int status);

/// What the connection adds to an answer.
struct Framing {
  bool keep_alive = true;       ///< false: announces that the connection closes
  bool name_keep_alive = false; ///< HTTP/1.0 peers must be told that it stays open
};
/// Status line and header fields up to and with the empty line.
[[nodiscard]] std::string response_head(const Response& response, Framing framing);

} // namespace perdure::net
