// Definitions: compiled processes by key, read from the database when first needed.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "engine/compile.h"
#include "store/store.h"

namespace perdure::engine {

/// Of the writer thread only.
class Definitions {
public:
  Definitions(store::Store& store, const Compile& compile) : store_(store), compile_(compile) {}

  /// The compiled version; an error when it is unknown or, after an upgrade, no longer readable.
  [[nodiscard]] Result<definition::DefinitionPtr> get(Key definition_id);
  /// Key of the latest version of a process; not_found says how to deploy one.
  [[nodiscard]] Result<Key> latest(const std::string& tenant_id, const std::string& process_id);
  /// What it was deployed with; nullopt for one of an early version of the schema.
  [[nodiscard]] Result<std::optional<Key>> deployment_of(Key definition_id);
  /// Whether the ends of runs of that flow are told to somebody.
  [[nodiscard]] Result<bool> delivers(const std::string& flow);
  /// What is latest, and what is said of flows, may have changed.
  void forget_latest() {
    latest_.clear();
    delivers_.clear();
  }

private:
  store::Store& store_;
  const Compile& compile_;
  std::unordered_map<Key, definition::DefinitionPtr> by_id_;
  std::unordered_map<Key, std::optional<Key>> deployments_;
  std::map<std::pair<std::string, std::string>, Key> latest_;
  std::unordered_map<std::string, bool> delivers_;
};

} // namespace perdure::engine
