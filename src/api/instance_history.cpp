// What happened in an instance: its steps with their attempts, its facts in order, the path of its
// tokens.
#include <algorithm>
#include <utility>

#include "api/handlers.h"
#include "api/json_shapes.h"
#include "api/pages.h"
#include "api/replies.h"
#include "api/trace.h"

namespace perdure::api {
namespace {

constexpr std::int64_t kHistoryChunk = 1'000;

/// A page of an instance's history or steps: `after` is a sequence, or an ordinal.
struct HistoryPage {
  Key instance_id = kNoKey;
  std::int64_t limit = 0;
  std::int64_t after = 0;
};

Parsed<HistoryPage> read_history_page(Parts& parts, const net::Request& request) {
  const auto id = path_key(request, "process instance");
  if (!id) return std::unexpected(id.error());
  QueryReader query(request, parts.limits());
  const HistoryPage page{.instance_id = *id,
                         .limit = query.page_limit(),
                         .after = query.integer("after", {.least = 0}).value_or(0)};
  if (auto wrong = query.finish()) return std::unexpected(std::move(*wrong));
  return page;
}

template <class Rows>
net::Response history_response(const Rows& rows, const HistoryPage& page) {
  std::optional<Key> next_after;
  if (std::cmp_greater_equal(rows.size(), page.limit)) next_after = rows.back().sequence;
  return list_response(rows, next_after,
                       [](std::string& out, const auto& row) { append_json(out, row); });
}

/// Entries behind `page.after`, as many as the page takes. Reads from the start: see TraceFold.
Result<std::vector<TraceEntry>> read_trace(store::Reader& reader, const HistoryPage& page) {
  TraceFold fold;
  std::vector<TraceEntry> entries;
  std::int64_t seen = 0;
  while (true) {
    const auto events = reader.history(page.instance_id, seen, kHistoryChunk);
    if (!events) return std::unexpected(events.error());
    for (const auto& event : *events) {
      auto entry = fold.next(event);
      if (!entry || entry->sequence <= page.after) continue;
      entries.push_back(std::move(*entry));
      if (std::cmp_equal(entries.size(), page.limit)) return entries;
    }
    if (std::cmp_less(events->size(), kHistoryChunk)) return entries;
    seen = events->back().sequence;
  }
}

} // namespace

net::Response get_steps(Parts& parts, const net::Request& request) {
  const auto page = read_history_page(parts, request);
  if (!page) return page.error();
  const auto steps =
      parts.reader.steps(page->instance_id, {.after_ordinal = page->after, .limit = page->limit});
  if (!steps) return to_response(steps.error());
  if (steps->empty()) {
    if (auto answer = missing_instance(parts, page->instance_id)) return std::move(*answer);
    return list_response(*steps, std::nullopt, [](std::string&, const facts::StepRecord&) {});
  }
  const auto last = steps->back().ordinal;
  auto attempts = parts.reader.attempts(page->instance_id,
                                        {.after_ordinal = page->after, .last_ordinal = last});
  if (!attempts) return to_response(attempts.error());
  const auto order = [](const facts::StepAttempt& row) { return facts::row_key(row); };
  std::ranges::sort(*attempts, {}, order);
  std::optional<Key> next_after;
  if (std::cmp_greater_equal(steps->size(), page->limit)) next_after = last;
  return list_response(*steps, next_after, [&](std::string& out, const facts::StepRecord& step) {
    append_json(out, step, *attempts);
  });
}

net::Response get_history(Parts& parts, const net::Request& request) {
  const auto page = read_history_page(parts, request);
  if (!page) return page.error();
  const auto events = parts.reader.history(page->instance_id, page->after, page->limit);
  if (!events) return to_response(events.error());
  if (events->empty()) {
    if (auto answer = missing_instance(parts, page->instance_id)) return std::move(*answer);
  }
  return history_response(*events, *page);
}

net::Response get_trace(Parts& parts, const net::Request& request) {
  const auto page = read_history_page(parts, request);
  if (!page) return page.error();
  const auto entries = read_trace(parts.reader, *page);
  if (!entries) return to_response(entries.error());
  if (entries->empty()) {
    if (auto answer = missing_instance(parts, page->instance_id)) return std::move(*answer);
  }
  return history_response(*entries, *page);
}

} // namespace perdure::api
