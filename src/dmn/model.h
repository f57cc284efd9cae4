// A decision model: what it offers to those who evaluate it. Immutable, shared between threads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "definition/definition.h"
#include "dmn/read.h"
#include "expr/types.h"

namespace perdure::dmn {

struct Compiled; // compiled.h

/// Something of the model that has a name and a type.
struct Entry {
  std::string id;
  std::string name;
  expr::TypeRef type; ///< nullptr: any
  /// Names of the outputs of a decision that is a table. With one output its value is plain, with
  /// several it is a context of them (or a list of either).
  std::vector<std::string> outputs;
  bool is_list = false;    ///< of a table: whether it gives a list, an item for each rule
  std::string version_tag; ///< what its author calls this version; may be empty
  definition::SourcePlace place;

  /// What it is called by from outside: its id, else its name.
  [[nodiscard]] const std::string& key() const { return id.empty() ? name : id; }
};

class Model {
public:
  explicit Model(std::unique_ptr<const Compiled> compiled);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  ~Model();

  /// Attributes of the `definitions`.
  [[nodiscard]] const std::string& id() const;
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::string& model_namespace() const;
  /// What tells it from others: its id or, since drawing tools leave it out, its name or namespace.
  [[nodiscard]] std::string key() const;

  /// Of the model itself, without its imports, in document order. Decisions can be evaluated,
  /// services called, inputs given.
  [[nodiscard]] std::vector<Entry> decisions() const;
  [[nodiscard]] std::vector<Entry> services() const;
  [[nodiscard]] std::vector<Entry> inputs() const;
  /// The decision or service that is called by that key.
  [[nodiscard]] std::optional<Entry> find(std::string_view key) const;
  /// The decisions that no other one requires.
  [[nodiscard]] std::vector<Entry> results() const;

  [[nodiscard]] const Compiled& compiled() const { return *compiled_; }

private:
  std::unique_ptr<const Compiled> compiled_;
};

} // namespace perdure::dmn
