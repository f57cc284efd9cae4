# Refuses a compiler that gets coroutines wrong, by running a small program rather than by version:
# g++ 11 and 12 compile it and the result crashes. The answer is kept in the build folder's cache.
if(NOT DEFINED PERDURE_COROUTINES_RUN)
  message(STATUS "Checking that ${CMAKE_CXX_COMPILER} compiles coroutines right")
  try_run(PERDURE_COROUTINES_RUN PERDURE_COROUTINES_COMPILE
          SOURCES ${CMAKE_CURRENT_LIST_DIR}/coroutine_conformance.cpp
          CXX_STANDARD 23 CXX_STANDARD_REQUIRED ON
          COMPILE_OUTPUT_VARIABLE perdure_compile_output
          RUN_OUTPUT_VARIABLE perdure_run_output)
endif()

set(perdure_advice "Use clang 19: -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19, in a fresh \
build folder, or simply \"make build\".")
if(NOT PERDURE_COROUTINES_COMPILE)
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} cannot compile cmake/coroutine_conformance.cpp (C++23). "
                      "${perdure_advice}\n${perdure_compile_output}")
endif()
if(NOT PERDURE_COROUTINES_RUN EQUAL 0)
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} (${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}) "
                      "miscompiles coroutines: cmake/coroutine_conformance.cpp crashes or gives wrong results "
                      "(${PERDURE_COROUTINES_RUN}). Durable workflows would be corrupted in silence, so this "
                      "compiler is refused. ${perdure_advice}\n${perdure_run_output}")
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(WARNING "Perdure is tested with clang 19 only; you build with ${CMAKE_CXX_COMPILER_ID} "
                  "${CMAKE_CXX_COMPILER_VERSION}.")
endif()
