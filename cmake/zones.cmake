# The IANA time zones become part of the program: zic (Debian: libc-bin) compiles their source (Debian: tzdata),
# tools/zonegen packs the result into a C++ source file.
find_program(PERDURE_ZIC zic PATHS /usr/sbin REQUIRED)
set(PERDURE_ZONE_SOURCE /usr/share/zoneinfo/tzdata.zi)
set(PERDURE_ZONE_DATA ${CMAKE_BINARY_DIR}/generated/expr/zone_data.cpp)
add_executable(zonegen ${CMAKE_SOURCE_DIR}/tools/zonegen.cpp)
add_custom_command(
  OUTPUT ${PERDURE_ZONE_DATA}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_BINARY_DIR}/generated/zones
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/generated/expr
  COMMAND ${PERDURE_ZIC} -b slim -d ${CMAKE_BINARY_DIR}/generated/zones ${PERDURE_ZONE_SOURCE}
  COMMAND zonegen ${CMAKE_BINARY_DIR}/generated/zones ${PERDURE_ZONE_DATA}
  DEPENDS zonegen ${PERDURE_ZONE_SOURCE}
  COMMENT "zonegen"
  VERBATIM)
