// Pages: lists of rows, so many at a time. `{"items": [...], "next_after": "<cursor>" | null}`.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/json_shapes.h"
#include "api/request.h"
#include "store/store.h"

namespace perdure::api {

/// The parameters `limit` and `after`.
[[nodiscard]] inline store::Page read_page(QueryReader& query) {
  return {.limit = query.page_limit(), .after = query.key("after")};
}

/// `next_after` is null on the last page.
template <class Rows, class WriteOne>
[[nodiscard]] net::Response list_response(const Rows& rows, std::optional<Key> next_after,
                                          WriteOne&& write_one) {
  std::string body;
  {
    ObjectWriter object(body);
    append_list(object.begin_member("items"), rows, write_one);
    std::optional<std::string> cursor;
    if (next_after) cursor = key_text(*next_after);
    object.member("next_after", cursor);
  }
  return json_response(std::move(body));
}

/// A page of rows with ids. A full page may have another behind it.
template <class Row, class WriteOne>
[[nodiscard]] net::Response page_response(const std::vector<Row>& rows, const store::Page& page,
                                          WriteOne&& write_one) {
  std::optional<Key> next_after;
  if (std::cmp_greater_equal(rows.size(), page.limit)) next_after = rows.back().id;
  return list_response(rows, next_after, write_one);
}

} // namespace perdure::api
