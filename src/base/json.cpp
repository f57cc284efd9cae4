// Reading is Boost.JSON's incremental parser with our own handler, which re-reads every number from
// its literal text and refuses what the stock handler lets pass. Writing is our own.
#include "base/json.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_set>
#include <vector>

namespace perdure::json {

namespace {

using boost::json::error_code;

/// Builds the Value bottom-up on a stack of open containers; no recursion.
class Handler {
public:
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }

  bool on_array_begin(error_code&) { return open(Array{}); }
  bool on_array_end(std::size_t, error_code&) { return close(); }
  bool on_object_begin(error_code&) { return open(Object{}); }
  bool on_object_end(std::size_t, error_code&) { return close(); }

  bool on_key_part(std::string_view part, std::size_t, error_code&) { return gather(part); }
  bool on_key(std::string_view part, std::size_t, error_code& error) {
    gather(part);
    auto& container = open_.back();
    if (is_duplicate(container)) return refuse("the key \"" + text_ + "\" appears twice", error);
    container.key = std::exchange(text_, {});
    return true;
  }

  bool on_string_part(std::string_view part, std::size_t, error_code&) { return gather(part); }
  bool on_string(std::string_view part, std::size_t, error_code&) {
    gather(part);
    return place(Value(std::exchange(text_, {})));
  }

  bool on_number_part(std::string_view part, error_code&) { return gather(part); }
  bool on_int64(std::int64_t number, std::string_view, error_code&) {
    text_.clear();
    return place(Value(number));
  }
  bool on_uint64(std::uint64_t, std::string_view part, error_code& error) {
    gather(part);
    return refuse_integer(error);
  }
  bool on_double(double rough, std::string_view part, error_code& error);

  bool on_bool(bool value, error_code&) { return place(Value(value)); }
  bool on_null(error_code&) { return place(Value()); }
  bool on_comment_part(std::string_view, error_code&) { return true; }
  bool on_comment(std::string_view, error_code&) { return true; }

  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] Value take() { return std::move(root_); }

private:
  struct Container {
    Value value;
    std::string key;                      ///< of the member being read
    std::unordered_set<std::string> keys; ///< filled once linear search would be slow
  };
  static constexpr std::size_t kLinearKeys = 16;

  bool gather(std::string_view part) {
    text_ += part;
    return true;
  }

  bool open(Value value) {
    open_.push_back({std::move(value), {}, {}});
    return true;
  }

  bool close() {
    Value value = std::move(open_.back().value);
    open_.pop_back();
    return place(std::move(value));
  }

  bool place(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (auto* array = open_.back().value.as<Array>()) {
      array->push_back(std::move(value));
    } else {
      open_.back().value.as<Object>()->append(std::move(open_.back().key), std::move(value));
    }
    return true;
  }

  bool is_duplicate(Container& container) {
    const auto& object = *container.value.as<Object>();
    if (object.size() < kLinearKeys) return object.find(text_) != nullptr;
    if (container.keys.empty()) {
      for (const auto& [key, value] : object)
        container.keys.insert(key);
    }
    return !container.keys.insert(text_).second;
  }

  bool refuse_integer(error_code& error) {
    if (text_.size() > 40) text_ = text_.substr(0, 40) + "...";
    return refuse("the integer " + text_ + " is beyond 64 bits; send it as a string", error);
  }

  bool refuse(std::string reason, error_code& error) {
    reason_ = std::move(reason);
    error = boost::json::error::syntax;
    return false;
  }

  std::vector<Container> open_;
  std::string text_; ///< parts of the string, key or number being read
  std::string reason_;
  Value root_;
};

bool Handler::on_double(double rough, std::string_view part, error_code& error) {
  gather(part);
  if (text_.find_first_of(".eE") == std::string::npos) return refuse_integer(error);
  double number = 0;
  const auto [end, problem] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
  // Out of range is said of both ends: too small rounds to zero as every decimal fraction rounds.
  if (problem == std::errc::result_out_of_range && std::abs(rough) < 1) {
    number = std::copysign(0.0, rough);
  } else if (problem != std::errc{} || !std::isfinite(number)) {
    return refuse("the number is beyond the range of a double; send it as a string", error);
  }
  text_.clear();
  return place(Value(number));
}

