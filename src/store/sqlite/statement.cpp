#include "store/sqlite/statement.h"

#include <sqlite3.h>

#include <algorithm>
#include <limits>

#include "base/json.h"
#include "store/sqlite/error.h"

namespace perdure::store::sqlite {

namespace {

/// $1 is a name to SQLite, ?1 a position.
std::string with_positions(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    if (out[i] == '$' && out[i + 1] >= '0' && out[i + 1] <= '9') out[i] = '?';
  }
  return out;
}

/// What was accepted on the way in is readable on the way out, whatever was wrapped around it.
constexpr json::Limits kStoredLimits{.max_depth = 256,
                                     .max_bytes = std::numeric_limits<std::int32_t>::max()};

} // namespace

Statement::Statement(sqlite3* database, const sql::Query& query, Counters* counters)
    : database_(database), counters_(counters) {
  const auto text = with_positions(query.text);
  if (sqlite3_prepare_v3(database, text.data(), static_cast<int>(text.size()),
                         SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) != SQLITE_OK) {
    prepare_error_ = last_error(database);
    prepare_error_.message += " (query " + std::string(query.name) + ")";
    return;
  }
  const int count = sqlite3_bind_parameter_count(statement_);
  takes_.resize(static_cast<std::size_t>(count) + 1);
  texts_.resize(takes_.size());
  for (int i = 1; i <= count; ++i) {
    takes_[static_cast<std::size_t>(i)] = sqlite3_bind_parameter_name(statement_, i) != nullptr;
  }
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::bind_null(int index) { bind_code_ |= sqlite3_bind_null(statement_, index); }

void Statement::bind_int(int index, std::int64_t number) {
  bind_code_ |= sqlite3_bind_int64(statement_, index, number);
}

void Statement::bind_text(int index, std::string_view text) {
  // An empty view may have no address, which would be NULL to SQLite.
  bind_code_ |= sqlite3_bind_text64(statement_, index, text.empty() ? "" : text.data(), text.size(),
                                    SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::bind_json(int index, const Value& value) {
  auto& text = texts_[static_cast<std::size_t>(index)];
  text.clear();
  json::append(text, value);
  bind_text(index, text);
}

bool Statement::is_null(int index) const {
  return sqlite3_column_type(statement_, index) == SQLITE_NULL;
}

std::int64_t Statement::int_at(int index) const { return sqlite3_column_int64(statement_, index); }

std::string_view Statement::text_at(int index) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, index));
  if (!text) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, index))};
}

Value Statement::json_at(int index) {
  auto value = json::parse(text_at(index), kStoredLimits);
  if (!value) unreadable(index);
  return value ? std::move(*value) : Value();
}

Result<void> Statement::run() {
  for (;;) {
    const auto more = step();
    if (!more) return std::unexpected(more.error());
    if (!*more) return {};
  }
}

std::int64_t Statement::changes() const { return sqlite3_changes64(database_); }

Result<bool> Statement::step() {
  if (!statement_) return std::unexpected(prepare_error_);
  if (bind_code_ != SQLITE_OK) {
    reset();
    return fail(ErrorCode::invalid_input,
                "A value is too large for the database (one thousand million bytes); send less.");
  }
  if (counters_ && sqlite3_stmt_busy(statement_) == 0) {
    counters_->statements.fetch_add(1, std::memory_order_relaxed);
  }
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    reset();
    return false;
  }
  auto error = last_error(database_);
  reset();
  return std::unexpected(std::move(error));
}

void Statement::reset() {
  sqlite3_reset(statement_);
  unreadable_.reset();
  bind_code_ = SQLITE_OK;
}

void Statement::unreadable(int index) {
  if (unreadable_) return;
  unreadable_ = sqlite3_column_name(statement_, index);
}

Error Statement::unreadable_error() const {
  return {ErrorCode::internal,
          "The database has a value in column " + *unreadable_ +
              " that this version cannot read; restore a row that was changed by hand.",
          *unreadable_};
}

} // namespace perdure::store::sqlite
