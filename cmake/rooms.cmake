# perdure_room(<path> [DEPS room...] [LIBS lib...]): the library room_<name> and the test program <name>_test.
# tools/tidy compares DEPS with src/rooms.txt.
function(perdure_room path)
  cmake_parse_arguments(ARG "" "" "DEPS;LIBS" ${ARGN})
  string(REPLACE "/" "_" name ${path})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${path}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(TRANSFORM ARG_DEPS PREPEND room_)
  if(sources)
    add_library(room_${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(room_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(room_${name} ${scope} ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include
                                                   ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(room_${name} ${scope} ${ARG_DEPS} ${ARG_LIBS})
  if(PERDURE_FUZZ AND sources)
    target_compile_options(room_${name} PRIVATE -fsanitize=fuzzer-no-link) # coverage for tests/fuzz
  endif()
  if(path MATCHES "^store")
    add_dependencies(room_${name} generated_sql)
  endif()
  if(PERDURE_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE room_${name} GTest::gtest GTest::gtest_main GTest::gmock)
    perdure_source_dir(${tests})
    perdure_discover(${name}_test fast)
  endif()
endfunction()

# perdure_source_dir(<source>...): defines PERDURE_SOURCE_DIR, as a string literal, for those of the sources that
# use it. Not for all: an absolute path on the command line keeps ccache from serving another folder. A
# source that starts to use it needs a fresh run of cmake.
function(perdure_source_dir)
  foreach(source ${ARGN})
    file(STRINGS ${source} uses REGEX PERDURE_SOURCE_DIR)
    if(uses)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS PERDURE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    endif()
  endforeach()
endfunction()

# perdure_discover(<target> [fast]): every TEST of a program becomes one ctest entry "<target>.Suite.Name", so
# that they run in parallel and are counted one by one. The label `fast` puts it into `make check`.
function(perdure_discover target)
  include(GoogleTest)
  set(label slow)
  if(ARGN)
    set(label ${ARGN})
  endif()
  gtest_discover_tests(${target} TEST_PREFIX ${target}. DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 600 LABELS ${label})
endfunction()
