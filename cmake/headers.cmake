# Every header compiles alone. x.cpp proves it for its own x.h by including it first (tidy checks that);
# for each other header a source file with that one #include is generated and compiled.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/src/*.h
     ${CMAKE_SOURCE_DIR}/include/*.h)
set(sources)
foreach(header ${headers})
  string(REGEX REPLACE "\\.h$" ".cpp" own ${header})
  if(EXISTS ${CMAKE_SOURCE_DIR}/${own})
    continue()
  endif()
  string(REGEX REPLACE "^(src|include)/" "" include ${header})
  set(source ${CMAKE_BINARY_DIR}/generated/headers/${own})
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${include}\" // IWYU pragma: keep\n")
  list(APPEND sources ${source})
endforeach()
if(sources)
  add_library(headers OBJECT ${sources})
  target_include_directories(headers PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include
                                             ${CMAKE_BINARY_DIR}/generated)
  add_dependencies(headers generated_sql)
endif()