std::string_view reason_of(const error_code& error, std::string_view rest) {
  namespace js = boost::json;
  if (error == js::error::incomplete) return "the text ends in the middle of a value";
  if (error == js::error::extra_data) return "there is more text after the value";
  if (error == js::error::too_deep) return "arrays and objects are nested too deep";
  if (error == js::error::exponent_overflow) {
    return "the number is beyond the range of a double; send it as a string";
  }
  if (error == js::error::illegal_leading_surrogate ||
      error == js::error::illegal_trailing_surrogate || error == js::error::expected_utf16_escape) {
    return "a \\u escape is half of a surrogate pair";
  }
  if (error == js::error::expected_hex_digit) return "\\u needs four hexadecimal digits";
  const auto byte = rest.empty() ? ' ' : static_cast<unsigned char>(rest.front());
  if (byte >= 0x80) return "the bytes here are not valid UTF-8 inside a string";
  if (byte < 0x20) return "a control character cannot stand here; escape it as \\u00XX";
  return "this is not JSON";
}

Error error_at(std::string_view text, std::size_t offset, std::string_view reason) {
  const auto before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const auto line_start = before.rfind('\n');
  const auto column = before.size() - (line_start == std::string_view::npos ? 0 : line_start + 1);
  return Error{ErrorCode::invalid_input,
               "JSON line " + std::to_string(line) + ", column " + std::to_string(column + 1) +
                   ": " + std::string(reason) + ".",
               {}};
}

} // namespace

Result<Value> parse(std::string_view text, const Limits& limits) {
  if (text.size() > limits.max_bytes) {
    return fail(ErrorCode::invalid_input, "The JSON text has " + std::to_string(text.size()) +
                                              " bytes; at most " +
                                              std::to_string(limits.max_bytes) + " are allowed.");
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    return std::unexpected(error_at(text, 0, "the text starts with a byte order mark; remove it"));
  }
  boost::json::parse_options options;
  options.max_depth = limits.max_depth;
  boost::json::basic_parser<Handler> parser(options);
  error_code error;
  const auto used = parser.write_some(false, text.data(), text.size(), error);
  if (!error && used < text.size()) error = boost::json::error::extra_data;
  if (error) {
    const auto& reason = parser.handler().reason();
    return std::unexpected(
        error_at(text, used, reason.empty() ? reason_of(error, text.substr(used)) : reason));
  }
  return parser.handler().take();
}

namespace {

void append_escape(std::string& out, char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default:
      out += "\\u00";
      out += kHex[(c >> 4) & 0xF];
      out += kHex[c & 0xF];
  }
}

/// One writer for both layouts: `indent` < 0 is compact.
class Writer {
public:
  Writer(std::string& out, bool pretty) : out_(out), pretty_(pretty) {}

  void write(const Value& value) {
    std::visit([this](const auto& data) { put(data); }, value.data());
  }

private:
  void put(std::nullptr_t) { out_ += "null"; }
  void put(bool value) { out_ += value ? "true" : "false"; }
  void put(std::int64_t number) { append_int(out_, number); }
  void put(double number) { append_double(out_, number); }
  void put(const std::string& text) { append_string(out_, text); }

  void put(const Array& array) {
    out_ += '[';
    ++level_;
    bool first = true;
    for (const auto& item : array) {
      separate(first);
      write(item);
    }
    end_container(array.empty(), ']');
  }

  void put(const Object& object) {
    out_ += '{';
    ++level_;
    bool first = true;
    for (const auto& [key, value] : object) {
      separate(first);
      append_string(out_, key);
      out_ += pretty_ ? ": " : ":";
      write(value);
    }
    end_container(object.empty(), '}');
  }

  void separate(bool& first) {
    if (!first) out_ += ',';
    first = false;
    new_line();
  }

  void end_container(bool empty, char bracket) {
    --level_;
    if (!empty) new_line();
    out_ += bracket;
  }

  void new_line() {
    if (pretty_) out_.append(1, '\n').append(level_ * 2, ' ');
  }

  std::string& out_;
  bool pretty_;
  std::size_t level_ = 0;
};

} // namespace

void append_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') continue;
    out += text.substr(start, i - start);
    append_escape(out, c);
    start = i + 1;
  }
  out += text.substr(start);
  out += '"';
}

void append_int(std::string& out, std::int64_t number) {
  char buffer[24];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  out.append(buffer, end);
}

void append_double(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  char buffer[40];
  const auto size = std::abs(number);
  // Plain digits in the range where people read them; both forms read back to the same bits.
  const bool plain = size == 0 || (size >= 1e-6 && size < 1e21);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number, format);
  out.append(buffer, end);
  // A fraction marks it as a double for the next reader.
  if (plain && std::find(buffer, end, '.') == end) out += ".0";
}

void append(std::string& out, const Value& value) { Writer(out, false).write(value); }

std::string write(const Value& value) {
  std::string out;
  append(out, value);
  return out;
}

std::string write_pretty(const Value& value) {
  std::string out;
  Writer(out, true).write(value);
  return out;
}

} // namespace perdure::json
