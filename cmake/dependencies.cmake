# What the project builds on. Everything comes from the distribution's packages (tools/packages lists them).
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
# The recorder serves every MPI and needs none to be built; timeless-mpi, the tests and the benchmarks do.
find_package(MPI COMPONENTS C CXX Fortran)
if(NOT MPI_FOUND)
  if(TIMELESS_TESTS OR TIMELESS_BENCH)
    message(FATAL_ERROR "No MPI was found, which the tests and benchmarks need: install one (mpicc, mpicxx, mpifort), or add "
      "-DTIMELESS_TESTS=OFF -DTIMELESS_BENCH=OFF to build without them")
  endif()
  message(STATUS "No MPI was found: all is built but timeless-mpi, which gathers, replays and measures under mpirun")
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(fmt REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
# Platform files, as XML with line numbers.
find_package(pugixml REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
# Functions and source lines of the programs recorded.
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw)
pkg_check_modules(SIMGRID REQUIRED IMPORTED_TARGET simgrid)

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_reader.hpp REQUIRED)
find_path(PAPI_INCLUDE_DIR papi.h REQUIRED)
find_path(VALGRIND_INCLUDE_DIR valgrind/valgrind.h REQUIRED)
# Linked whole into every artifact: the preloaded library may not bring another zstd into somebody's process.
find_library(ZSTD_STATIC_LIBRARY NAMES libzstd.a REQUIRED)
# Timelines for Vampir and Scalasca.
find_path(OTF2_INCLUDE_DIR otf2/otf2.h REQUIRED)
find_library(OTF2_LIBRARY NAMES otf2 REQUIRED)
