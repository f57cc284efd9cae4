#include "store/sqlite/error.h"

#include <sqlite3.h>

#include <algorithm>
#include <string_view>

#include "store/sql.h"

namespace perdure::store::sqlite {

namespace {

/// SQLite's messages are "kind of constraint failed: subject".
std::string_view subject_of(std::string_view message) {
  const auto colon = message.find(": ");
  return colon == std::string_view::npos ? message : message.substr(colon + 2);
}

std::string_view table_of(std::string_view column) { return column.substr(0, column.find('.')); }

/// "table.column" with more behind it as one word.
std::string joined(std::string_view column, std::string_view ending) {
  std::string name(column);
  std::ranges::replace(name, '.', '_');
  return name + std::string(ending);
}

/// The unique index over "table.a, table.b"; the columns themselves when there is none.
std::string unique_index(sqlite3* database, std::string_view columns) {
  std::string text(sql::sqlite::schema_unique_index.text);
  std::ranges::replace(text, '$', '?');
  sqlite3_stmt* statement = nullptr;
  std::string name(columns);
  if (sqlite3_prepare_v2(database, text.data(), static_cast<int>(text.size()), &statement,
                         nullptr) == SQLITE_OK) {
    const auto table = table_of(columns);
    sqlite3_bind_text(statement, 1, table.data(), static_cast<int>(table.size()), SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, columns.data(), static_cast<int>(columns.size()),
                      SQLITE_STATIC);
    if (sqlite3_step(statement) == SQLITE_ROW) {
      name.assign(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)));
    }
  }
  sqlite3_finalize(statement);
  return name;
}

std::string rule_name(sqlite3* database, int code, std::string_view message) {
  const auto subject = subject_of(message);
  switch (code) {
    case SQLITE_CONSTRAINT_FOREIGNKEY: return "foreign_key";
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID: return std::string(table_of(subject)) + "_key";
    case SQLITE_CONSTRAINT_UNIQUE: return unique_index(database, subject);
    case SQLITE_CONSTRAINT_NOTNULL: return joined(subject, "_required");
    case SQLITE_CONSTRAINT_DATATYPE: // "cannot store TEXT value in INTEGER column table.column"
      return joined(subject.substr(subject.find_last_of(' ') + 1), "_type");
    default: return std::string(subject); // a CHECK constraint or what a trigger raised
  }
}

} // namespace

Error last_error(sqlite3* database) {
  const int code = sqlite3_extended_errcode(database);
  const std::string message = sqlite3_errmsg(database);
  switch (code & 0xff) {
    case SQLITE_CONSTRAINT: {
      const auto rule = rule_name(database, code, message);
      return {
          ErrorCode::invariant_violated,
          "The database refused a row that breaks " + rule + "; nothing of this change was kept.",
          rule};
    }
    case SQLITE_FULL:
      return {ErrorCode::unavailable, "The disk is full; free some space, then go on.", message};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::unavailable,
              "Another program holds the database; stop it or try again later.", message};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return {ErrorCode::unavailable,
              "The database file cannot be opened or written; check its path and permissions.",
              message};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {ErrorCode::unavailable,
              "The file is damaged or no database; restore it from a backup.", message};
    case SQLITE_ERROR:
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
    case SQLITE_MISMATCH:
      return {ErrorCode::internal, "A statement does not fit the schema: " + message + ".",
              message};
    default:
      return {ErrorCode::unavailable, "The database cannot be used: " + message + ".", message};
  }
}

} // namespace perdure::store::sqlite
