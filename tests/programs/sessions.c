/* A program without MPI_Init: what it communicates by are communicators of its sessions. */
#include <mpi.h>

#include <stdio.h>

/* Open MPI 5 has these calls, and says that it is of MPI-3.1. */
#if MPI_VERSION < 4 && (!defined(OMPI_MAJOR_VERSION) || OMPI_MAJOR_VERSION < 5)
int main(void) {
  printf("an older MPI\n");
  return 0;
}
#else

int main(void) {
  MPI_Session first, second;
  MPI_Group everybody;
  MPI_Comm made;
  int rank = 0, size = 0, sum = 0, given = 0, taken = -1;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
  MPI_Group_from_session_pset(first, "mpi://WORLD", &everybody);
  MPI_Comm_create_from_group(everybody, "ours", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
  MPI_Group_free(&everybody);
  MPI_Comm_rank(made, &rank);
  MPI_Comm_size(made, &size);
  given = rank;
  MPI_Sendrecv(&given, 1, MPI_INT, (rank + 1) % size, 1, &taken, 1, MPI_INT, (rank + size - 1) % size, 1, made,
               MPI_STATUS_IGNORE);
  MPI_Comm_free(&made);

  /* A library has a session of its own, which outlives the program's. */
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
  MPI_Session_finalize(&first);
  MPI_Group_from_session_pset(second, "mpi://WORLD", &everybody);
  MPI_Comm_create_from_group(everybody, "theirs", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
  MPI_Allreduce(&taken, &sum, 1, MPI_INT, MPI_SUM, made);
  MPI_Comm_free(&made);
  MPI_Group_free(&everybody);
  MPI_Session_finalize(&second);
  if (rank == 0) printf("%d\n", sum);
  return 0;
}
#endif
