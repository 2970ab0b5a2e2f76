/* Calls that came with MPI-4.0, on ranks of MPI_COMM_WORLD. */
#include <mpi.h>

#include <stdio.h>

/* Open MPI 5 has these calls, and says that it is of MPI-3.1. */
#if MPI_VERSION < 4 && (!defined(OMPI_MAJOR_VERSION) || OMPI_MAJOR_VERSION < 5)
int main(void) {
  printf("an older MPI\n");
  return 0;
}
#else

enum { most = 8 };

static int rank, size;

static void two_messages_in_one_request(void) {
  int given[2] = {rank, 1}, taken[2] = {0};
  MPI_Request request;
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  const int below = rank > 0 ? rank - 1 : MPI_PROC_NULL, above = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Isendrecv(given, 2, MPI_INT, next, 1, taken, 2, MPI_INT, previous, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (taken[0] != previous) printf("wrong message\n");
  MPI_Isendrecv_replace(given, 1, MPI_INT, above, 2, below, 2, MPI_COMM_WORLD, &request);
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
}

/* Begun anew by each start. */
static void persistent_collectives(void) {
  int given[most] = {rank}, taken[most] = {0}, counts[most], places[most], sum = 0;
  MPI_Request requests[3];
  for (int i = 0; i < size; ++i) {
    counts[i] = 1;
    places[i] = i;
  }
  MPI_Bcast_init(given, 3, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Alltoallv_init(given, counts, places, MPI_INT, taken, counts, places, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &requests[2]);
  counts[0] = 99; /* read by now */
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Startall(2, &requests[1]);
    MPI_Waitall(2, &requests[1], MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 3; ++i)
    MPI_Request_free(&requests[i]);
  if (sum != size * (size - 1) / 2) printf("wrong sum\n");
}

/* A message in four parts, of which the last to be ready is the first. */
static void partitions(void) {
  int given[most] = {0}, taken[most] = {0}, some[2] = {1, 2}, come = 0;
  MPI_Request requests[2];
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  MPI_Psend_init(given, 4, 2, MPI_INT, next, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(taken, 4, 2, MPI_INT, previous, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, requests);
    given[0] = rank;
    MPI_Pready_range(3, 3, requests[0]);
    MPI_Pready_list(2, some, requests[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pready(0, requests[0]);
    while (i == 0 && !come)
      MPI_Parrived(requests[1], 0, &come);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  if (taken[0] != previous) printf("wrong part\n");
}

static void communicators_of_groups(void) {
  MPI_Group world, half;
  MPI_Comm made, between;
  MPI_Request request;
  int ranks[most], members = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (int i = rank % 2; i < size; i += 2)
    ranks[members++] = i;
  MPI_Group_incl(world, members, ranks, &half);
  MPI_Comm_create_from_group(half, "halves", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
  MPI_Barrier(made);
  MPI_Comm_free(&made);
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(made);
  MPI_Comm_free(&made);
  for (int i = members = 0; i < size; ++i)
    if (i % 2 != rank % 2) ranks[members++] = i;
  MPI_Group others;
  MPI_Group_incl(world, members, ranks, &others);
  MPI_Intercomm_create_from_groups(half, 0, others, 0, "between", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &between);
  MPI_Barrier(between);
  MPI_Comm_free(&between);
  MPI_Group_free(&others);
  MPI_Group_free(&half);
  MPI_Group_free(&world);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2 || size > most) MPI_Abort(MPI_COMM_WORLD, 2);
  two_messages_in_one_request();
  persistent_collectives();
  partitions();
  communicators_of_groups();
  if (rank == 0) printf("done\n");
  return MPI_Finalize();
}
#endif
