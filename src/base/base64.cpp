#include "base/base64.h"

#include <sodium/utils.h>

namespace perdure {

std::string base64_text(std::span<const std::byte> bytes) {
  std::string text(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  text.pop_back(); // the closing zero
  return text;
}

std::optional<std::vector<std::byte>> parse_base64(std::string_view text) {
  std::vector<std::byte> bytes(text.size() / 4 * 3 + 3);
  std::size_t length = 0;
  const char* end = nullptr;
  const int failed =
      sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &length, &end, sodium_base64_VARIANT_ORIGINAL);
  if (failed != 0 || end != text.data() + text.size()) return std::nullopt;
  bytes.resize(length);
  if (base64_text(bytes) != text) return std::nullopt; // bits that say nothing
  return bytes;
}

} // namespace perdure
