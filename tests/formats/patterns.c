/* Messages and collectives in MPI_COMM_WORLD, to be traced by SimGrid's tracer and by ours. */
#include <mpi.h>
#include <stdlib.h>

enum { most = 4096, rounds = 3 };

int main(int argc, char** argv) {
  static char out[8 * most], in[8 * most];
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;

  for (int round = 0; round < rounds; ++round) {
    /* A ring, blocking. */
    if (rank == 0) {
      MPI_Send(out, 100 + round, MPI_INT, right, 10 + round, MPI_COMM_WORLD);
      MPI_Recv(in, 100 + round, MPI_INT, left, 10 + round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, 100 + round, MPI_INT, left, 10 + round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, 100 + round, MPI_INT, right, 10 + round, MPI_COMM_WORLD);
    }
    /* A halo, nonblocking. */
    MPI_Request requests[4];
    MPI_Irecv(in, most, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in, 7, MPI_BYTE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out, most, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(out, 7, MPI_BYTE, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Request one;
    MPI_Irecv(in, 3, MPI_SHORT, left, 5, MPI_COMM_WORLD, &one);
    MPI_Send(out, 3, MPI_SHORT, right, 5, MPI_COMM_WORLD);
    MPI_Wait(&one, MPI_STATUS_IGNORE);

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(out, 200, MPI_FLOAT, round % size, MPI_COMM_WORLD);
    MPI_Reduce(out, in, 50, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
    MPI_Allreduce(out, in, 60, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allgather(out, 11, MPI_INT, in, 11, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(out, 12, MPI_CHAR, in, 12, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Gather(out, 13, MPI_INT, in, 13, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Scatter(out, 14, MPI_INT, in, 14, MPI_INT, 1, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}
