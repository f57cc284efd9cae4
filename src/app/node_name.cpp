#include "app/node_name.h"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <random>

namespace perdure::app {

std::string unique_node_name(std::string_view base) {
  std::string name(base);
  if (name.empty()) {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) == 0) name = host.data();
  }
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuv"; // five bits each
  std::uint64_t chance = std::random_device{}();
  chance = chance << 32U | std::random_device{}();
  name += '-';
  for (int i = 0; i < 10; ++i, chance >>= 5U)
    name += kDigits[chance % kDigits.size()];
  return name;
}

} // namespace perdure::app
