// The audit: what operators and clients did, and who it was.
#include "api/handlers.h"
#include "api/json_shapes.h"
#include "api/pages.h"

namespace perdure::api {

net::Response list_audit(Parts& parts, const net::Request& request) {
  QueryReader query(request, parts.limits());
  const auto page = read_page(query);
  const store::AuditFilter filter{.instance_id = query.key("instance_id"),
                                  .actor = query.text("actor"),
                                  .action = query.text("action")};
  if (auto wrong = query.finish()) return std::move(*wrong);
  const auto rows = parts.reader.audit(filter, page);
  if (!rows) return to_response(rows.error());
  return page_response(*rows, page,
                       [](std::string& out, const auto& row) { append_json(out, row); });
}

} // namespace perdure::api
