/* Makes every recorded MPI call once or more; calls.F90 is the same program, call for call.
 *
 *     calls FILE      on an even number of ranks; FILE is written and deleted again
 *
 * Each section folds what the calls return into a number per rank, counting indices from 1; rank 0 prints them. Nothing
 * depends on timing, also not the sequence of successful calls. */
#include <mpi.h>

#include <stdio.h>
#include <string.h>

#define SECTIONS 11
#define MAX_RANKS 64

static long long digest[SECTIONS];
static int section = -1;
static int rank, size, partner;

static void check(long long value) {
  digest[section] = (digest[section] * 31 + value + 7) % 1000003;
}

static void check_status(const MPI_Status* status) {
  int count;
  MPI_Get_count(status, MPI_INT, &count);
  check(status->MPI_SOURCE);
  check(status->MPI_TAG);
  check(count);
}

static void blocking(void) {
  static char buffer[10000];
  MPI_Buffer_attach(buffer, sizeof buffer);
  for (int mode = 0; mode < 3; ++mode)
    for (int turn = 0; turn < 2; ++turn) {
      int value = 100 * rank + mode;
      MPI_Status status;
      if (rank % 2 == turn) {
        if (mode == 0) MPI_Send(&value, 1, MPI_INT, partner, mode, MPI_COMM_WORLD);
        if (mode == 1) MPI_Bsend(&value, 1, MPI_INT, partner, mode, MPI_COMM_WORLD);
        if (mode == 2) MPI_Ssend(&value, 1, MPI_INT, partner, mode, MPI_COMM_WORLD);
      } else if (turn == 0) {
        MPI_Recv(&value, 1, MPI_INT, partner, mode, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(value);
      } else {
        int values[3];
        MPI_Recv(values, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        check(values[0]);
        check_status(&status);
      }
    }
  int given = rank + 5;
  int taken = 0;
  MPI_Request request;
  MPI_Irecv(&taken, 1, MPI_INT, partner, 3, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Rsend(&given, 1, MPI_INT, partner, 3, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(taken);
  char* detached;
  int detached_size;
  MPI_Buffer_detach(&detached, &detached_size);
}

static void nonblocking(void) {
  static char buffer[10000];
  MPI_Buffer_attach(buffer, sizeof buffer);
  int given = rank + 20;
  int taken[4] = {0};
  int flag;
  int index;
  int done;
  int indices[3];
  MPI_Request requests[3];
  MPI_Request sending;
  MPI_Status status;
  MPI_Status statuses[3];

  MPI_Irecv(taken, 4, MPI_INT, partner, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&given, 1, MPI_INT, partner, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Wait(&requests[0], &status);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  check(taken[0]);
  check_status(&status);
  check(requests[0] == MPI_REQUEST_NULL);

  MPI_Irecv(taken, 4, MPI_INT, partner, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Ibsend(&given, 1, MPI_INT, partner, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  check_status(&statuses[0]);

  MPI_Irecv(taken, 4, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Issend(&given, 1, MPI_INT, partner, 3, MPI_COMM_WORLD, &requests[1]);
  for (flag = 0; !flag;)
    MPI_Test(&requests[0], &flag, &status);
  check_status(&status);
  for (flag = 0; !flag;)
    MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
  check(requests[1] == MPI_REQUEST_NULL);

  MPI_Irecv(taken, 4, MPI_INT, partner, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Irsend(&given, 1, MPI_INT, partner, 4, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  check(taken[0]);

  requests[0] = requests[2] = MPI_REQUEST_NULL;
  MPI_Irecv(taken, 4, MPI_INT, partner, 5, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&given, 1, MPI_INT, partner, 5, MPI_COMM_WORLD, &sending);
  MPI_Waitany(3, requests, &index, &status);
  check(index + 1);
  check_status(&status);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  MPI_Waitany(3, requests, &index, &status);
  check(index == MPI_UNDEFINED);

  MPI_Irecv(taken, 4, MPI_INT, partner, 6, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(&given, 1, MPI_INT, partner, 6, MPI_COMM_WORLD, &sending);
  MPI_Waitsome(3, requests, &done, indices, statuses);
  check(done);
  check(indices[0] + 1);
  check_status(&statuses[0]);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  MPI_Waitsome(3, requests, &done, indices, MPI_STATUSES_IGNORE);
  check(done == MPI_UNDEFINED);

  MPI_Irecv(taken, 4, MPI_INT, partner, 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&given, 1, MPI_INT, partner, 7, MPI_COMM_WORLD, &sending);
  for (flag = 0; !flag;)
    MPI_Testany(3, requests, &index, &flag, &status);
  check(index + 1);
  check_status(&status);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);

  MPI_Irecv(taken, 4, MPI_INT, partner, 8, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&given, 1, MPI_INT, partner, 8, MPI_COMM_WORLD, &sending);
  for (done = 0; done == 0;)
    MPI_Testsome(3, requests, &done, indices, statuses);
  check(done);
  check(indices[0] + 1);
  check_status(&statuses[0]);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);

  MPI_Irecv(taken, 4, MPI_INT, partner, 9, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&given, 1, MPI_INT, partner, 9, MPI_COMM_WORLD, &requests[1]);
  for (flag = 0; !flag;)
    MPI_Testall(2, requests, &flag, statuses);
  check_status(&statuses[0]);

  MPI_Irecv(taken, 4, MPI_INT, partner, 10, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&given, 1, MPI_INT, partner, 10, MPI_COMM_WORLD, &requests[1]);
  for (flag = 0; !flag;)
    MPI_Request_get_status(requests[0], &flag, &status);
  check_status(&status);
  check(requests[0] == MPI_REQUEST_NULL);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  char* detached;
  int detached_size;
  MPI_Buffer_detach(&detached, &detached_size);
}

static void exchanges(void) {
  int given = rank + 30;
  int taken = -1;
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  const int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  MPI_Status status;
  MPI_Request requests[2];
  MPI_Sendrecv(&given, 1, MPI_INT, next, 1, &taken, 1, MPI_INT, previous, 1, MPI_COMM_WORLD, &status);
  check(taken);
  check_status(&status);
  MPI_Sendrecv_replace(&given, 1, MPI_INT, next, 2, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  check(given);
  check_status(&status);
  taken = -1;
  MPI_Sendrecv(&given, 1, MPI_INT, right, 3, &taken, 1, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(taken);
  MPI_Send(&given, 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD);
  MPI_Recv(&taken, 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD, &status);
  check(status.MPI_SOURCE == MPI_PROC_NULL);
  MPI_Irecv(&taken, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&given, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  check(taken);
}

static void probes(void) {
  int value = rank;
  int flag;
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  if (rank % 2 == 0) {
    for (int tag = 1; tag <= 4; ++tag)
      MPI_Send(&value, 1, MPI_INT, partner, tag, MPI_COMM_WORLD);
    return;
  }
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  check_status(&status);
  MPI_Recv(&value, 1, MPI_INT, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (flag = 0; !flag;)
    MPI_Iprobe(partner, 2, MPI_COMM_WORLD, &flag, &status);
  check_status(&status);
  MPI_Recv(&value, 1, MPI_INT, partner, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, &status);
  check_status(&status);
  MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
  check_status(&status);
  check(message == MPI_MESSAGE_NULL);
  for (flag = 0; !flag;)
    MPI_Improbe(partner, 4, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
  MPI_Wait(&request, &status);
  check_status(&status);
  check(value);
}

static void persistent(void) {
  static char buffer[10000];
  MPI_Buffer_attach(buffer, sizeof buffer);
  int given[2] = {rank, rank + 1};
  int taken[2] = {0, 0};
  int flag;
  MPI_Request requests[2];
  MPI_Request both[4];
  MPI_Status status;
  MPI_Status statuses[4];
  MPI_Recv_init(taken, 2, MPI_INT, partner, 1, MPI_COMM_WORLD, &both[0]);
  MPI_Recv_init(taken, 2, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &both[1]);
  MPI_Send_init(given, 2, MPI_INT, partner, 1, MPI_COMM_WORLD, &both[2]);
  MPI_Bsend_init(given, 2, MPI_INT, partner, 2, MPI_COMM_WORLD, &both[3]);
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Startall(4, both);
    MPI_Waitall(4, both, statuses);
    check_status(&statuses[1]);
    check(both[0] != MPI_REQUEST_NULL);
  }
  MPI_Waitall(4, both, MPI_STATUSES_IGNORE);
  for (int index = 0; index < 4; ++index)
    MPI_Request_free(&both[index]);
  check(both[0] == MPI_REQUEST_NULL);

  MPI_Recv_init(taken, 2, MPI_INT, partner, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Ssend_init(given, 2, MPI_INT, partner, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Start(&requests[0]);
  MPI_Start(&requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[1]);
  MPI_Rsend_init(given, 2, MPI_INT, partner, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Start(&requests[0]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Start(&requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  check(taken[1]);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);

  MPI_Irecv(taken, 1, MPI_INT, partner, 99, MPI_COMM_WORLD, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &status);
  MPI_Test_cancelled(&status, &flag);
  check(flag != 0);

  MPI_Isend(given, 1, MPI_INT, partner, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Request_free(&requests[0]);
  MPI_Recv(taken, 1, MPI_INT, partner, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(taken[0]);
  char* detached;
  int detached_size;
  MPI_Buffer_detach(&detached, &detached_size);
}

static int given[MAX_RANKS * MAX_RANKS];
static int taken[MAX_RANKS * MAX_RANKS];
static int counts[MAX_RANKS];
static int displacements[MAX_RANKS];
static int byte_displacements[MAX_RANKS];
static int one_each[MAX_RANKS];
static MPI_Datatype types[MAX_RANKS];

/* Rank i's part of a v-collective has i + 1 elements. */
static void fill(void) {
  for (int i = 0; i < MAX_RANKS * MAX_RANKS; ++i) {
    given[i] = 1000 * rank + i;
    taken[i] = -1;
  }
}

static void check_taken(int length) {
  for (int i = 0; i < length; ++i)
    check(taken[i]);
  fill();
}

static void collectives(void) {
  MPI_Request request;
  int total = 0;
  for (int i = 0; i < size; ++i) {
    counts[i] = i + 1;
    displacements[i] = total;
    byte_displacements[i] = 4 * i;
    one_each[i] = 1;
    types[i] = MPI_INT;
    total += counts[i];
  }
  fill();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(given, 2, MPI_INT, 1, MPI_COMM_WORLD);
  check(given[1]);
  fill();
  MPI_Gather(given, 2, MPI_INT, taken, 2, MPI_INT, 1, MPI_COMM_WORLD);
  check_taken(2 * size);
  MPI_Gatherv(given, rank + 1, MPI_INT, taken, counts, displacements, MPI_INT, 0, MPI_COMM_WORLD);
  check_taken(total);
  MPI_Scatter(given, 2, MPI_INT, taken, 2, MPI_INT, 1, MPI_COMM_WORLD);
  check_taken(2);
  MPI_Scatterv(given, counts, displacements, MPI_INT, taken, rank + 1, MPI_INT, 0, MPI_COMM_WORLD);
  check_taken(rank + 1);
  MPI_Allgather(given, 2, MPI_INT, taken, 2, MPI_INT, MPI_COMM_WORLD);
  check_taken(2 * size);
  MPI_Allgatherv(given, rank + 1, MPI_INT, taken, counts, displacements, MPI_INT, MPI_COMM_WORLD);
  check_taken(total);
  MPI_Alltoall(given, 1, MPI_INT, taken, 1, MPI_INT, MPI_COMM_WORLD);
  check_taken(size);
  MPI_Alltoallv(given, one_each, displacements, MPI_INT, taken, one_each, displacements, MPI_INT, MPI_COMM_WORLD);
  check_taken(total);
  MPI_Alltoallw(given, one_each, byte_displacements, types, taken, one_each, byte_displacements, types, MPI_COMM_WORLD);
  check_taken(size);
  MPI_Reduce(given, taken, 3, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
  check_taken(3);
  MPI_Allreduce(given, taken, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  check_taken(3);
  MPI_Reduce_scatter(given, taken, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check_taken(rank + 1);
  MPI_Reduce_scatter_block(given, taken, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check_taken(2);
  MPI_Scan(given, taken, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check_taken(2);
  MPI_Exscan(given, taken, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check_taken(2);

  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ibcast(given, 2, MPI_INT, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(given[1]);
  fill();
  MPI_Igather(given, 2, MPI_INT, taken, 2, MPI_INT, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(2 * size);
  MPI_Igatherv(given, rank + 1, MPI_INT, taken, counts, displacements, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(total);
  MPI_Iscatter(given, 2, MPI_INT, taken, 2, MPI_INT, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(2);
  MPI_Iscatterv(given, counts, displacements, MPI_INT, taken, rank + 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(rank + 1);
  MPI_Iallgather(given, 2, MPI_INT, taken, 2, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(2 * size);
  MPI_Iallgatherv(given, rank + 1, MPI_INT, taken, counts, displacements, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(total);
  MPI_Ialltoall(given, 1, MPI_INT, taken, 1, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(size);
  MPI_Ialltoallv(given, one_each, displacements, MPI_INT, taken, one_each, displacements, MPI_INT, MPI_COMM_WORLD,
                 &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(total);
  MPI_Ialltoallw(given, one_each, byte_displacements, types, taken, one_each, byte_displacements, types, MPI_COMM_WORLD,
                 &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(size);
  MPI_Ireduce(given, taken, 3, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(3);
  MPI_Iallreduce(given, taken, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(3);
  MPI_Ireduce_scatter(given, taken, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(rank + 1);
  MPI_Ireduce_scatter_block(given, taken, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(2);
  MPI_Iscan(given, taken, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(2);
  MPI_Iexscan(given, taken, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(2);
}

static void in_place(void) {
  fill();
  for (int i = 0; i < size; ++i)
    taken[i] = rank + i;
  MPI_Allreduce(MPI_IN_PLACE, taken, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check_taken(2);
  taken[2 * rank] = taken[2 * rank + 1] = rank;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, taken, 2, MPI_INT, MPI_COMM_WORLD);
  check_taken(2 * size);
  taken[displacements[rank]] = rank;
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, taken, counts, displacements, MPI_INT, MPI_COMM_WORLD);
  check_taken(1);
  for (int i = 0; i < size; ++i)
    taken[i] = 10 * rank + i;
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, taken, 1, MPI_INT, MPI_COMM_WORLD);
  check_taken(size);
  if (rank == 0) {
    taken[0] = taken[1] = 77;
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, taken, 2, MPI_INT, 0, MPI_COMM_WORLD);
    check_taken(2 * size);
    taken[0] = taken[1] = 78;
    MPI_Reduce(MPI_IN_PLACE, taken, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    check_taken(2);
    MPI_Scatter(given, 2, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
  } else {
    MPI_Gather(given, 2, MPI_INT, taken, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Reduce(given, taken, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Scatter(given, 2, MPI_INT, taken, 2, MPI_INT, 0, MPI_COMM_WORLD);
    check_taken(2);
  }
}

static void use_and_free(MPI_Comm* communicator) {
  if (*communicator == MPI_COMM_NULL) {
    check(-1);
    return;
  }
  int sum = 0;
  int members;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, *communicator);
  MPI_Comm_size(*communicator, &members);
  check(sum);
  check(members);
  MPI_Comm_free(communicator);
  check(*communicator == MPI_COMM_NULL);
}

static void communicators(void) {
  MPI_Comm made;
  MPI_Comm cart;
  MPI_Comm half;
  MPI_Comm inter;
  MPI_Request request;
  MPI_Group world;
  MPI_Group evens;
  int even_ranks[MAX_RANKS];
  int evens_count = 0;
  for (int i = 0; i < size; i += 2)
    even_ranks[evens_count++] = i;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, evens_count, even_ranks, &evens);

  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  use_and_free(&made);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &made);
  use_and_free(&made);
  MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  use_and_free(&made);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &made);
  use_and_free(&made);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &made);
  use_and_free(&made);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made);
  use_and_free(&made);
  MPI_Comm_create(MPI_COMM_WORLD, evens, &made);
  use_and_free(&made);
  if (rank % 2 == 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, evens, 4, &made);
    use_and_free(&made);
  }

  const int dimensions[2] = {2, size / 2};
  const int periods[2] = {1, 0};
  const int remain[2] = {0, 1};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periods, 0, &cart);
  MPI_Cart_sub(cart, remain, &made);
  use_and_free(&made);
  use_and_free(&cart);

  int index[MAX_RANKS];
  int edges[2 * MAX_RANKS];
  for (int i = 0; i < size; ++i) {
    index[i] = 2 * (i + 1);
    edges[2 * i] = (i + 1) % size;
    edges[2 * i + 1] = (i + size - 1) % size;
  }
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &made);
  use_and_free(&made);
  const int degree = 1;
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  const int weight = 3;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
  use_and_free(&made);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &previous, &weight, 1, &next, &weight, MPI_INFO_NULL, 0, &made);
  use_and_free(&made);

  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 6, &inter);
  MPI_Intercomm_merge(inter, rank % 2, &made);
  use_and_free(&made);
  int root = 0;
  int news = rank % 2 == 0 ? 4711 : 0;
  if (rank % 2 == 0) root = rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(&news, 1, MPI_INT, root, inter);
  check(news);
  MPI_Comm_disconnect(&inter);
  use_and_free(&half);
  MPI_Group_free(&evens);
  MPI_Group_free(&world);
}

static void neighbours(void) {
  MPI_Comm ring;
  MPI_Comm directed;
  MPI_Request request;
  const int periodic = 1;
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  const int two[2] = {2, 2};
  const int places[2] = {0, 2};
  const MPI_Aint byte_places[2] = {0, 8};
  const MPI_Datatype integers[2] = {MPI_INT, MPI_INT};
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &previous, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                 0, &directed);
  fill();
  MPI_Neighbor_allgather(given, 2, MPI_INT, taken, 2, MPI_INT, ring);
  check_taken(4);
  MPI_Neighbor_allgatherv(given, 2, MPI_INT, taken, two, places, MPI_INT, ring);
  check_taken(4);
  MPI_Neighbor_alltoall(given, 2, MPI_INT, taken, 2, MPI_INT, directed);
  check_taken(4);
  MPI_Neighbor_alltoallv(given, two, places, MPI_INT, taken, two, places, MPI_INT, ring);
  check_taken(4);
  MPI_Neighbor_alltoallw(given, two, byte_places, integers, taken, two, byte_places, integers, directed);
  check_taken(4);
  MPI_Ineighbor_allgather(given, 2, MPI_INT, taken, 2, MPI_INT, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(4);
  MPI_Ineighbor_allgatherv(given, 2, MPI_INT, taken, two, places, MPI_INT, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(4);
  MPI_Ineighbor_alltoall(given, 2, MPI_INT, taken, 2, MPI_INT, directed, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(4);
  MPI_Ineighbor_alltoallv(given, two, places, MPI_INT, taken, two, places, MPI_INT, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(4);
  MPI_Ineighbor_alltoallw(given, two, byte_places, integers, taken, two, byte_places, integers, directed, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_taken(4);
  use_and_free(&ring);
  use_and_free(&directed);
}

static void absolute_addresses(void) {
  int pair[2] = {rank, rank + 50};
  const int lengths[2] = {1, 1};
  MPI_Aint places[2];
  MPI_Datatype both;
  MPI_Get_address(&pair[0], &places[0]);
  MPI_Get_address(&pair[1], &places[1]);
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &both);
  MPI_Type_commit(&both);
  MPI_Sendrecv_replace(MPI_BOTTOM, 1, both, partner, 1, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(pair[0]);
  check(pair[1]);
  MPI_Bcast(MPI_BOTTOM, 1, both, 0, MPI_COMM_WORLD);
  check(pair[1]);
  MPI_Type_free(&both);
}

static void windows_and_files(const char* name) {
  int exposed = -1;
  int value = rank + 60;
  MPI_Win window;
  MPI_File file;
  MPI_Status status;
  MPI_Win_create(&exposed, sizeof exposed, sizeof exposed, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&value, 1, MPI_INT, partner, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  check(exposed);
  MPI_Win_free(&window);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, 4 * partner, &value, 1, MPI_INT, &status);
  check(value);
  MPI_File_close(&file);
  if (rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
}

int main(int argc, char** argv) {
  static long long all[SECTIONS * MAX_RANKS];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  partner = rank ^ 1;
  if (argc != 2 || size % 2 != 0 || size > MAX_RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
  section = 0;
  blocking();
  ++section;
  nonblocking();
  ++section;
  exchanges();
  ++section;
  probes();
  ++section;
  persistent();
  ++section;
  collectives();
  ++section;
  in_place();
  ++section;
  communicators();
  ++section;
  neighbours();
  ++section;
  absolute_addresses();
  ++section;
  windows_and_files(argv[1]);
  MPI_Gather(digest, SECTIONS, MPI_LONG_LONG, all, SECTIONS, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
  if (rank == 0)
    for (int i = 0; i < size; ++i) {
      printf("rank %d:", i);
      for (int j = 0; j < SECTIONS; ++j)
        printf(" %lld", all[i * SECTIONS + j]);
      printf("\n");
    }
  MPI_Finalize();
  return 0;
}
