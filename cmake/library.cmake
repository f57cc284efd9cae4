# libperdure.so: what embedders link. The rooms that perdure/engine.h and perdure/flow.h lead to, with the
# third-party archives inside; PERDURE_API is all that is seen of it. A public class elsewhere than in these
# objects is added to them. libstdc++ is shared, since exceptions and values cross the border. One library serves
# every compiler and dialect that can read the headers. Not with sanitizers, whose run-time it would not bring.
add_library(perdure_library SHARED $<TARGET_OBJECTS:room_base> $<TARGET_OBJECTS:room_flow>
            $<FILTER:$<TARGET_OBJECTS:room_app>,INCLUDE,/embedded>
            $<FILTER:$<TARGET_OBJECTS:room_app>,INCLUDE,/testing>)
target_link_libraries(perdure_library PRIVATE room_app)
target_include_directories(perdure_library INTERFACE $<INSTALL_INTERFACE:include>
                                                     $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>)
target_compile_features(perdure_library INTERFACE cxx_std_20)
set_target_properties(perdure_library PROPERTIES
  OUTPUT_NAME perdure EXPORT_NAME perdure LINKER_LANGUAGE CXX LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/package/symbols.map
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
# Instead of the options of the folder, which link libstdc++ statically.
set_property(TARGET perdure_library PROPERTY LINK_OPTIONS
             -fuse-ld=lld -Wl,--gc-sections -Wl,-z,defs $<$<CONFIG:Release>:-Wl,--strip-all>
             -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/package/symbols.map)

# ---- cmake --install ---------------------------------------------------------------------------------

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(perdure_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/perdure)
set(perdure_package ${CMAKE_BINARY_DIR}/package)
configure_package_config_file(cmake/package/perdureConfig.cmake.in ${perdure_package}/perdureConfig.cmake
                              INSTALL_DESTINATION ${perdure_cmake_dir} PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${perdure_package}/perdureConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH perdure_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" perdure_pc_prefix ${perdure_pc_prefix})
configure_file(cmake/package/perdure.pc.in ${perdure_package}/perdure.pc @ONLY)

install(TARGETS perdure RUNTIME)
install(TARGETS perdure_library EXPORT perdure LIBRARY)
install(EXPORT perdure NAMESPACE perdure:: FILE perdureTargets.cmake DESTINATION ${perdure_cmake_dir})
install(FILES ${perdure_package}/perdureConfig.cmake ${perdure_package}/perdureConfigVersion.cmake
              cmake/coroutine_conformance.cpp DESTINATION ${perdure_cmake_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${perdure_package}/perdure.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY include/perdure DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY tools/coroutine-check DESTINATION ${CMAKE_INSTALL_DATADIR}/perdure USE_SOURCE_PERMISSIONS)
