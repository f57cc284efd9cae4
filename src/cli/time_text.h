// Times as people read them.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"

namespace perdure::cli {

/// "850 ms", "1.3 s", "2 min 5 s", "3 h 20 min", "4 d 2 h".
[[nodiscard]] std::string duration_text(Duration duration);

/// "2026-11-30 06:36:25" (UTC) of an RFC 3339 time; the text itself when it is none.
[[nodiscard]] std::string time_text(std::string_view rfc3339);

} // namespace perdure::cli
