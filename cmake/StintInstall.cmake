# `cmake --install build --prefix DIR`: libraries, headers, the command line with
# its peers and a CMake package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS stint stint_convert EXPORT stint-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS stint_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET stint_opencl)
  install(TARGETS stint_opencl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY peers DESTINATION ${CMAKE_INSTALL_DATADIR}/stint
  PATTERN __pycache__ EXCLUDE)
install(DIRECTORY include/stint DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stint)
install(EXPORT stint-targets NAMESPACE stint:: DESTINATION ${package_dir})
configure_package_config_file(cmake/stint-config.cmake.in
  ${CMAKE_BINARY_DIR}/stint-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/stint-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/stint-config.cmake
  ${CMAKE_BINARY_DIR}/stint-config-version.cmake DESTINATION ${package_dir})
