/* Makes every call on files, generalized requests, and local calls on groups and datatypes; further_calls.F90 is the same
 * program, call for call.
 *
 *     further_calls FILE      on an even number of ranks; FILE is written and deleted again
 *
 * As in calls.c, each section folds what the calls return into a number per rank; rank 0 prints them. */
#include <mpi.h>

#include <stdio.h>

#define SECTIONS 5
#define MAX_RANKS 64
#define PART 4

static long long digest[SECTIONS];
static int section = -1;
static int rank, size, partner;
static int given[PART];
static int taken[PART];

static void check(long long value) {
  digest[section] = (digest[section] * 31 + value + 7) % 1000003;
}

/* What was read; nobody writes again before all have read. */
static void check_taken(const MPI_Status* status) {
  int count;
  MPI_Get_count(status, MPI_INT, &count);
  check(count);
  for (int i = 0; i < PART; ++i) {
    check(taken[i]);
    taken[i] = -1;
    given[i] += 100;
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_File open_file(const char* name) {
  MPI_File file;
  MPI_Info info;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 1000);
  MPI_File_preallocate(file, 2000);
  MPI_File_close(&file);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_Info_create(&info);
  MPI_File_set_info(file, info);
  MPI_Info_free(&info);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_set_atomicity(file, 1);
  MPI_File_set_atomicity(file, 0);
  return file;
}

static void synchronise(MPI_File file) {
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void files(MPI_File file) {
  const MPI_Offset mine = PART * rank;
  const MPI_Offset yours = PART * partner;
  MPI_Status status;
  MPI_File_write_at(file, mine, given, PART, MPI_INT, &status);
  synchronise(file);
  MPI_File_read_at(file, yours, taken, PART, MPI_INT, &status);
  check_taken(&status);
  MPI_File_write_at_all(file, mine, given, PART, MPI_INT, MPI_STATUS_IGNORE);
  synchronise(file);
  MPI_File_read_at_all(file, yours, taken, PART, MPI_INT, &status);
  check_taken(&status);
  MPI_File_seek(file, mine, MPI_SEEK_SET);
  MPI_File_write(file, given, PART, MPI_INT, MPI_STATUS_IGNORE);
  synchronise(file);
  MPI_File_seek(file, yours, MPI_SEEK_SET);
  MPI_File_read(file, taken, PART, MPI_INT, &status);
  check_taken(&status);
  MPI_File_seek(file, mine, MPI_SEEK_SET);
  MPI_File_write_all(file, given, PART, MPI_INT, &status);
  synchronise(file);
  MPI_File_seek(file, yours, MPI_SEEK_SET);
  MPI_File_read_all(file, taken, PART, MPI_INT, &status);
  check_taken(&status);
  /* One element is left to be read before the end of 500. */
  MPI_File_read_at(file, 499, taken, PART, MPI_INT, &status);
  check_taken(&status);
}

static void nonblocking_files(MPI_File file) {
  const MPI_Offset mine = PART * rank;
  const MPI_Offset yours = PART * partner;
  MPI_Request request;
  MPI_Status status;
  MPI_File_iwrite_at(file, mine, given, PART, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  synchronise(file);
  MPI_File_iread_at(file, yours, taken, PART, MPI_INT, &request);
  MPI_Wait(&request, &status);
  check_taken(&status);
  MPI_File_iwrite_at_all(file, mine, given, PART, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  synchronise(file);
  MPI_File_iread_at_all(file, yours, taken, PART, MPI_INT, &request);
  MPI_Wait(&request, &status);
  check_taken(&status);
  MPI_File_seek(file, mine, MPI_SEEK_SET);
  MPI_File_iwrite(file, given, PART, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  synchronise(file);
  MPI_File_seek(file, yours, MPI_SEEK_SET);
  MPI_File_iread(file, taken, PART, MPI_INT, &request);
  MPI_Wait(&request, &status);
  check_taken(&status);
  MPI_File_seek(file, mine, MPI_SEEK_SET);
  MPI_File_iwrite_all(file, given, PART, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  synchronise(file);
  MPI_File_seek(file, yours, MPI_SEEK_SET);
  MPI_File_iread_all(file, taken, PART, MPI_INT, &request);
  MPI_Wait(&request, &status);
  check_taken(&status);

  MPI_File_seek(file, mine, MPI_SEEK_SET);
  MPI_File_write_all_begin(file, given, PART, MPI_INT);
  MPI_File_write_all_end(file, given, MPI_STATUS_IGNORE);
  synchronise(file);
  MPI_File_seek(file, yours, MPI_SEEK_SET);
  MPI_File_read_all_begin(file, taken, PART, MPI_INT);
  MPI_File_read_all_end(file, taken, &status);
  check_taken(&status);
  MPI_File_write_at_all_begin(file, mine, given, PART, MPI_INT);
  MPI_File_write_at_all_end(file, given, MPI_STATUS_IGNORE);
  synchronise(file);
  MPI_File_read_at_all_begin(file, yours, taken, PART, MPI_INT);
  MPI_File_read_at_all_end(file, taken, &status);
  check_taken(&status);
}

/* The shared pointer moves in the order of the ranks. */
static void shared_files(MPI_File file) {
  MPI_Request request;
  MPI_Status status;
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_write_ordered(file, given, PART, MPI_INT, MPI_STATUS_IGNORE);
  synchronise(file);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_ordered(file, taken, PART, MPI_INT, &status);
  check_taken(&status);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_write_ordered_begin(file, given, PART, MPI_INT);
  MPI_File_write_ordered_end(file, given, MPI_STATUS_IGNORE);
  synchronise(file);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_ordered_begin(file, taken, PART, MPI_INT);
  MPI_File_read_ordered_end(file, taken, &status);
  check_taken(&status);
  for (int nonblocking = 0; nonblocking < 2; ++nonblocking) {
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    for (int turn = 0; turn < size; ++turn) {
      if (rank == turn && !nonblocking) MPI_File_write_shared(file, given, PART, MPI_INT, MPI_STATUS_IGNORE);
      if (rank == turn && nonblocking) {
        MPI_File_iwrite_shared(file, given, PART, MPI_INT, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
    synchronise(file);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    for (int turn = 0; turn < size; ++turn) {
      if (rank == turn && !nonblocking) MPI_File_read_shared(file, taken, PART, MPI_INT, &status);
      if (rank == turn && nonblocking) {
        MPI_File_iread_shared(file, taken, PART, MPI_INT, &request);
        MPI_Wait(&request, &status);
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
    check_taken(&status);
  }
}

static int query(void* state, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, *(int*)state > 0 ? *(int*)state : 0);
  MPI_Status_set_cancelled(status, *(int*)state < 0);
  status->MPI_SOURCE = 5;
  status->MPI_TAG = 6;
  return MPI_SUCCESS;
}

static int freed;

static int free_state(void* state) {
  freed += *(int*)state;
  return MPI_SUCCESS;
}

static int cancel(void* state, int complete) {
  if (!complete) *(int*)state = -1;
  return MPI_SUCCESS;
}

static void generalized(void) {
  int state = 3;
  int flag;
  int count;
  MPI_Request request;
  MPI_Request requests[3];
  MPI_Status status;
  MPI_Grequest_start(query, free_state, cancel, &state, &request);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  check(flag);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  check(count);
  check(status.MPI_SOURCE);
  check(status.MPI_TAG);
  check(freed);
  check(request == MPI_REQUEST_NULL);

  MPI_Grequest_start(query, free_state, cancel, &state, &requests[1]);
  MPI_Irecv(taken, PART, MPI_INT, partner, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(given, PART, MPI_INT, partner, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Grequest_complete(requests[1]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  check(taken[1]);
  check(freed);

  MPI_Grequest_start(query, free_state, cancel, &state, &request);
  MPI_Cancel(&request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  check(flag != 0);
  check(freed);
}

static void groups_and_datatypes(void) {
  MPI_Group world;
  MPI_Group first;
  MPI_Group rest;
  MPI_Group all;
  MPI_Comm made;
  MPI_Datatype columns;
  MPI_Datatype square;
  int matrix[4][4];
  int transposed[4][4] = {{0}};
  int result;
  int span[1][3] = {{0, size - 1, 2}};
  char packed[64];
  int position = 0;
  const int sizes[2] = {4, 4};
  const int parts[2] = {2, 2};
  const int starts[2] = {1, 1};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_range_incl(world, 1, span, &first);
  MPI_Group_difference(world, first, &rest);
  MPI_Group_union(first, rest, &all);
  MPI_Group_compare(world, all, &result);
  check(result == MPI_SIMILAR);
  MPI_Comm_create(MPI_COMM_WORLD, all, &made);
  MPI_Comm_rank(made, &result);
  check(result);
  for (int i = 0; i < 16; ++i)
    matrix[i / 4][i % 4] = 20 * rank + i;
  MPI_Type_vector(4, 1, 4, MPI_INT, &columns);
  MPI_Type_commit(&columns);
  MPI_Sendrecv(&matrix[0][1], 1, columns, partner, 1, transposed[0], 4, MPI_INT, partner, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  check(transposed[0][3]);
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &square);
  MPI_Type_commit(&square);
  MPI_Bcast(matrix, 1, square, 1, made);
  check(matrix[2][2]);
  MPI_Pack(matrix, 1, square, packed, sizeof packed, &position, MPI_COMM_WORLD);
  check(position);
  position = 0;
  MPI_Unpack(packed, sizeof packed, &position, &transposed[1][0], 4, MPI_INT, MPI_COMM_WORLD);
  check(transposed[1][3]);
  MPI_Reduce_local(matrix, transposed, 4, MPI_INT, MPI_SUM);
  check(transposed[0][3]);
  MPI_Type_free(&square);
  MPI_Type_free(&columns);
  MPI_Comm_free(&made);
  MPI_Group_free(&all);
  MPI_Group_free(&rest);
  MPI_Group_free(&first);
  MPI_Group_free(&world);
}

int main(int argc, char** argv) {
  static long long all[SECTIONS * MAX_RANKS];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  partner = rank ^ 1;
  if (argc != 2 || size % 2 != 0 || size > MAX_RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = 0; i < PART; ++i)
    given[i] = 10 * rank + i;
  section = 0;
  MPI_File file = open_file(argv[1]);
  files(file);
  section = 1;
  nonblocking_files(file);
  section = 2;
  shared_files(file);
  MPI_File_close(&file);
  check(file == MPI_FILE_NULL);
  if (rank == 0) MPI_File_delete(argv[1], MPI_INFO_NULL);
  section = 3;
  generalized();
  section = 4;
  groups_and_datatypes();
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
