// Texts of the model that may be expressions, compiled with diagnostics that name the place.
#pragma once

#include <optional>
#include <string_view>

#include "definition/definition.h"
#include "definition/report.h"
#include "xml/xml.h"

namespace perdure::bpmn {

/// Where a text comes from, for messages: the element, and what the text is ("the worker type").
struct Origin {
  definition::SourcePlace place;
  std::string_view element_id;
  std::string_view what;
};

/// A plain text, or an expression as `=...`, `${...}` or `#{...}`. A bad one is reported, and
/// stands for itself.
[[nodiscard]] definition::Template read_template(std::string_view text, const Origin& origin,
                                                 definition::Report& report);

/// A text that is an expression in any case: bare text is FEEL unless `language` says otherwise.
/// Reports a bad one, an empty one, and a language that Perdure does not speak.
[[nodiscard]] std::optional<expr::Expression> read_expression(std::string_view text,
                                                              std::string_view language,
                                                              const Origin& origin,
                                                              definition::Report& report);

} // namespace perdure::bpmn
