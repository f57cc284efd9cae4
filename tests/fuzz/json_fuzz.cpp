// Any bytes are either refused as JSON or survive the way out and in again: what was parsed,
// written and parsed once more is the same value, compact and indented.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const perdure::Result<perdure::Value> value = perdure::json::parse(text);
  if (!value) {
    PERDURE_CHECK(!value.error().message.empty());
    return 0;
  }
  const std::string compact = perdure::json::write(*value);
  const perdure::Result<perdure::Value> again = perdure::json::parse(compact);
  PERDURE_CHECK(again.has_value());
  PERDURE_CHECK(*again == *value);
  PERDURE_CHECK(perdure::json::write(*again) == compact);
  const perdure::Result<perdure::Value> pretty =
      perdure::json::parse(perdure::json::write_pretty(*value));
  PERDURE_CHECK(pretty.has_value());
  PERDURE_CHECK(*pretty == *value);
  return 0;
}
