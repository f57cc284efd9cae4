#include "store/sqlite/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

namespace perdure::store::sqlite {

namespace {

std::unexpected<Error> file_error(const std::string& path, int code) {
  return fail(ErrorCode::unavailable,
              "The file " + path + " cannot be written (" + std::generic_category().message(code) +
                  "); check the folder's permissions and the space on the disk.",
              path);
}

/// Waits until what was written is on the disk. Folders too.
Result<void> sync(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return file_error(path, errno);
  const int code = fsync(file) == 0 ? 0 : errno;
  close(file);
  if (code != 0) return file_error(path, code);
  return {};
}

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

} // namespace

Result<NewFile> NewFile::begin(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::exists(path, failed)) {
    return fail(ErrorCode::conflict, "There is a file " + path + " already; name another one.",
                path);
  }
  std::filesystem::create_directories(folder_of(path), failed);
  if (failed) return file_error(folder_of(path), failed.value());
  NewFile file(path);
  // Left by one that was killed.
  std::filesystem::remove(file.draft(), failed);
  return file;
}

NewFile::NewFile(NewFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}

NewFile::~NewFile() {
  if (path_.empty()) return;
  std::error_code ignored;
  for (const auto* suffix : {"", "-wal", "-shm", "-journal"})
    std::filesystem::remove(draft() + suffix, ignored);
}

Result<void> NewFile::finish() {
  if (auto done = sync(draft()); !done) return done;
  // A link instead of a new name: it fails when somebody else made such a file meanwhile.
  if (link(draft().c_str(), path_.c_str()) != 0) return file_error(path_, errno);
  if (unlink(draft().c_str()) != 0) return file_error(draft(), errno);
  return sync(folder_of(std::exchange(path_, {})));
}

} // namespace perdure::store::sqlite
