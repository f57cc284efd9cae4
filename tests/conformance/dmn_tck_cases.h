// The test files of the DMN Technology Compatibility Kit: inputs, what is evaluated and what must
// come out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace perdure::conformance {

/// A value as a test file writes it: null, a typed text, a list or a context.
struct TckValue {
  enum class Kind { null, text, list, context };

  Kind kind = Kind::null;
  std::string type; ///< of a text: the local name of its xsi:type, such as "decimal"
  std::string text;
  std::vector<TckValue> items;    ///< of a list, or the values of a context
  std::vector<std::string> names; ///< of a context: of each item
};

struct TckInput {
  std::string name;
  std::string model_namespace; ///< of an input of an imported model; else empty
  TckValue value;
};

struct TckResult {
  std::string decision;
  bool is_error = false; ///< null must come out, and a reason beside it
  TckValue expected;
};

struct TckCase {
  std::string id;
  std::string service; ///< the decision service to call; empty: the decisions are evaluated
  std::vector<TckInput> inputs;
  std::vector<TckResult> results;
};

struct TckFile {
  std::string model; ///< file name of the main model, in the same folder
  std::vector<TckCase> cases;
};

/// nullopt when the file is no test file.
[[nodiscard]] std::optional<TckFile> read_tck_file(const std::filesystem::path& path);

} // namespace perdure::conformance
