// Making database files: a copy of one that is in use, and one that is filled row by row.
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <system_error>

#include "store/sqlite/connection.h"
#include "store/sqlite/copy.h"
#include "store/sqlite/error.h"
#include "store/sqlite/new_file.h"

namespace perdure::store::sqlite {

namespace {

constexpr int kAllPages = -1;

/// Page by page, in one read transaction: writers go on, and the copy does not see them.
Result<void> copy_pages(Connection& from, Connection& to) {
  auto* backup = sqlite3_backup_init(to.handle(), "main", from.handle(), "main");
  if (backup == nullptr) return std::unexpected(last_error(to.handle()));
  const int code = sqlite3_backup_step(backup, kAllPages);
  sqlite3_backup_finish(backup);
  if (code == SQLITE_DONE) return {};
  return std::unexpected(last_error(to.handle()));
}

Result<void> copy_into(Connection& from, const std::string& draft) {
  auto to = Connection::open({.path = draft});
  if (!to) return std::unexpected(to.error());
  if (auto done = copy_pages(from, **to); !done) return done;
  return (*to)->statement(sql::sqlite::copy_single_file).run();
}

} // namespace

Result<void> copy_file(const std::string& from, const std::string& to) {
  std::error_code failed;
  if (!std::filesystem::exists(from, failed)) {
    return fail(ErrorCode::not_found, "There is no database " + from + "; check the path.", from);
  }
  auto source = Connection::open({.path = from, .read_only = true});
  if (!source) return std::unexpected(source.error());
  auto file = NewFile::begin(to);
  if (!file) return std::unexpected(file.error());
  if (auto done = copy_into(**source, file->draft()); !done) return done;
  return file->finish();
}

Result<void> make_file(const std::string& path, const Clock& clock,
                       const std::function<Result<void>(CopyTarget&)>& fill) {
  auto file = NewFile::begin(path);
  if (!file) return std::unexpected(file.error());
  if (auto done = fill_database(file->draft(), clock, fill); !done) return done;
  return file->finish();
}

} // namespace perdure::store::sqlite
