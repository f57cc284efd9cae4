// DMN 1.1 to 1.5: XML into a decision model that is compiled once and evaluated often.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "definition/diagnostic.h"

namespace perdure::dmn {

class Model;
using ModelPtr = std::shared_ptr<const Model>;

/// One file: what to call it in messages, and its text.
struct Source {
  std::string_view file;
  std::string_view document;
};

struct Reading {
  /// nullptr when the first source is no DMN at all. With errors it still is a model: what they
  /// concern evaluates to null with the same reason, the rest works.
  ModelPtr model;
  /// Errors and warnings, in document order, file by file.
  std::vector<definition::Diagnostic> diagnostics;

  /// Whether nothing in it is an error: only such a model should be deployed.
  [[nodiscard]] bool is_sound() const;
};

/// The first source is the model; the others are what it may import, found by their namespace.
[[nodiscard]] Reading read(std::span<const Source> sources);

} // namespace perdure::dmn
