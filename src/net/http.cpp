// HTTP message values: lookup and the bytes of an answer's head.
#include "net/http.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace perdure::net {

namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool is_framing(std::string_view name) {
  return same_name(name, "Content-Length") || same_name(name, "Transfer-Encoding") ||
         same_name(name, "Connection");
}

// A line break in a value would let user data forge header fields.
void append_field(std::string& out, std::string_view name, std::string_view value) {
  const auto printable = [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7f ? ' ' : letter;
  };
  std::ranges::transform(name, std::back_inserter(out), printable);
  out += ": ";
  std::ranges::transform(value, std::back_inserter(out), printable);
  out += "\r\n";
}

bool may_have_body(int status) { return status >= 200 && status != 204 && status != 304; }

} // namespace

bool same_name(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, {}, lower, lower);
}

std::optional<std::string_view> find_header(const Fields& headers, std::string_view name) {
  const auto found = std::ranges::find_if(
      headers, [&](const Field& field) { return same_name(field.first, name); });
  if (found == headers.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string_view> Request::header(std::string_view name) const {
  return find_header(headers, name);
}

std::optional<std::string_view> Request::query(std::string_view name) const {
  const auto found = std::ranges::find(query_parameters, name, &Field::first);
  if (found == query_parameters.end()) return std::nullopt;
  return found->second;
}

const std::string& Request::path_parameter(std::string_view name) const {
  const auto found = std::ranges::find(path_parameters, name, &Field::first);
  PERDURE_CHECK(found != path_parameters.end());
  return found->second;
}

std::string_view Request::raw_path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string_view reason_phrase(int status) {
  struct Phrase {
    int status;
    std::string_view text;
  };
  static constexpr std::array kPhrases = {
      Phrase{100, "Continue"},
      Phrase{200, "OK"},
      Phrase{201, "Created"},
      Phrase{202, "Accepted"},
      Phrase{204, "No Content"},
      Phrase{206, "Partial Content"},
      Phrase{301, "Moved Permanently"},
      Phrase{302, "Found"},
      Phrase{303, "See Other"},
      Phrase{304, "Not Modified"},
      Phrase{307, "Temporary Redirect"},
      Phrase{308, "Permanent Redirect"},
      Phrase{400, "Bad Request"},
      Phrase{401, "Unauthorized"},
      Phrase{403, "Forbidden"},
      Phrase{404, "Not Found"},
      Phrase{405, "Method Not Allowed"},
      Phrase{406, "Not Acceptable"},
      Phrase{408, "Request Timeout"},
      Phrase{409, "Conflict"},
      Phrase{410, "Gone"},
      Phrase{411, "Length Required"},
      Phrase{412, "Precondition Failed"},
      Phrase{413, "Content Too Large"},
      Phrase{415, "Unsupported Media Type"},
      Phrase{417, "Expectation Failed"},
      Phrase{421, "Misdirected Request"},
      Phrase{422, "Unprocessable Content"},
      Phrase{428, "Precondition Required"},
      Phrase{429, "Too Many Requests"},
      Phrase{431, "Request Header Fields Too Large"},
      Phrase{500, "Internal Server Error"},
      Phrase{501, "Not Implemented"},
      Phrase{502, "Bad Gateway"},
      Phrase{503, "Service Unavailable"},
      Phrase{504, "Gateway Timeout"},
      Phrase{505, "HTTP Version Not Supported"},
  };
  const auto* found = std::ranges::find(kPhrases, status, &Phrase::status);
  return found == kPhrases.end() ? "Unknown" : found->text;
}

std::string response_head(const Response& response, Framing framing) {
  std::string out;
  out.reserve(192);
  out += "HTTP/1.1 ";
  out += std::to_string(response.status);
  out += ' ';
  out += reason_phrase(response.status);
  out += "\r\n";
  if (may_have_body(response.status)) {
    if (!response.body.empty() && !response.content_type.empty()) {
      append_field(out, "Content-Type", response.content_type);
    }
    append_field(out, "Content-Length", std::to_string(response.body.size()));
  }
  for (const auto& [name, value] : response.headers) {
    if (!is_framing(name)) append_field(out, name, value);
  }
  if (!framing.keep_alive)
    out += "Connection: close\r\n";
  else if (framing.name_keep_alive)
    out += "Connection: keep-alive\r\n";
  out += "\r\n";
  return out;
}

} // namespace perdure::net
