/* Makes every call of one-sided communication, on every kind of window; windows.F90 is the same program, call for call.
 *
 * On an even number of ranks. Each rank compares what has arrived with what must have; rank 0 says how many comparisons
 * there were and how many failed, and the exit status says so, too. Nothing depends on timing, also not the sequence of
 * successful calls. */
#include <mpi.h>

#include <stdio.h>

static int compared, wrong;
static int rank, size, partner, next, previous;

static void expect(long long actual, long long expected) {
  ++compared;
  if (actual == expected) return;
  ++wrong;
  printf("rank %d: comparison %d: %lld instead of %lld\n", rank, compared, actual, expected);
}

/* Window 1: created over memory of the program, synchronised by fences. */
static void fenced(void) {
  int exposed[8] = {0};
  int given[4] = {10 * rank + 1, 10 * rank + 2, 10 * rank + 3, 10 * rank + 4};
  int taken[2] = {-1, -1};
  MPI_Win window;
  MPI_Datatype strided;
  MPI_Type_vector(2, 1, 2, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  MPI_Win_create(exposed, sizeof exposed, sizeof exposed[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  MPI_Put(given, 2, MPI_INT, next, 0, 2, MPI_INT, window);
  MPI_Put(given, 2, MPI_INT, MPI_PROC_NULL, 0, 2, MPI_INT, window);
  MPI_Win_fence(0, window);
  expect(exposed[0], 10 * previous + 1);
  expect(exposed[1], 10 * previous + 2);
  MPI_Get(taken, 2, MPI_INT, next, 0, 2, MPI_INT, window);
  MPI_Get(taken, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  expect(taken[0], 10 * rank + 1);
  expect(taken[1], 10 * rank + 2);
  MPI_Accumulate(given, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, window);
  MPI_Accumulate(given, 1, strided, partner, 3, 1, strided, MPI_SUM, window);
  MPI_Accumulate(given, 1, MPI_INT, partner, 7, 1, MPI_INT, MPI_REPLACE, window);
  MPI_Accumulate(given, 1, MPI_INT, MPI_PROC_NULL, 7, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, window);
  expect(exposed[2], rank == 0 ? 5 * size * (size - 1) + size : 0);
  expect(exposed[3], 10 * partner + 1);
  expect(exposed[4], 0);
  expect(exposed[5], 10 * partner + 3);
  expect(exposed[7], 10 * partner + 1);
  MPI_Win_free(&window);
  expect(window == MPI_WIN_NULL, 1);
  MPI_Type_free(&strided);
}

/* Window 2: allocated, on a communicator in reverse order, synchronised by groups. */
static void grouped(void) {
  int value = 100 + rank;
  int* exposed;
  int flag = 0;
  MPI_Comm reversed;
  MPI_Win window;
  MPI_Group world, origins, targets;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &previous, &origins);
  MPI_Group_incl(world, 1, &next, &targets);
  MPI_Win_allocate(2 * sizeof *exposed, sizeof *exposed, MPI_INFO_NULL, reversed, &exposed, &window);
  exposed[0] = exposed[1] = -1;

  MPI_Win_post(origins, MPI_MODE_NOCHECK, window);
  MPI_Barrier(reversed);
  MPI_Win_start(targets, MPI_MODE_NOCHECK, window);
  MPI_Put(&value, 1, MPI_INT, size - 1 - next, 1, 1, MPI_INT, window);
  MPI_Win_complete(window);
  while (!flag)
    MPI_Win_test(window, &flag);
  expect(exposed[1], 100 + previous);

  MPI_Win_post(origins, 0, window);
  MPI_Win_start(targets, 0, window);
  MPI_Put(&value, 1, MPI_INT, size - 1 - next, 0, 1, MPI_INT, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  expect(exposed[0], 100 + previous);

  MPI_Win_post(world, 0, window);
  MPI_Win_start(world, 0, window);
  MPI_Put(&value, 1, MPI_INT, size - 1 - rank, 0, 1, MPI_INT, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  expect(exposed[0], 100 + rank);

  MPI_Win_start(MPI_GROUP_EMPTY, 0, window);
  MPI_Win_complete(window);

  MPI_Win_free(&window);
  MPI_Group_free(&targets);
  MPI_Group_free(&origins);
  MPI_Group_free(&world);
  MPI_Comm_free(&reversed);
}

/* Window 3: synchronised by locks. */
static void locked(void) {
  int* exposed;
  int given[2] = {1000 + rank, 2000 + rank};
  int taken[2] = {-1, -1};
  int expected;
  MPI_Win window;
  MPI_Win_allocate(6 * sizeof *exposed, sizeof *exposed, MPI_INFO_NULL, MPI_COMM_WORLD, &exposed, &window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  for (int i = 0; i < 6; ++i)
    exposed[i] = 0;
  MPI_Win_unlock(rank, window);
  MPI_Barrier(MPI_COMM_WORLD);

  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, partner, 0, window);
  MPI_Put(given, 2, MPI_INT, partner, 0, 2, MPI_INT, window);
  MPI_Win_flush_local(partner, window);
  MPI_Win_flush(partner, window);
  MPI_Get(taken, 2, MPI_INT, partner, 0, 2, MPI_INT, window);
  MPI_Win_unlock(partner, window);
  expect(taken[0], 1000 + rank);
  expect(taken[1], 2000 + rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, partner, MPI_MODE_NOCHECK, window);
  MPI_Win_unlock(partner, window);
  MPI_Barrier(MPI_COMM_WORLD);

  MPI_Win_lock_all(0, window);
  MPI_Fetch_and_op(&given[0], &taken[0], MPI_INT, partner, 2, MPI_SUM, window);
  MPI_Win_flush(partner, window);
  expect(taken[0], 0);
  MPI_Fetch_and_op(NULL, &taken[0], MPI_INT, partner, 2, MPI_NO_OP, window);
  MPI_Win_flush_all(window);
  expect(taken[0], 1000 + rank);
  expected = 1000 + rank;
  MPI_Compare_and_swap(&given[1], &expected, &taken[0], MPI_INT, partner, 2, window);
  MPI_Win_flush(partner, window);
  expect(taken[0], 1000 + rank);
  MPI_Compare_and_swap(&given[0], &expected, &taken[0], MPI_INT, partner, 2, window);
  MPI_Win_flush(partner, window);
  expect(taken[0], 2000 + rank);
  MPI_Get_accumulate(given, 2, MPI_INT, taken, 2, MPI_INT, partner, 3, 2, MPI_INT, MPI_REPLACE, window);
  MPI_Win_flush(partner, window);
  expect(taken[0], 0);
  expect(taken[1], 0);
  MPI_Get_accumulate(given, 1, MPI_INT, taken, 1, MPI_INT, partner, 3, 1, MPI_INT, MPI_MAX, window);
  MPI_Win_flush_local_all(window);
  expect(taken[0], 1000 + rank);
  MPI_Get_accumulate(NULL, 0, MPI_INT, taken, 2, MPI_INT, partner, 3, 2, MPI_INT, MPI_NO_OP, window);
  MPI_Win_flush(partner, window);
  expect(taken[0], 1000 + rank);
  expect(taken[1], 2000 + rank);
  MPI_Fetch_and_op(&given[0], &taken[0], MPI_INT, MPI_PROC_NULL, 2, MPI_SUM, window);
  MPI_Compare_and_swap(&given[0], &expected, &taken[0], MPI_INT, MPI_PROC_NULL, 2, window);
  MPI_Get_accumulate(given, 1, MPI_INT, taken, 1, MPI_INT, MPI_PROC_NULL, 3, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_sync(window);
  MPI_Win_unlock_all(window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

/* Window 4: transfers that return requests. */
static void requested(void) {
  int exposed[4] = {0, 0, 0, 0};
  int given[2] = {3000 + rank, 4000 + rank};
  int taken[3] = {-1, -1, -1};
  int flag = 0;
  MPI_Win window;
  MPI_Request requests[2];
  MPI_Win_create(exposed, sizeof exposed, sizeof exposed[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock_all(0, window);
  MPI_Rput(given, 2, MPI_INT, partner, 0, 2, MPI_INT, window, &requests[0]);
  MPI_Raccumulate(given, 1, MPI_INT, partner, 2, 1, MPI_INT, MPI_SUM, window, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Win_flush(partner, window);
  MPI_Rget(taken, 2, MPI_INT, partner, 0, 2, MPI_INT, window, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  expect(taken[0], 3000 + rank);
  expect(taken[1], 4000 + rank);
  MPI_Rget_accumulate(&given[1], 1, MPI_INT, &taken[2], 1, MPI_INT, partner, 2, 1, MPI_INT, MPI_SUM, window,
                      &requests[0]);
  while (!flag)
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  expect(taken[2], 3000 + rank);
  MPI_Rput(given, 2, MPI_INT, MPI_PROC_NULL, 0, 2, MPI_INT, window, &requests[0]);
  MPI_Rget(taken, 2, MPI_INT, MPI_PROC_NULL, 0, 2, MPI_INT, window, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Raccumulate(given, 2, MPI_INT, MPI_PROC_NULL, 0, 2, MPI_INT, MPI_SUM, window, &requests[0]);
  MPI_Rget_accumulate(given, 1, MPI_INT, taken, 1, MPI_INT, MPI_PROC_NULL, 2, 1, MPI_INT, MPI_SUM, window,
                      &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  expect(exposed[2], 7000 + 2 * partner);
  MPI_Win_free(&window);
}

/* Windows 5 to 7: shared, dynamic, of one rank. */
static void kinds(void) {
  MPI_Win window;
  MPI_Comm node;
  MPI_Aint length, own, of_partner;
  int unit;
  int value = 500 + rank;
  int* mine;
  int* other;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Win_allocate_shared(4 * (rank % 2 + 1), sizeof *mine, MPI_INFO_NULL, node, &mine, &window);
  MPI_Win_shared_query(window, partner, &length, &unit, &other);
  expect(length, (partner % 2 + 1) * 4);
  MPI_Win_lock_all(0, window);
  *mine = 600 + rank;
  MPI_Win_sync(window);
  MPI_Barrier(node);
  MPI_Win_sync(window);
  expect(*other, 600 + partner);
  MPI_Win_unlock_all(window);
  MPI_Barrier(node);
  MPI_Win_free(&window);
  MPI_Comm_free(&node);

  int attached = -1;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_attach(window, &attached, sizeof attached);
  MPI_Get_address(&attached, &own);
  MPI_Sendrecv(&own, 1, MPI_AINT, partner, 0, &of_partner, 1, MPI_AINT, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_fence(0, window);
  MPI_Put(&value, 1, MPI_INT, partner, of_partner, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  expect(attached, 500 + partner);
  MPI_Win_detach(window, &attached);
  MPI_Win_free(&window);

  /* Open MPI 4.1 makes no window of another kind on a single rank. */
  MPI_Win_allocate(sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_SELF, &mine, &window);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Win_unlock(0, window);
  expect(*mine, 500 + rank);
  MPI_Win_free(&window);
}

/* Calls that fail. */
static void failing(void) {
  int exposed = 5;
  int value = 6;
  MPI_Win window;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int error = MPI_Win_create(&exposed, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  expect(error != MPI_SUCCESS, 1);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Win_create(&exposed, sizeof exposed, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, window);
  error = MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, window);
  expect(error != MPI_SUCCESS, 1);
  error = MPI_Win_lock(MPI_LOCK_SHARED, size, 0, window);
  expect(error != MPI_SUCCESS, 1);
  MPI_Win_fence(0, window);
  expect(exposed, 5);
  MPI_Win_free(&window);
}

/* Recording is switched off while the window is made and one epoch begins, and again while another ends. */
static void paused(void) {
  int exposed[2] = {0, 0};
  int value = 700 + rank;
  MPI_Win window;
  MPI_Comm after;
  MPI_Pcontrol(0);
  MPI_Win_create(exposed, sizeof exposed, sizeof exposed[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock(MPI_LOCK_SHARED, partner, 0, window);
  MPI_Pcontrol(1);
  MPI_Put(&value, 1, MPI_INT, partner, 0, 1, MPI_INT, window);
  MPI_Win_unlock(partner, window);
  MPI_Win_lock(MPI_LOCK_SHARED, partner, 0, window);
  MPI_Put(&value, 1, MPI_INT, partner, 1, 1, MPI_INT, window);
  MPI_Pcontrol(0);
  MPI_Win_unlock(partner, window);
  MPI_Barrier(MPI_COMM_WORLD);
  expect(exposed[0], 700 + partner);
  expect(exposed[1], 700 + partner);
  MPI_Win_free(&window);
  MPI_Pcontrol(1);
  MPI_Comm_dup(MPI_COMM_WORLD, &after);
  MPI_Comm_free(&after);
}

int main(int argc, char** argv) {
  int mine[2];
  int all[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size % 2 != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  partner = rank ^ 1;
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  fenced();
  grouped();
  locked();
  requested();
  kinds();
  failing();
  paused();
  mine[0] = compared;
  mine[1] = wrong;
  MPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d comparisons, %d failed\n", all[0], all[1]);
  MPI_Finalize();
  return all[1] == 0 ? 0 : 1;
}
