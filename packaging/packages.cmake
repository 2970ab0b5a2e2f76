# Debian packages, by `cpack` in a build directory: timeless, and libtimeless-dev with the library that reads archives.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME timeless)
set(CPACK_PACKAGE_CONTACT "The Timeless authors <maintainers@timeless.invalid>")
# Not a line before each package's own description
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Timeless built using CMake")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# What Debian wants beside what is installed: compressed manual pages, a changelog, a copyright file.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian/complete_tree.cmake)
set(CPACK_TIMELESS_SOURCE_DIR ${PROJECT_SOURCE_DIR})

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME timeless)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
# The counting tool is Valgrind's core of that version, linked in, and loads Valgrind's own libraries.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "valgrind, python3:any")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "openmpi-bin")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "libpapi6.0, python3-pandas")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "time-independent traces of MPI programs, and their replay
Records what an unmodified MPI program computes and sends, without times, and
predicts how long it would take on any machine that can be described: by a
model that evaluates hundreds of networks in one pass, or in SimGrid's SMPI.
Says what bounds the program, which upgrade helps, and how sure that is.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtimeless-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libzstd-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "time-independent traces of MPI programs: library to read archives
A static C++ library that reads the archives that timeless records, with its
headers and files for CMake's find_package(Timeless).")
include(CPack)
