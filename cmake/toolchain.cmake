# Language level, warnings, sanitizers, linker. Presets (CMakePresets.json) set the options below.
option(PERDURE_TESTS "build the tests" ON)
option(PERDURE_BENCH "build the benchmarks" OFF)
set(PERDURE_SANITIZE "" CACHE STRING "comma separated list for -fsanitize, e.g. address,undefined")

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The same object for the same source in any folder: ccache then serves a fresh clone.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -fdebug-compilation-dir=.)
add_compile_options(-Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Wswitch-enum
                    -Wimplicit-fallthrough -ffunction-sections -fdata-sections)
add_link_options(-fuse-ld=lld -Wl,--gc-sections)
if(PERDURE_SANITIZE)
  add_compile_options(-fsanitize=${PERDURE_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${PERDURE_SANITIZE})
else()
  add_link_options(-static-libstdc++ -static-libgcc)
endif()
