# What the replay in SMPI leans on beyond SimGrid's public headers (replay/smpi/calls/smpi_internals.h,
# replay/simgrid/simgrid_versions.h) is there, or it is said now: SimGrid promises none of it.
set(fits TIMELESS_FITS_SIMGRID_${SIMGRID_VERSION})
if(NOT ${fits})
  message(STATUS "Checking whether SimGrid ${SIMGRID_VERSION} has what the replay in SMPI leans on")
  try_compile(${fits} ${PROJECT_BINARY_DIR}/simgrid_internals ${PROJECT_SOURCE_DIR}/cmake/simgrid_internals.cpp
    CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR}\;${SIMGRID_INCLUDE_DIRS}
    LINK_LIBRARIES ${SIMGRID_LINK_LIBRARIES}
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
    OUTPUT_VARIABLE said)
  if(NOT ${fits})
    message(FATAL_ERROR "SimGrid ${SIMGRID_VERSION} does not fit: it names otherwise, or has no more, what "
      "replay/smpi/calls/smpi_internals.h and replay/simgrid/simgrid_versions.h declare of it. Known to fit: 3.32, 3.36 and 4.1. "
      "The compiler says:\n${said}")
  endif()
endif()
