/* What standard_mpi.c leaves out: it succeeds, and does nothing. */
#include "standard_mpi.h"

#define MPI_QUERY(name, parameters)                                                                                    \
  __attribute__((weak)) int PMPI_##name parameters {                                                                   \
    return 0;                                                                                                          \
  }
#define PROTOTYPE(name, parameters)                                                                                    \
  MPI_QUERY(name, parameters)                                                                                          \
  __attribute__((weak, alias("PMPI_" #name))) int MPI_##name parameters;
#include "prototypes.inc"
#include "tracer/mpi/used_functions.def"
