#include "cli/file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

namespace perdure::cli {

namespace {

constexpr std::size_t kMaxBytes = 64 * 1024 * 1024;

Result<std::string> read_all(std::FILE* file, const std::string& path) {
  std::string text;
  std::array<char, 65'536> block;
  while (const auto count = std::fread(block.data(), 1, block.size(), file)) {
    text.append(block.data(), count);
    if (text.size() > kMaxBytes) {
      return fail(ErrorCode::invalid_input, path + " has more than 64 MiB; that is no model", path);
    }
  }
  if (std::ferror(file) != 0) {
    return fail(ErrorCode::unavailable, path + " cannot be read: " + std::strerror(errno), path);
  }
  return text;
}

} // namespace

Result<std::string> read_file(const std::string& path) {
  if (path == "-") return read_all(stdin, "standard input");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return fail(ErrorCode::invalid_input, path + " is a folder; name a file", path);
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) {
    return fail(errno == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable,
                path + " cannot be opened: " + std::strerror(errno), path);
  }
  return read_all(file.get(), path);
}

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string shell_quoted(const std::string& text) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@%,=";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

} // namespace perdure::cli
