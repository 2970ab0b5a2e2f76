/* Ranks that talk to themselves, and so meet what binary interfaces of MPI differ in: handles alone and in arrays,
   constants, statuses. The first prints what every MPI must answer the same. */
#ifdef STANDARD_MPI
#include "standard_mpi.h"
#else
#include <mpi.h>
#endif

#include <stdio.h>

int main(int argc, char** argv) {
  int given[3] = {1, 2, 3};
  int taken[4] = {0};
  int most = 0;
  int provided = 0;
  int rank = 0;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Status nothing;
  MPI_Comm alone;
  MPI_Comm nobody;
  MPI_Win window;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided) != 0) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  MPI_Isend(given, 3, MPI_INT, rank, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(taken, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Recv(taken, 4, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &nothing);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Allreduce(&taken[2], &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, taken, 4, MPI_INT, MPI_SUM, MPI_COMM_SELF);

  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
  MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &nobody);
  MPI_Bcast(given, 3, MPI_INT, 0, alone);
  MPI_Comm_free(&alone);

  MPI_Win_create(given, sizeof given, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, MPI_MODE_NOCHECK, window);
  MPI_Accumulate(&most, 1, MPI_INT, rank, 1, 1, MPI_INT, MPI_REPLACE, window);
  MPI_Win_unlock(rank, window);
  MPI_Win_free(&window);

  if (rank == 0)
    printf("%d from %d with tag %d, %d\n", most, statuses[1].MPI_SOURCE, statuses[1].MPI_TAG,
           nothing.MPI_SOURCE == MPI_PROC_NULL && nobody == MPI_COMM_NULL && requests[1] == MPI_REQUEST_NULL);
  return MPI_Finalize();
}
