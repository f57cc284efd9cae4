// Decisions: compiled decision models by key, and which version of a decision is meant.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "decide/catalog.h"
#include "engine/commands.h"
#include "engine/compile.h"
#include "engine/definitions.h"
#include "store/store.h"

namespace perdure::engine {

/// Thread-safe: decisions of instances and requests of callers share the compiled models.
class DecisionModels {
public:
  explicit DecisionModels(const Compile& compile) : compile_(compile) {}

  using Load = std::function<Result<std::optional<facts::DecisionRequirements>>(Key)>;
  /// The model; `load` reads its row when it is first needed. The error is `internal` when the row
  /// is gone or, after an upgrade, no longer readable.
  [[nodiscard]] Result<dmn::ModelPtr> get(Key requirements_id, const Load& load);

private:
  const Compile& compile_;
  std::mutex mutex_;
  std::unordered_map<Key, dmn::ModelPtr> by_id_;
};

/// What a decision of an instance may call. Of the writer thread only.
class Decisions {
public:
  Decisions(store::Store& store, Definitions& definitions, DecisionModels& models)
      : store_(store), definitions_(definitions), models_(models) {}

  /// Throws CatalogUnavailable when the database cannot say.
  [[nodiscard]] std::optional<decide::FoundDecision> find(const decide::Reference& reference);
  /// What is latest may have changed.
  void forget_latest() { latest_.clear(); }

private:
  [[nodiscard]] std::optional<facts::DecisionDefinition> row(const decide::Reference& reference);

  store::Store& store_;
  Definitions& definitions_;
  DecisionModels& models_;
  std::map<std::pair<std::string, std::string>, facts::DecisionDefinition> latest_;
};

/// The port that a decision is given.
class Catalog final : public decide::Catalog {
public:
  explicit Catalog(Decisions& decisions) : decisions_(decisions) {}

  [[nodiscard]] std::optional<decide::FoundDecision> decision(
      const decide::Reference& reference) const override {
    return decisions_.find(reference);
  }

private:
  Decisions& decisions_;
};

/// Evaluates a deployed decision for a caller, on the caller's thread. Bounded.
[[nodiscard]] Answer<DecisionResult> evaluate_decision(store::Reader& reader,
                                                       DecisionModels& models,
                                                       const EvaluateCommand& command, Instant now);

} // namespace perdure::engine
