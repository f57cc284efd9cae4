# Language level, compiler check, warnings, sanitizers, linker. Presets (CMakePresets.json) set the options below.
option(PERDURE_TESTS "build the tests" ON)
option(PERDURE_BENCH "build the benchmarks" OFF)
option(PERDURE_FUZZ "build the fuzzers; needs clang and PERDURE_SANITIZE=address,undefined" OFF)
set(PERDURE_SANITIZE "" CACHE STRING "comma separated list for -fsanitize, e.g. address,undefined")

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG") # -O3 made the binary larger and nothing faster
# The rooms also go into libperdure.so, of which only PERDURE_API is seen.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

include(${CMAKE_CURRENT_LIST_DIR}/compiler.cmake)

# The same object for the same source in any folder: ccache then serves a fresh clone.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -fdebug-compilation-dir=.)
add_compile_options(-Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor
                    -Wimplicit-fallthrough -Wno-missing-designated-field-initializers -ffunction-sections -fdata-sections)
add_link_options(-fuse-ld=lld -Wl,--gc-sections)
if(PERDURE_SANITIZE)
  # Line tables are all that a sanitizer report needs; full debug information doubles the link.
  add_compile_options(-fsanitize=${PERDURE_SANITIZE} -fno-omit-frame-pointer -gline-tables-only
                      -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${PERDURE_SANITIZE})
  if(PERDURE_SANITIZE MATCHES "undefined")
    # This check probes memory through a pipe, so it cries wolf in tests that use up the file descriptors.
    add_compile_options(-fno-sanitize=vptr)
  endif()
else()
  add_link_options(-static-libstdc++ -static-libgcc $<$<CONFIG:Release>:-Wl,--strip-all>)
endif()
