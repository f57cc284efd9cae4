#include "xml/xml.h"

// Debian's expat has the protection against entity bombs, but its header hides the functions
// without this.
#ifndef XML_DTD
#define XML_DTD 1
#endif
#include <expat.h>

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace perdure::xml {

namespace {

using definition::Code;
using definition::SourcePlace;

/// Joins namespace and name in what expat reports; no XML text can contain it.
constexpr char kSeparator = '\x1f';
constexpr float kMaxAmplification = 4.0F;
constexpr unsigned long long kAmplificationFrom = 1024 * 1024;

struct ParserDeleter {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};
using ParserPtr = std::unique_ptr<std::remove_pointer_t<XML_Parser>, ParserDeleter>;

std::pair<Vocabulary, std::string> split(const char* expat_name) {
  const std::string_view whole = expat_name;
  const auto at = whole.find(kSeparator);
  if (at == std::string_view::npos) return {Vocabulary::none, std::string(whole)};
  return {vocabulary_of(whole.substr(0, at)), std::string(whole.substr(at + 1))};
}

/// Builds the tree from expat's events. The path holds the open elements; a finished one moves into
/// its parent, so that no pointer into a growing vector is ever kept.
class TreeBuilder {
public:
  explicit TreeBuilder(XML_Parser parser) : parser_(parser) {
    XML_SetUserData(parser, this);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_SetStartDoctypeDeclHandler(parser, on_doctype);
    XML_SetBillionLaughsAttackProtectionMaximumAmplification(parser, kMaxAmplification);
    XML_SetBillionLaughsAttackProtectionActivationThreshold(parser, kAmplificationFrom);
  }

  [[nodiscard]] SourcePlace place() const {
    return {static_cast<int>(XML_GetCurrentLineNumber(parser_)),
            static_cast<int>(XML_GetCurrentColumnNumber(parser_)) + 1};
  }
  [[nodiscard]] std::optional<Problem>& problem() { return problem_; }
  [[nodiscard]] std::size_t open_elements() const { return path_.size(); }
  [[nodiscard]] Element take_root() { return std::move(root_); }

private:
  static TreeBuilder& self(void* user_data) { return *static_cast<TreeBuilder*>(user_data); }

  static void on_start(void* user_data, const char* name, const char** attributes) {
    self(user_data).start(name, attributes);
  }
  static void on_end(void* user_data, const char*) { self(user_data).end(); }
  static void on_text(void* user_data, const char* text, int length) {
    auto& path = self(user_data).path_;
    if (!path.empty()) path.back().text.append(text, static_cast<std::size_t>(length));
  }
  static void on_doctype(void* user_data, const char*, const char*, const char*, int) {
    self(user_data).stop(Code::doctype_refused,
                         "The file declares a document type (DOCTYPE), which models never need: "
                         "remove the declaration.");
  }

  void start(const char* name, const char** attributes) {
    if (problem_) return;
    if (path_.size() >= kMaxDepth) {
      stop(Code::xml_too_deep, "Elements stand more than " + std::to_string(kMaxDepth) +
                                   " levels inside each other: flatten the model.");
      return;
    }
    if (++elements_ > kMaxElements) {
      stop(Code::too_many_elements, "The file has more than " + std::to_string(kMaxElements) +
                                        " elements: split it into several files.");
      return;
    }
    Element element;
    std::tie(element.vocabulary, element.name) = split(name);
    element.place = place();
    for (const char** pair = attributes; *pair != nullptr; pair += 2) {
      if (element.attributes.size() == kMaxAttributes) {
        stop(Code::too_many_attributes, "The element has more than " +
                                            std::to_string(kMaxAttributes) +
                                            " attributes: remove those that it does not need.");
        return;
      }
      auto [vocabulary, attribute_name] = split(pair[0]);
      element.attributes.push_back({vocabulary, std::move(attribute_name), pair[1]});
    }
    path_.push_back(std::move(element));
  }

  void end() {
    if (problem_) return;
    auto finished = std::move(path_.back());
    path_.pop_back();
    (path_.empty() ? root_ : path_.back().children.emplace_back()) = std::move(finished);
  }

  void stop(Code code, std::string message) {
    if (problem_) return;
    problem_ = Problem{code, place(), std::move(message)};
    XML_StopParser(parser_, XML_FALSE);
  }

  XML_Parser parser_;
  std::vector<Element> path_;
  Element root_;
  std::size_t elements_ = 0;
  std::optional<Problem> problem_;
};

Problem syntax_problem(XML_Parser parser, const TreeBuilder& tree, std::string_view document) {
  const auto reason = XML_GetErrorCode(parser);
  const auto place = tree.place();
  const auto offset = XML_GetCurrentByteIndex(parser);
  const bool inside = offset >= 0 && static_cast<std::size_t>(offset) < document.size();
  const bool high_byte =
      inside && static_cast<unsigned char>(document[static_cast<std::size_t>(offset)]) >= 0x80;
  if (reason == XML_ERROR_UNKNOWN_ENCODING || reason == XML_ERROR_INCORRECT_ENCODING ||
      reason == XML_ERROR_PARTIAL_CHAR || (reason == XML_ERROR_INVALID_TOKEN && high_byte)) {
    return {Code::bad_encoding, place,
            "The bytes here are no text in the file's encoding: save the file as UTF-8."};
  }
  if (reason == XML_ERROR_NO_ELEMENTS || reason == XML_ERROR_UNCLOSED_TOKEN ||
      reason == XML_ERROR_UNCLOSED_CDATA_SECTION) {
    return {Code::bad_xml, place,
            "The file ends in the middle of the document (" + std::to_string(tree.open_elements()) +
                " elements are still open): it was cut off, save or copy it again."};
  }
  const char* said = XML_ErrorString(reason);
  return {Code::bad_xml, place,
          "The file is not well-formed XML (" + std::string(said ? said : "unknown reason") +
              "): correct it here or save it again from the modelling tool."};
}

} // namespace

const std::string* Element::find(Vocabulary wanted, std::string_view wanted_name) const {
  const auto found = std::ranges::find_if(attributes, [&](const Attribute& attribute) {
    return attribute.vocabulary == wanted && attribute.name == wanted_name;
  });
  return found == attributes.end() ? nullptr : &found->value;
}

std::string_view Element::get(std::string_view wanted_name) const {
  const auto* value = find(Vocabulary::none, wanted_name);
  return value ? std::string_view(*value) : std::string_view();
}

const Element* Element::child(Vocabulary wanted, std::string_view wanted_name) const {
  const auto found = std::ranges::find_if(
      children, [&](const Element& element) { return element.is(wanted, wanted_name); });
  return found == children.end() ? nullptr : &*found;
}

std::expected<Element, Problem> parse(std::string_view document) {
  if (trim(document).empty()) {
    return std::unexpected(
        Problem{Code::empty_file,
                {1, 1},
                "The file is empty: save the model again from the modelling tool."});
  }
  if (document.size() > kMaxBytes) {
    return std::unexpected(Problem{Code::file_too_large,
                                   {1, 1},
                                   "The file has " + std::to_string(document.size()) +
                                       " bytes where " + std::to_string(kMaxBytes) +
                                       " are the limit: split the model into several files."});
  }
  const ParserPtr parser(XML_ParserCreateNS(nullptr, kSeparator));
  if (!parser) throw std::bad_alloc();
  TreeBuilder tree(parser.get());
  const auto status =
      XML_Parse(parser.get(), document.data(), static_cast<int>(document.size()), XML_TRUE);
  if (tree.problem()) return std::unexpected(std::move(*tree.problem()));
  if (status != XML_STATUS_OK) {
    return std::unexpected(syntax_problem(parser.get(), tree, document));
  }
  return tree.take_root();
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

bool is_true(std::string_view text) {
  const auto trimmed = trim(text);
  return trimmed == "true" || trimmed == "1";
}

} // namespace perdure::xml
