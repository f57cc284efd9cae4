#include "store/postgres/result.h"

#include <charconv>
#include <limits>

namespace perdure::store::postgres {

namespace {

/// What was accepted on the way in is readable on the way out, whatever was wrapped around it.
constexpr json::Limits kStoredLimits{.max_depth = 256,
                                     .max_bytes = std::numeric_limits<std::int32_t>::max()};

} // namespace

std::int64_t QueryResult::changes() const {
  const std::string_view text = libpq_->cmdTuples(result_.get());
  std::int64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

Value QueryResult::json_at(int row, int index) const {
  auto value = json::parse(bytes(row, index), kStoredLimits);
  if (!value) unreadable(index);
  return value ? std::move(*value) : Value();
}

void QueryResult::unreadable(int index) const {
  if (!unreadable_) unreadable_ = libpq_->fname(result_.get(), index);
}

Result<void> QueryResult::readable() const {
  if (!unreadable_) return {};
  return fail(ErrorCode::internal,
              "The database has a value in column " + *unreadable_ +
                  " that this version cannot read; restore a row that was changed by hand.",
              *unreadable_);
}

} // namespace perdure::store::postgres
