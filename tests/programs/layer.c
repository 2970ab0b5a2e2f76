/* A profiling layer in a library of its own. */
#include <mpi.h>

#include <stdio.h>

static int barriers;

/* A function of this library, by a name that some Fortran compilers give to MPI's. */
int mpi_barrier(int number);

int mpi_barrier(int number) {
  return number + 1;
}

int MPI_Barrier(MPI_Comm comm) {
  ++barriers;
  return PMPI_Barrier(comm);
}

int MPI_Finalize(void) {
  printf("%d barriers, %d\n", barriers, mpi_barrier(41));
  return PMPI_Finalize();
}
