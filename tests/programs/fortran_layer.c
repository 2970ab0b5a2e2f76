/* A profiling layer for Fortran, in a library of its own. `use mpi_f08` calls MPI by another name and passes it by. */
#include <mpi.h>

static int barriers;

void pmpi_barrier_(MPI_Fint* comm, MPI_Fint* ierror);
void mpi_barrier_(MPI_Fint* comm, MPI_Fint* ierror);
MPI_Fint barriers_seen_(void);

void mpi_barrier_(MPI_Fint* comm, MPI_Fint* ierror) {
  ++barriers;
  pmpi_barrier_(comm, ierror);
}

MPI_Fint barriers_seen_(void) {
  return barriers;
}
