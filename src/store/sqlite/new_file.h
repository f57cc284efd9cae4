// NewFile: a file that appears whole under its name or not at all.
#pragma once

#include <string>

#include "perdure/result.h"

namespace perdure::store::sqlite {

class NewFile {
public:
  /// A conflict when there is such a file. Makes the folder when there is none.
  [[nodiscard]] static Result<NewFile> begin(const std::string& path);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  /// What was not finished is removed.
  ~NewFile();

  /// Where to write. Nothing stands there yet.
  [[nodiscard]] std::string draft() const { return path_ + ".partial"; }
  /// Gives the file its name. On return it is on the disk.
  [[nodiscard]] Result<void> finish();

private:
  explicit NewFile(std::string path) : path_(std::move(path)) {}

  std::string path_; ///< empty: nothing left to do
};

} // namespace perdure::store::sqlite
