#include "store/postgres/node_name.h"

#include <string>
#include <utility>

namespace perdure::store::postgres {

Result<std::unique_ptr<NodeName>> NodeName::take(const Options& options, std::string_view name) {
  auto session = Connection::open(reader_connection(options));
  if (!session) return std::unexpected(session.error());
  const auto what = "perdure node " + options.schema + " " + std::string(name);
  const auto result = (*session)->query(sql::postgres::session_lock, parameters(what));
  if (!result) return std::unexpected(result.error());
  if (!result->column<bool>(0, 0)) return nullptr;
  return std::unique_ptr<NodeName>(new NodeName(std::move(*session)));
}

} // namespace perdure::store::postgres
