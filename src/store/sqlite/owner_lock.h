// OwnerLock: one process at a time runs the engine on a folder. The file `perdure.lock` beside the
// database is locked by it and says who it is, so that a command line can find the server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "perdure/result.h"

namespace perdure::store::sqlite {

/// Who runs the engine on a folder.
struct Owner {
  std::int64_t pid = 0;
  std::string url; ///< empty: serves no requests
};

class OwnerLock {
public:
  /// Makes the folder when there is none. A conflict, naming the owner, when another process has
  /// the lock.
  [[nodiscard]] static Result<OwnerLock> take(const std::string& folder);
  /// Who has the lock now; nullopt when nobody has. Takes no lock and changes nothing.
  [[nodiscard]] static Result<std::optional<Owner>> read(const std::string& folder);

  OwnerLock(OwnerLock&& other) noexcept;
  OwnerLock& operator=(OwnerLock&& other) noexcept;
  /// Gives the lock back. The end of the process, however it comes, does so too.
  ~OwnerLock();

  /// Tells others where requests are served.
  [[nodiscard]] Result<void> set_url(const std::string& url);

private:
  explicit OwnerLock(int file) : file_(file) {}

  int file_;
};

} // namespace perdure::store::sqlite
