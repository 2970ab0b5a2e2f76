# The installed library that reads archives, for find_package(Timeless).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Timeless)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/TimelessConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/TimelessConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/TimelessConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT TimelessTargets NAMESPACE Timeless:: DESTINATION ${package_dir} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/package/TimelessConfig.cmake ${PROJECT_BINARY_DIR}/package/TimelessConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)
