// Catalog: what has been deployed, as far as a decision may call it. A pure port: the one who
// decides brings it along. What was found goes into the facts, so that a replay needs none.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/key.h"
#include "definition/specs.h"
#include "dmn/read.h"

namespace perdure::decide {

/// What an element calls, every expression evaluated.
struct Reference {
  std::string tenant_id;
  Key caller_definition_id = kNoKey; ///< the process whose deployment BindingKind::deployment means
  std::string id;                    ///< of the decision
  definition::BindingKind binding = definition::BindingKind::latest;
  std::int64_t version = 0; ///< BindingKind::version
  std::string version_tag;  ///< BindingKind::version_tag
};

struct FoundDecision {
  Key definition_id = kNoKey;
  std::int64_t version = 0;
  dmn::ModelPtr model; ///< nullptr: it is there, but `problem` keeps it from being used
  std::string problem;
};

/// Thrown by a catalog that cannot look anything up now. It ends the whole decision: the state is
/// worthless and nothing has happened.
class CatalogUnavailable : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

class Catalog {
public:
  Catalog() = default;
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;
  virtual ~Catalog() = default;

  /// The version of a decision that the reference means now; nullopt when there is none.
  [[nodiscard]] virtual std::optional<FoundDecision> decision(const Reference& reference) const = 0;
};

} // namespace perdure::decide
