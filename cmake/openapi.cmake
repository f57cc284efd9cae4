# The API's contract becomes part of the program: src/api/openapi.yaml as api/openapi_text.h.
set(PERDURE_OPENAPI ${CMAKE_SOURCE_DIR}/src/api/openapi.yaml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PERDURE_OPENAPI})
file(READ ${PERDURE_OPENAPI} PERDURE_OPENAPI_TEXT)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/api/openapi_text.h @ONLY CONTENT
"// Written by cmake/openapi.cmake from src/api/openapi.yaml.
#pragma once

#include <string_view>

#pragma clang diagnostic push
#pragma clang diagnostic ignored \"-Woverlength-strings\"

namespace perdure::api {

/// The text of openapi.yaml.
inline constexpr std::string_view kOpenapi = R\"yaml(@PERDURE_OPENAPI_TEXT@)yaml\";

} // namespace perdure::api

#pragma clang diagnostic pop
")
