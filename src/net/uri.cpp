// Request targets: splitting, percent decoding, and the refusal of bytes that are no text.
#include "net/uri.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace perdure::net {

namespace {

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

bool is_text(std::string_view bytes) { return utf8::is_valid(bytes) && !bytes.contains('\0'); }

std::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::invalid_input, std::move(message));
}

Result<std::string> decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[at] != '%') {
      out += text[at];
    } else {
      const int high = at + 2 < text.size() ? hex_value(text[at + 1]) : -1;
      const int low = at + 2 < text.size() ? hex_value(text[at + 2]) : -1;
      if (high < 0 || low < 0) {
        return refuse("a percent sign in the URL needs two hexadecimal digits; send %25 for %");
      }
      out += static_cast<char>(high * 16 + low);
      at += 2;
    }
  }
  if (!is_text(out)) return refuse("the URL is not UTF-8 text once decoded; encode it as UTF-8");
  return out;
}

// "http://host:port/path" -> "/path"; the host is not ours to judge.
std::string_view without_authority(std::string_view target) {
  const auto scheme_end = target.find("://");
  if (scheme_end == std::string_view::npos || scheme_end == 0) return {};
  const bool scheme = std::ranges::all_of(target.substr(0, scheme_end), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  });
  if (!scheme) return {};
  const auto path = target.find_first_of("/?", scheme_end + 3);
  return path == std::string_view::npos ? std::string_view("/") : target.substr(path);
}

} // namespace

Result<std::string> percent_decode(std::string_view text) { return decode(text, false); }

Result<Fields> parse_query(std::string_view text) {
  Fields fields;
  while (!text.empty()) {
    const auto end = std::min(text.find('&'), text.size());
    const auto pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const auto equals = std::min(pair.find('='), pair.size());
    auto name = decode(pair.substr(0, equals), true);
    if (!name) return std::unexpected(name.error());
    auto value = decode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!value) return std::unexpected(value.error());
    fields.emplace_back(std::move(*name), std::move(*value));
  }
  return fields;
}

Result<Target> parse_target(std::string_view target) {
  if (target == "*") return Target{.origin_form = "*", .path = "*", .query = {}};
  Target parsed;
  if (target.starts_with('/')) {
    parsed.origin_form = target;
  } else {
    const auto rest = without_authority(target);
    if (rest.empty()) return refuse("the request target must begin with a slash");
    if (rest.starts_with('?')) parsed.origin_form = '/';
    parsed.origin_form += rest;
  }
  const std::string_view whole = parsed.origin_form;
  const auto question = std::min(whole.find('?'), whole.size());
  auto path = percent_decode(whole.substr(0, question));
  if (!path) return std::unexpected(path.error());
  auto query = parse_query(whole.substr(std::min(question + 1, whole.size())));
  if (!query) return std::unexpected(query.error());
  parsed.path = std::move(*path);
  parsed.query = std::move(*query);
  return parsed;
}

std::string percent_encode(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') ||
                       std::string_view("-._~").contains(letter);
    if (plain) {
      out += letter;
    } else {
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

} // namespace perdure::net
