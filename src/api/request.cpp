#include "api/request.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/digest.h"
#include "base/json.h"

namespace perdure::api {
namespace {

/// Room in a body for what stands beside the variables.
constexpr std::size_t kBodySlack = 64 * 1024;
constexpr std::size_t kMaxShownBytes = 60;

std::string quoted(std::string_view text) {
  std::string out;
  if (text.size() > kMaxShownBytes) {
    auto cut = kMaxShownBytes;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80)
      --cut;
    json::append_string(out, std::string(text.substr(0, cut)) + "...");
  } else {
    json::append_string(out, text);
  }
  return out;
}

/// Member name as a reference token of a JSON pointer (RFC 6901).
std::string pointer_to(std::string_view member) {
  std::string pointer = "/";
  for (const char c : member) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

/// What is wrong with a name; empty when nothing is.
std::string fault_of_name(std::string_view name, const Limits& limits) {
  if (name.empty()) return "must not be empty";
  if (name.size() > limits.max_name_bytes) {
    return "has " + std::to_string(name.size()) + " bytes; at most " +
           std::to_string(limits.max_name_bytes) + " are allowed";
  }
  if (has_control_character(name)) return "must not contain control characters";
  return {};
}

std::string fault_of_range(std::int64_t number, Range range) {
  if (number >= range.least && number <= range.most) return {};
  std::string fault = "is " + std::to_string(number) + "; give an integer ";
  if (range.most == std::numeric_limits<std::int64_t>::max()) {
    return fault + "of at least " + std::to_string(range.least);
  }
  return fault + "from " + std::to_string(range.least) + " to " + std::to_string(range.most);
}

std::string wrong_type(const Value& value, std::string_view wanted) {
  return "must be " + std::string(wanted) + "; it is of type " + std::string(value.type_name());
}

std::optional<net::Response> answer_of(const std::vector<Complaint>& complaints) {
  if (complaints.empty()) return std::nullopt;
  return invalid_request(complaints);
}

} // namespace

// ---- body
// -----------------------------------------------------------------------------------------

std::optional<std::string> BodyReader::name(std::string_view member) {
  const auto* value = find(member);
  if (value == nullptr) return std::nullopt;
  return checked_name(*value, pointer_to(member));
}

std::string BodyReader::required_name(std::string_view member) {
  const auto* value = require(member);
  if (value == nullptr) return {};
  return checked_name(*value, pointer_to(member)).value_or("");
}

std::optional<std::string> BodyReader::text(std::string_view member) {
  const auto* value = find(member);
  if (value == nullptr) return std::nullopt;
  const auto* text = value->as<std::string>();
  if (text == nullptr) {
    complain(member, wrong_type(*value, "a string"));
  } else if (text->size() > limits_.max_text_bytes) {
    complain(member, "has " + std::to_string(text->size()) + " bytes; at most " +
                         std::to_string(limits_.max_text_bytes) + " are allowed");
  } else {
    return *text;
  }
  return std::nullopt;
}

std::optional<std::int64_t> BodyReader::integer(std::string_view member, Range range) {
  const auto* value = find(member);
  if (value == nullptr) return std::nullopt;
  const auto* number = value->as<std::int64_t>();
  if (number == nullptr) {
    complain(member, wrong_type(*value, "an integer"));
    return std::nullopt;
  }
  const auto fault = fault_of_range(*number, range);
  if (fault.empty()) return *number;
  complain(member, fault);
  return std::nullopt;
}

std::int64_t BodyReader::required_integer(std::string_view member, Range range) {
  if (require(member) == nullptr) return range.least;
  return integer(member, range).value_or(range.least);
}

std::optional<Duration> BodyReader::milliseconds(std::string_view member, Range range) {
  const auto number = integer(member, range);
  if (!number) return std::nullopt;
  return Duration(*number);
}

Duration BodyReader::required_milliseconds(std::string_view member, Range range) {
  return Duration(required_integer(member, range));
}

bool BodyReader::flag(std::string_view member) {
  const auto* value = find(member);
  if (value == nullptr) return false;
  if (const auto* flag = value->as<bool>()) return *flag;
  complain(member, wrong_type(*value, "true or false"));
  return false;
}

std::optional<Key> BodyReader::key(std::string_view member) {
  const auto* value = find(member);
  if (value == nullptr) return std::nullopt;
  std::optional<Key> key;
  if (const auto* text = value->as<std::string>()) key = parse_key(*text);
  if (const auto* number = value->as<std::int64_t>(); number != nullptr && *number > 0)
    key = *number;
  if (!key) complain(member, "must be a key: a positive decimal number, as a string or an integer");
  return key;
}

std::string BodyReader::required_name_or_integer(std::string_view member) {
  const auto* value = require(member);
  if (value == nullptr) return {};
  if (const auto* number = value->as<std::int64_t>()) return std::to_string(*number);
  return checked_name(*value, pointer_to(member)).value_or("");
}

std::vector<std::string> BodyReader::required_types(std::string_view member) {
  std::vector<std::string> types;
  const auto* value = require(member);
  if (value == nullptr) return types;
  const auto* list = value->as<Array>();
  if (list == nullptr) {
    complain(member, wrong_type(*value, "a list of task types"));
    return types;
  }
  if (list->empty()) complain(member, "must name at least one task type");
  if (list->size() > limits_.max_task_types) {
    complain(member, "has " + std::to_string(list->size()) + " entries; at most " +
                         std::to_string(limits_.max_task_types) + " are allowed");
    return types;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto pointer = pointer_to(member) + "/" + std::to_string(i);
    const Value* type = &(*list)[i];
    if (type->is_object()) {
      type = type->find("type");
      if (type == nullptr) {
        complain_at(pointer, "needs the member \"type\"");
        continue;
      }
      pointer += "/type";
    }
    if (auto name = checked_name(*type, pointer)) types.push_back(std::move(*name));
  }
  return types;
}

std::vector<std::pair<std::string, std::string>> BodyReader::required_files(
    std::string_view member) {
  std::vector<std::pair<std::string, std::string>> files;
  const auto* value = require(member);
  if (value == nullptr) return files;
  const auto* list = value->as<Array>();
  if (list == nullptr || list->empty()) {
    complain(member, "must be a list of at least one file");
    return files;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto pointer = pointer_to(member) + "/" + std::to_string(i);
    const auto* name = (*list)[i].find("name");
    const auto* content = (*list)[i].find("content");
    const auto* text = content ? content->as<std::string>() : nullptr;
    if (name == nullptr || text == nullptr || (*list)[i].as<Object>()->size() != 2) {
      complain_at(pointer, "must have two members, \"name\" and, as text, \"content\"");
      continue;
    }
    auto known = checked_name(*name, pointer + "/name");
    if (!known) continue;
    const bool is_twice =
        std::ranges::any_of(files, [&](const auto& file) { return file.first == *known; });
    if (is_twice) complain_at(pointer + "/name", "is the name of another file too");
    files.emplace_back(*std::move(known), *text);
  }
  return files;
}

std::optional<Value> BodyReader::value(std::string_view member) {
  (void)find(member);
  const auto* value = body_.find(member);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<Value> BodyReader::object(std::string_view member) {
  const auto* value = find(member);
  if (value == nullptr) return std::nullopt;
  if (value->is_object()) return *value;
  complain(member, wrong_type(*value, "an object"));
  return std::nullopt;
}

std::vector<std::string> BodyReader::names(std::string_view member) {
  std::vector<std::string> names;
  const auto* value = find(member);
  if (value == nullptr) return names;
  const auto* list = value->as<Array>();
  if (list == nullptr) {
    complain(member, wrong_type(*value, "a list of names"));
    return names;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto name = checked_name((*list)[i], pointer_to(member) + "/" + std::to_string(i));
    if (name) names.push_back(std::move(*name));
  }
  return names;
}

std::map<std::string, std::string, std::less<>> BodyReader::name_map(std::string_view member) {
  std::map<std::string, std::string, std::less<>> names;
  const auto value = object(member);
  if (!value) return names;
  for (const auto& [key, item] : *value->as<Object>()) {
    auto name = checked_name(item, pointer_to(member) + "/" + key);
    if (name) names.emplace(key, std::move(*name));
  }
  return names;
}

std::vector<Object> BodyReader::required_objects(std::string_view member) {
  std::vector<Object> objects;
  const auto* value = require(member);
  if (value == nullptr) return objects;
  const auto* list = value->as<Array>();
  if (list == nullptr) {
    complain(member, wrong_type(*value, "a list of objects"));
    return objects;
  }
  if (list->empty()) complain(member, "must have at least one entry");
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (const auto* object = (*list)[i].as<Object>()) {
      objects.push_back(*object);
    } else {
      complain_at(pointer_to(member) + "/" + std::to_string(i),
                  wrong_type((*list)[i], "an object"));
    }
  }
  return objects;
}

void BodyReader::complain(std::string_view member, std::string detail) {
  complain_at(pointer_to(member), std::move(detail));
}

std::optional<net::Response> BodyReader::finish() {
  for (const auto& [name, value] : body_) {
    if (std::ranges::find(known_, name) != known_.end()) continue;
    std::string detail = "is not known here; remove it or correct its name (known:";
    for (const auto known : known_)
      detail.append(" ").append(known);
    complain(name, detail + ")");
  }
  return answer_of(complaints_);
}

const Value* BodyReader::find(std::string_view member) {
  if (std::ranges::find(known_, member) == known_.end()) known_.push_back(member);
  const auto* value = body_.find(member);
  return value == nullptr || value->is_null() ? nullptr : value;
}

const Value* BodyReader::require(std::string_view member) {
  const auto* value = find(member);
  if (value == nullptr) complain(member, "is missing; give it a value");
  return value;
}

void BodyReader::complain_at(std::string pointer, std::string detail) {
  detail = "The member " + quoted(pointer) + " " + detail + ".";
  complaints_.push_back({Complaint::Part::body, std::move(pointer), std::move(detail)});
}

std::optional<std::string> BodyReader::checked_name(const Value& value,
                                                    const std::string& pointer) {
  const auto* name = value.as<std::string>();
  if (name == nullptr) {
    complain_at(pointer, wrong_type(value, "a string"));
    return std::nullopt;
  }
  const auto fault = fault_of_name(*name, limits_);
  if (fault.empty()) return *name;
  complain_at(pointer, fault);
  return std::nullopt;
}

// ---- query
// ----------------------------------------------------------------------------------------

std::optional<std::string> QueryReader::text(std::string_view parameter) {
  known_.push_back(parameter);
  const auto same = [&](const net::Field& field) { return field.first == parameter; };
  if (std::ranges::count_if(request_.query_parameters, same) > 1) {
    complain(parameter, "is given more than once");
  }
  const auto value = request_.query(parameter);
  if (!value) return std::nullopt;
  const auto fault = fault_of_name(*value, limits_);
  if (fault.empty()) return std::string(*value);
  complain(parameter, fault);
  return std::nullopt;
}

std::optional<std::int64_t> QueryReader::integer(std::string_view parameter, Range range) {
  const auto value = text(parameter);
  if (!value) return std::nullopt;
  std::int64_t number = 0;
  const auto* end = value->data() + value->size();
  const auto [stop, error] = std::from_chars(value->data(), end, number);
  const auto fault = error != std::errc{} || stop != end
                         ? "is " + quoted(*value) + "; give an integer"
                         : fault_of_range(number, range);
  if (fault.empty()) return number;
  complain(parameter, fault);
  return std::nullopt;
}

std::optional<Key> QueryReader::key(std::string_view parameter) {
  const auto value = text(parameter);
  if (!value) return std::nullopt;
  const auto key = parse_key(*value);
  if (!key) complain(parameter, "is " + quoted(*value) + "; give a key, a positive decimal number");
  return key;
}

bool QueryReader::flag(std::string_view parameter, bool absent) {
  const auto choice = one_of(parameter, {"false", "true"});
  return choice ? *choice == 1 : absent;
}

std::optional<std::size_t> QueryReader::one_of(std::string_view parameter,
                                               std::initializer_list<std::string_view> choices) {
  const auto value = text(parameter);
  if (!value) return std::nullopt;
  const auto found = std::ranges::find(choices, *value);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  complain_choices(parameter, *value, choices);
  return std::nullopt;
}

std::int64_t QueryReader::page_limit() {
  constexpr std::int64_t kUsual = 100;
  return integer("limit", {1, limits_.max_page}).value_or(std::min(kUsual, limits_.max_page));
}

void QueryReader::complain(std::string_view parameter, std::string detail) {
  detail = "The query parameter " + quoted(parameter) + " " + detail + ".";
  complaints_.push_back({Complaint::Part::query, std::string(parameter), std::move(detail)});
}

std::optional<net::Response> QueryReader::finish() {
  for (const auto& [name, value] : request_.query_parameters) {
    if (std::ranges::find(known_, name) != known_.end()) continue;
    std::string detail = "is not known here; remove it or correct its name";
    if (!known_.empty()) {
      detail += " (known:";
      for (const auto known : known_)
        detail.append(" ").append(known);
      detail += ')';
    }
    complain(name, detail);
  }
  return answer_of(complaints_);
}

void QueryReader::complain_choices(std::string_view parameter, std::string_view value,
                                   const std::vector<std::string_view>& choices) {
  std::string detail = "is " + quoted(value) + "; give one of";
  for (const auto choice : choices)
    detail.append(" ").append(choice);
  complain(parameter, detail);
}

// ---- the rest of a request
// ------------------------------------------------------------------------

Parsed<Value> parse_body(const net::Request& request, const Limits& limits, bool may_be_empty) {
  if (request.body.empty() && may_be_empty) return Value(Object{});
  const auto most = limits.max_variables_bytes + kBodySlack;
  if (request.body.size() > most) {
    return std::unexpected(
        too_large("The body has " + std::to_string(request.body.size()) + " bytes; send at most " +
                  std::to_string(most) +
                  ", and keep large data outside, with a reference in the variables."));
  }
  auto parsed = json::parse(request.body);
  if (!parsed) {
    return std::unexpected(invalid_request({Complaint::Part::body, "", parsed.error().message}));
  }
  if (!parsed->is_object()) {
    return std::unexpected(invalid_request(
        {Complaint::Part::body, "", "The body " + wrong_type(*parsed, "a JSON object") + "."}));
  }
  return std::move(*parsed);
}

std::optional<net::Response> oversize(const net::Request& request,
                                      const std::optional<Value>& variables, const Limits& limits) {
  const auto most = limits.max_variables_bytes;
  if (!variables || request.body.size() <= most) return std::nullopt; // no need to measure
  const auto size = json::write(*variables).size();
  if (size <= most) return std::nullopt;
  return too_large("The variables have " + std::to_string(size) + " bytes as JSON; send at most " +
                   std::to_string(most) +
                   ", and keep large data outside, with a reference in the variables.");
}

Parsed<Key> path_key(const net::Request& request, std::string_view what) {
  const auto& text = request.path_parameter("id");
  if (const auto key = parse_key(text)) return *key;
  return std::unexpected(
      invalid_request({Complaint::Part::path, "id",
                       "The id " + quoted(text) + " is no key; give the decimal number of a " +
                           std::string(what) + "."}));
}

Parsed<std::optional<std::string>> header_name(const net::Request& request, std::string_view header,
                                               const Limits& limits) {
  const auto value = request.header(header);
  if (!value) return std::nullopt;
  const auto fault = fault_of_name(*value, limits);
  if (fault.empty()) return std::string(*value);
  std::string detail = "The header " + std::string(header) + " " + fault + ".";
  return std::unexpected(
      invalid_request({Complaint::Part::header, std::string(header), std::move(detail)}));
}

Parsed<std::optional<engine::Idempotency>> idempotency(const net::Request& request,
                                                       const Limits& limits) {
  auto key = header_name(request, "Idempotency-Key", limits);
  if (!key) return std::unexpected(std::move(key.error()));
  if (!*key) return std::nullopt;
  std::string digested = request.method + " " + std::string(request.raw_path()) + "\n";
  return engine::Idempotency{std::move(**key), sha256_hex(digested + request.body)};
}

bool is_same_origin(const net::Request& request) {
  if (request.method == "GET" || request.method == "HEAD" || request.method == "OPTIONS")
    return true;
  if (const auto site = request.header("Sec-Fetch-Site")) {
    return *site == "same-origin" || *site == "none";
  }
  const auto origin = request.header("Origin");
  if (!origin) return true; // no browser
  const auto host_at = origin->find("://");
  if (host_at == std::string_view::npos) return false;
  const auto host = request.header("Host");
  return host && net::same_name(origin->substr(host_at + 3), *host);
}

} // namespace perdure::api
