// NodeName: the name of a live node of a database, which no other live node has. Held by a session
// of the server, so that it is free again when the process is gone.
#pragma once

#include <memory>
#include <string_view>

#include "perdure/result.h"
#include "store/postgres/connection.h"
#include "store/postgres/postgres.h"

namespace perdure::store::postgres {

class NodeName {
public:
  /// Null: another node has it.
  [[nodiscard]] static Result<std::unique_ptr<NodeName>> take(const Options& options,
                                                              std::string_view name);

private:
  explicit NodeName(std::unique_ptr<Connection> session) : session_(std::move(session)) {}

  std::unique_ptr<Connection> session_;
};

} // namespace perdure::store::postgres
