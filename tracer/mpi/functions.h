#pragma once

#include "tracer/mpi/types.h"

// Declares MPI's functions: those that this library defines, and those it calls in the MPI underneath. tests/tracer
// compares them with every mpi.h there is.
extern "C" {
#pragma GCC visibility push(default)
#define HANDLES(type) timeless::tracer::ProgramHandles<type>
#define PROTOTYPE(name, parameters)                                                                                    \
  int MPI_##name parameters;                                                                                           \
  int PMPI_##name parameters;
#include "mpi_4.0_prototypes.inc"
#include "mpi_4.1_prototypes.inc"
#include "mpi_5.0_prototypes.inc"
#include "prototypes.inc"
#undef PROTOTYPE
#define MPI_QUERY(name, parameters) int PMPI_##name parameters;
#define MPI_QUERY_OF_MPI_4(name, parameters) MPI_QUERY(name, parameters)
#define MPI_CONVERSION(type, name, parameters) type PMPI_##name parameters;
#include "tracer/mpi/used_functions.def"
#undef MPI_QUERY
#undef MPI_QUERY_OF_MPI_4
#undef MPI_CONVERSION
#undef HANDLES
#pragma GCC visibility pop
} // extern "C"
