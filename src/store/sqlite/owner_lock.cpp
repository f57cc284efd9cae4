#include "store/sqlite/owner_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace perdure::store::sqlite {

namespace {

constexpr int kNoFile = -1;

std::string path_in(const std::string& folder) { return folder + "/perdure.lock"; }

std::unexpected<Error> file_error(const std::string& path) {
  return fail(ErrorCode::unavailable,
              "The file " + path + " cannot be used (" + std::generic_category().message(errno) +
                  "); check the folder's permissions.",
              path);
}

/// A lock of the open file, not of the process: it can be asked for without being taken, and it
/// ends with the file.
struct flock whole_file() {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// Text: "pid 123\nurl http://127.0.0.1:8080\n".
Owner parse(std::string_view text) {
  Owner owner;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with("pid ")) {
      std::from_chars(line.data() + 4, line.data() + line.size(), owner.pid);
    } else if (line.starts_with("url ")) {
      owner.url = line.substr(4);
    }
  }
  return owner;
}

Owner read_owner(int file) {
  char text[4096];
  const auto length = pread(file, text, sizeof text, 0);
  return parse({text, length > 0 ? static_cast<std::size_t>(length) : 0});
}

} // namespace

Result<OwnerLock> OwnerLock::take(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const auto path = path_in(folder);
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file == kNoFile) return file_error(path);
  OwnerLock lock(file);
  auto wanted = whole_file();
  if (fcntl(file, F_OFD_SETLK, &wanted) != 0) {
    if (errno != EAGAIN && errno != EACCES) return file_error(path);
    const auto owner = read_owner(file);
    return fail(ErrorCode::conflict,
                "Process " + std::to_string(owner.pid) + " runs the engine on " + folder +
                    (owner.url.empty() ? "" : " at " + owner.url) +
                    "; stop it or use another folder.",
                path);
  }
  if (const auto told = lock.set_url(""); !told) return std::unexpected(told.error());
  return lock;
}

Result<std::optional<Owner>> OwnerLock::read(const std::string& folder) {
  const auto path = path_in(folder);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file == kNoFile) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return file_error(path);
  }
  const OwnerLock closes(file);
  auto wanted = whole_file();
  if (fcntl(file, F_OFD_GETLK, &wanted) != 0) return file_error(path);
  if (wanted.l_type == F_UNLCK) return std::nullopt;
  return read_owner(file);
}

OwnerLock::OwnerLock(OwnerLock&& other) noexcept : file_(std::exchange(other.file_, kNoFile)) {}

OwnerLock& OwnerLock::operator=(OwnerLock&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

OwnerLock::~OwnerLock() {
  if (file_ != kNoFile) close(file_);
}

Result<void> OwnerLock::set_url(const std::string& url) {
  // One write, then the cut: a reader in between sees the new lines before rests of the old ones.
  const auto text = "pid " + std::to_string(getpid()) + "\nurl " + url + "\n";
  const auto length = static_cast<ssize_t>(text.size());
  if (pwrite(file_, text.data(), text.size(), 0) != length || ftruncate(file_, length) != 0) {
    return file_error("perdure.lock");
  }
  return {};
}

} // namespace perdure::store::sqlite
