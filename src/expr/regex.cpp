// The only file that knows the PCRE2 library.
#include "expr/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "expr/regex_pattern.h"

namespace perdure::expr {

namespace {

constexpr std::size_t kMaxPatternBytes = 4096;
constexpr std::uint32_t kMaxHeapKib = 16 * 1024;

/// How often the matcher may try, counted anew at every starting place: enough for ordinary
/// patterns at a low price first, more at a high one when that does not do.
struct Tries {
  std::size_t least, most; ///< at one place; of all places together
  std::size_t steps;       ///< what it costs

  [[nodiscard]] std::uint32_t at_each_of(std::size_t places) const {
    return static_cast<std::uint32_t>(std::max(least, most / (places + 1)));
  }
};
constexpr Tries kFew = {200, 5'000, 20};
constexpr Tries kMany = {1'000, 10'000'000, 100'000};

struct Free {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};

constexpr std::string_view kTooLong =
    "the regular expression takes too long on this text; make it simpler.";

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

} // namespace

struct Regex::Program {
  std::unique_ptr<pcre2_code, Free> code;
  std::size_t groups = 0;

  /// Matches one text, again and again.
  class Matcher {
  public:
    Matcher(const Program& program, std::string_view text, const Spend& spend)
        : program_(program),
          text_(text),
          spend_(spend),
          data_(pcre2_match_data_create_from_pattern(program.code.get(), nullptr)),
          context_(pcre2_match_context_create(nullptr)) {
      pcre2_set_heap_limit(context_.get(), kMaxHeapKib);
    }

    /// Whether there is a match from `offset` on.
    Outcome<bool> find(std::size_t offset) {
      // The places before the match are paid with the first search that passes them.
      const auto places = text_.size() - offset;
      const auto found = run(offset, kFew, places > paid_ ? places : 1);
      paid_ = std::max(paid_, places);
      return found != kOverLimit ? outcome(found) : outcome(run(offset, kMany, 0));
    }

    [[nodiscard]] std::string_view group(std::size_t index) const {
      const auto* ends = pcre2_get_ovector_pointer(data_.get());
      const auto begin = ends[2 * index];
      const auto end = ends[2 * index + 1];
      return begin == PCRE2_UNSET || end < begin ? std::string_view()
                                                 : text_.substr(begin, end - begin);
    }
    [[nodiscard]] std::size_t end() const { return pcre2_get_ovector_pointer(data_.get())[1]; }

  private:
    static constexpr int kOverLimit = PCRE2_ERROR_MATCHLIMIT;

    int run(std::size_t offset, const Tries& tries, std::size_t more) {
      if (!spend_(tries.steps + more)) return PCRE2_ERROR_INTERNAL;
      const auto limit = tries.at_each_of(text_.size() - offset);
      pcre2_set_match_limit(context_.get(), limit);
      pcre2_set_depth_limit(context_.get(), limit);
      const int found = pcre2_match(program_.code.get(), bytes_of(text_), text_.size(), offset,
                                    PCRE2_NO_UTF_CHECK, data_.get(), context_.get());
      return found == PCRE2_ERROR_DEPTHLIMIT ? kOverLimit : found;
    }

    static Outcome<bool> outcome(int found) {
      if (found == PCRE2_ERROR_NOMATCH) return false;
      if (found < 0) return std::unexpected(std::string(kTooLong));
      return true;
    }

