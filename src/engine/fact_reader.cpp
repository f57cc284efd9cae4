#include "engine/fact_reader.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "base/json.h"

namespace perdure::engine {

namespace {

constexpr std::int64_t kFactsAtOnce = 1'000;

} // namespace

std::optional<facts::Fact> FactReader::next() {
  if (page_.empty() && !end_) {
    auto rows = read_(instance_id_, after_, kFactsAtOnce);
    if (!rows) error_ = rows.error();
    if (rows) std::ranges::move(*rows, std::back_inserter(page_));
    end_ = !rows || std::cmp_less(page_.size(), kFactsAtOnce);
  }
  if (page_.empty()) return std::nullopt;
  const auto row = std::move(page_.front());
  page_.pop_front();
  after_ = row.sequence;
  auto data = facts::read_fact(row.event_type, json::write(row.payload));
  PERDURE_CHECK(data.has_value());
  return facts::Fact{row.sequence, row.occurred_at, *std::move(data)};
}

} // namespace perdure::engine
