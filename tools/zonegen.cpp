// zonegen: packs a folder of compiled time zones (RFC 8536, as zic writes them) into one C++ source
// file, so that the program knows the zones without reading files. Zones that are the same share
// their bytes.
//
//   zonegen ZONE_FOLDER OUTPUT_SOURCE
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeaderBytes = 44;
constexpr std::size_t kChunkBytes = 1000; // of one line

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The number at that place of the header, big end first.
std::size_t count_at(std::string_view bytes, std::size_t offset) {
  std::size_t number = 0;
  for (const char byte : bytes.substr(offset, 4))
    number = number * 256 + static_cast<std::uint8_t>(byte);
  return number;
}

/// The part with 64-bit times, which stands behind the old one with 32 bits.
std::string_view modern_part(std::string_view bytes, const fs::path& path) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with("TZif") || bytes[4] < '2') {
    throw std::runtime_error(path.string() + ": error: this is no time zone of version 2 or later");
  }
  const auto is_utc = count_at(bytes, 20);
  const auto is_standard = count_at(bytes, 24);
  const auto leaps = count_at(bytes, 28);
  const auto times = count_at(bytes, 32);
  const auto types = count_at(bytes, 36);
  const auto characters = count_at(bytes, 40);
  return bytes.substr(kHeaderBytes + times * 5 + types * 6 + characters + leaps * 8 + is_standard +
                      is_utc);
}

std::string literal(std::string_view bytes) {
  constexpr std::string_view kDigits = "01234567";
  std::string out = "    \"";
  for (const char character : bytes) {
    const auto byte = static_cast<std::uint8_t>(character);
    out += '\\';
    out += kDigits[byte / 64];
    out += kDigits[byte / 8 % 8];
    out += kDigits[byte % 8];
  }
  return out + "\"\n";
}

void run(const fs::path& folder, const fs::path& output) {
  std::map<std::string, std::size_t> zones; // which bytes are whose
  std::map<std::string, std::size_t> known;
  std::ostringstream data;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const auto bytes = read_file(entry.path());
    const std::string part(modern_part(bytes, entry.path()));
    const auto [place, is_new] = known.try_emplace(part, known.size());
    zones.emplace(fs::relative(entry.path(), folder).generic_string(), place->second);
    if (!is_new) continue;
    data << "constexpr char kZone" << place->second << "[] =\n";
    for (std::size_t at = 0; at < part.size(); at += kChunkBytes)
      data << literal(std::string_view(part).substr(at, kChunkBytes));
    data << "    ;\n";
  }
  if (zones.empty()) throw std::runtime_error(folder.string() + ": error: there are no zones here");

  std::ofstream out(output);
  out << "// Written by zonegen.\n#include \"expr/zone_data.h\"\n\nnamespace perdure::expr {\n\n"
         "namespace {\n\n"
      << data.str() << "\nconstexpr ZoneEntry kZones[] = {\n";
  for (const auto& [name, index] : zones) {
    out << "    {\"" << name << "\", {kZone" << index << ", sizeof kZone" << index << " - 1}},\n";
  }
  out << "};\n\n} // namespace\n\nstd::span<const ZoneEntry> zone_data() { return kZones; }\n\n"
         "} // namespace perdure::expr\n";
  if (!out.flush()) throw std::runtime_error(output.string() + ": error: this cannot be written");
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "zonegen: give the folder of zones and the source file to write.\n";
    return 2;
  }
  try {
    run(argv[1], argv[2]);
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return 1;
  }
}
