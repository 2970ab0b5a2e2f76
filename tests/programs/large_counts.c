/* Calls with the counts of MPI-4 ("large"), or the same with counts of before, which are all there is in an older MPI.
 */
#include <mpi.h>

#include <stdio.h>
#include <string.h>

enum { most = 8 };

#if MPI_VERSION < 4
#define CALL(name, ...) MPI_##name(__VA_ARGS__)
#else
static int large;
#define CALL(name, ...) (large ? MPI_##name##_c(__VA_ARGS__) : MPI_##name(__VA_ARGS__))
#endif

static int rank, size;

static void messages(void) {
  int given[most] = {rank};
  int taken[2 * most];
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Message message;
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  CALL(Isend, given, 3, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[0]);
  CALL(Recv, taken, most, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &statuses[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  CALL(Sendrecv, given, 2, MPI_INT, next, 2, taken, most, MPI_INT, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CALL(Sendrecv_replace, given, 5, MPI_INT, next, 3, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CALL(Isend, given, 4, MPI_INT, next, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Mprobe(previous, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  CALL(Imrecv, taken, most, MPI_INT, &message, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  CALL(Send_init, given, 6, MPI_INT, next, 5, MPI_COMM_WORLD, &requests[0]);
  CALL(Recv_init, taken, most, MPI_INT, previous, 5, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, statuses);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
#if MPI_VERSION >= 4
  /* Two messages of one request. */
  CALL(Isendrecv, given, 1, MPI_INT, next, 6, taken, 1, MPI_INT, previous, 6, MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
#endif
}

static void collectives(void) {
  int given[most * most] = {rank};
  int taken[most * most];
  int counts[most], places[most];
  MPI_Request request;
  for (int i = 0; i < size; ++i) {
    counts[i] = 1 + i;
    places[i] = most * i;
  }
  CALL(Bcast, given, 7, MPI_INT, 1, MPI_COMM_WORLD);
  CALL(Allreduce, given, taken, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CALL(Iallreduce, MPI_IN_PLACE, taken, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CALL(Gather, given, 2, MPI_INT, taken, 2, MPI_INT, 0, MPI_COMM_WORLD);
#if MPI_VERSION >= 4
  if (large) {
    MPI_Count large_counts[most];
    MPI_Aint large_places[most];
    for (int i = 0; i < size; ++i) {
      large_counts[i] = counts[i];
      large_places[i] = places[i];
    }
    MPI_Gatherv_c(given, counts[rank], MPI_INT, taken, large_counts, large_places, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Reduce_scatter_c(given, taken, large_counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return;
  }
#endif
  MPI_Gatherv(given, counts[rank], MPI_INT, taken, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Reduce_scatter(given, taken, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void memory(void) {
  int exposed[most] = {0};
  int given[most] = {rank};
  MPI_Win window;
  CALL(Win_create, exposed, sizeof exposed, sizeof exposed[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  CALL(Put, given, 2, MPI_INT, (rank + 1) % size, 0, 2, MPI_INT, window);
  CALL(Accumulate, given, 3, MPI_INT, (rank + 1) % size, 4, 3, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static void files(const char* name) {
  int given[most] = {rank};
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                &file);
  CALL(File_write_at, file, (MPI_Offset)sizeof given * rank, given, 4, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 3 || size > most) MPI_Abort(MPI_COMM_WORLD, 2);
#if MPI_VERSION >= 4
  large = strcmp(argv[1], "large") == 0;
#endif
  messages();
  collectives();
  memory();
  files(argv[2]);
  if (rank == 0) printf("done\n");
  return MPI_Finalize();
}
