# tools/sqlgen turns src/store/sql/**.sql into generated/store/sql.h (named queries) and the migration list.
add_executable(sqlgen ${CMAKE_SOURCE_DIR}/tools/sqlgen.cpp)
file(GLOB_RECURSE PERDURE_SQL CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/store/sql/*.sql)
set(PERDURE_SQL_HEADER ${CMAKE_BINARY_DIR}/generated/store/sql.h)
add_custom_command(
  OUTPUT ${PERDURE_SQL_HEADER}
  COMMAND sqlgen ${CMAKE_SOURCE_DIR}/src/store/sql ${PERDURE_SQL_HEADER}
  DEPENDS sqlgen ${PERDURE_SQL}
  COMMENT "sqlgen"
  VERBATIM)
add_custom_target(generated_sql DEPENDS ${PERDURE_SQL_HEADER})
