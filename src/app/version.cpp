#include "app/version.h"

namespace perdure::app {

std::string_view version() { return PERDURE_VERSION; }

} // namespace perdure::app