    const Program& program_;
    std::string_view text_;
    const Spend& spend_;
    std::size_t paid_ = 0;
    std::unique_ptr<pcre2_match_data, Free> data_;
    std::unique_ptr<pcre2_match_context, Free> context_;
  };
};

Regex::Outcome<Regex> Regex::compile(std::string_view pattern, std::string_view flags,
                                     const Spend& spend) {
  if (pattern.size() > kMaxPatternBytes) {
    return std::unexpected("the regular expression is too long; at most " +
                           std::to_string(kMaxPatternBytes) + " bytes are allowed.");
  }
  if (!spend(pattern.size())) return std::unexpected(std::string(kTooLong));
  constexpr std::string_view kFlags = "ismxq";
  if (!std::ranges::all_of(flags, [&](char flag) { return kFlags.contains(flag); })) {
    return std::unexpected("the flags must be of i, s, m, x and q.");
  }
  auto translated = translate_pattern(pattern, flags);
  if (!translated) return std::unexpected(std::move(translated.error()));
  std::uint32_t options = PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_DOLLAR_ENDONLY |
                          PCRE2_NEVER_BACKSLASH_C | PCRE2_MATCH_UNSET_BACKREF;
  if (flags.contains('i')) options |= PCRE2_CASELESS;
  if (flags.contains('m')) options |= PCRE2_MULTILINE;
  int error = 0;
  std::size_t offset = 0;
  auto* code =
      pcre2_compile(bytes_of(*translated), translated->size(), options, &error, &offset, nullptr);
  if (!code) return std::unexpected(std::string("the regular expression is too complex."));
  auto program = std::make_shared<Program>();
  program->code.reset(code);
  std::uint32_t groups = 0;
  pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &groups);
  program->groups = groups;
  return Regex(std::move(program));
}

Regex::Outcome<bool> Regex::is_found_in(std::string_view text, const Spend& spend) const {
  return Program::Matcher(*program_, text, spend).find(0);
}

Regex::Outcome<bool> Regex::for_each(std::string_view text, const Spend& spend,
                                     const std::function<void(const Groups&)>& visit) const {
  if (const auto empty = is_found_in({}, spend); !empty || *empty) {
    return std::unexpected(std::string("the pattern must not match the empty text."));
  }
  Program::Matcher matcher(*program_, text, spend);
  Groups groups(program_->groups + 1);
  for (std::size_t at = 0; at <= text.size();) {
    const auto found = matcher.find(at);
    if (!found) return found;
    if (!*found) break;
    for (std::size_t i = 0; i < groups.size(); ++i)
      groups[i] = matcher.group(i);
    // Without a character it matches between two: the next begins behind the next character.
    if (groups[0].empty()) {
      at = matcher.end() + 1;
      while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)
        ++at;
      continue;
    }
    visit(groups);
    at = matcher.end();
  }
  return true;
}

namespace {

/// One piece of a replacement: text, or a group to put in.
struct Part {
  std::string text;
  std::optional<std::size_t> group;
};

/// The digits after `$`: as many as name a group that exists, at least one.
std::size_t read_group(std::string_view digits, std::size_t groups, std::size_t& used) {
  std::size_t number = static_cast<std::size_t>(digits[0] - '0');
  used = 1;
  while (used < digits.size() && digits[used] >= '0' && digits[used] <= '9') {
    const auto longer = number * 10 + static_cast<std::size_t>(digits[used] - '0');
    if (longer > groups) break;
    number = longer;
    ++used;
  }
  return number;
}

std::optional<std::vector<Part>> read_replacement(std::string_view text, std::size_t groups) {
  std::vector<Part> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] == '\\') {
      if (next != '\\' && next != '$') return std::nullopt;
      parts.back().text += next;
      ++i;
    } else if (text[i] == '$') {
      if (next < '0' || next > '9') return std::nullopt;
      std::size_t used = 0;
      parts.back().group = read_group(text.substr(i + 1), groups, used);
      parts.emplace_back();
      i += used;
    } else {
      parts.back().text += text[i];
    }
  }
  return parts;
}

} // namespace

Regex::Outcome<std::string> Regex::replace(std::string_view text, std::string_view replacement,
                                           const Spend& spend) const {
  constexpr std::size_t kMaxBytes = std::size_t{16} * 1024 * 1024;
  const auto parts = read_replacement(replacement, program_->groups);
  if (!parts) {
    return std::unexpected(
        std::string("in the replacement $ stands before a digit; write \\$ and \\\\ for the "
                    "characters."));
  }
  std::string out;
  const auto* rest = text.data();
  const auto done = for_each(text, spend, [&](const Groups& groups) {
    if (out.size() > kMaxBytes) return;
    out.append(rest, groups[0].data());
    rest = groups[0].data() + groups[0].size();
    for (const auto& [literal, group] : *parts) {
      out += literal;
      if (group && *group < groups.size()) out += groups[*group];
    }
  });
  if (!done) return std::unexpected(done.error());
  if (out.size() > kMaxBytes) return std::unexpected(std::string("the result is too long."));
  return out.append(rest, text.data() + text.size());
}

Regex::Outcome<std::vector<std::string_view>> Regex::split(std::string_view text,
                                                           const Spend& spend) const {
  std::vector<std::string_view> parts;
  const auto* rest = text.data();
  const auto done = for_each(text, spend, [&](const Groups& groups) {
    parts.emplace_back(rest, groups[0].data());
    rest = groups[0].data() + groups[0].size();
  });
  if (!done) return std::unexpected(done.error());
  parts.emplace_back(rest, text.data() + text.size());
  return parts;
}

Regex::Outcome<std::vector<std::string_view>> Regex::all_in(std::string_view text,
                                                            const Spend& spend) const {
  std::vector<std::string_view> matches;
  const auto done =
      for_each(text, spend, [&](const Groups& groups) { matches.push_back(groups[0]); });
  if (!done) return std::unexpected(done.error());
  return matches;
}

} // namespace perdure::expr
