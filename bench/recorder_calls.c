/* What MPI calls cost here: one rank that talks to itself, so that nothing but the calls is measured.
 *
 *     recorder_calls times [CALLS [ROUNDS [NAME]]]   nanoseconds of CPU time per call: the median over rounds, group by
 *                                                    group, or of those groups with NAME in their names
 *     recorder_calls memory ACTIONS                  KiB this process holds after that many actions
 *
 * recorder_cost.py runs it with and without the tracer. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { persistent_pairs = 4 };

static double given[1024];
static double taken[1024];
static int one = 1;
static int zero = 0;
static MPI_Request pair[2];
static MPI_Request persistent[2 * persistent_pairs];
static MPI_Win window;
static MPI_File file;

static void post_both(void) {
  MPI_Irecv(taken, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &pair[0]);
  MPI_Isend(given, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &pair[1]);
}

static void send_recv(void) {
  MPI_Send(given, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  MPI_Recv(taken, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void recv_wildcard(void) {
  MPI_Send(given, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  MPI_Recv(taken, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wait_each(void) {
  post_both();
  MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
  MPI_Wait(&pair[1], MPI_STATUS_IGNORE);
}

static void wait_both(void) {
  post_both();
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
}

static void test_each(void) {
  int done = 0;
  post_both();
  MPI_Test(&pair[0], &done, MPI_STATUS_IGNORE);
  MPI_Test(&pair[1], &done, MPI_STATUS_IGNORE);
}

static void test_nothing(void) {
  int done = 0;
  MPI_Test(&pair[0], &done, MPI_STATUS_IGNORE);
}

static void testany_nothing(void) {
  int index = 0;
  int done = 0;
  MPI_Testany(1, pair, &index, &done, MPI_STATUS_IGNORE);
}

static void testall_nothing(void) {
  int done = 0;
  MPI_Testall(1, pair, &done, MPI_STATUSES_IGNORE);
}

static void testsome_nothing(void) {
  int number = 0;
  int index = 0;
  MPI_Testsome(1, pair, &number, &index, MPI_STATUSES_IGNORE);
}

static void iprobe_nothing(void) {
  int found = 0;
  MPI_Iprobe(0, 8, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

static void wait_eight(void) {
  MPI_Request requests[8];
  for (int i = 0; i < 4; ++i)
    MPI_Irecv(&taken[i], 1, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < 4; ++i)
    MPI_Isend(&given[i], 1, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, &requests[4 + i]);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

static void sendrecv(void) {
  MPI_Sendrecv(given, 1, MPI_DOUBLE, 0, 1, taken, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void probe(void) {
  MPI_Send(given, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(taken, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void start_wait(void) {
  MPI_Start(&persistent[0]);
  MPI_Start(&persistent[1]);
  MPI_Wait(&persistent[0], MPI_STATUS_IGNORE);
  MPI_Wait(&persistent[1], MPI_STATUS_IGNORE);
}

static void start_wait_eight(void) {
  MPI_Startall(2 * persistent_pairs, persistent);
  MPI_Waitall(2 * persistent_pairs, persistent, MPI_STATUSES_IGNORE);
}

static void barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(void) {
  MPI_Bcast(given, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void allreduce(void) {
  MPI_Allreduce(given, taken, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void alltoallv(void) {
  MPI_Alltoallv(given, &one, &zero, MPI_DOUBLE, taken, &one, &zero, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void iallreduce(void) {
  MPI_Iallreduce(given, taken, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &pair[0]);
  MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
}

static void put_fence(void) {
  MPI_Put(given, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
}

static void put_flush(void) {
  MPI_Put(given, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
  MPI_Win_flush(0, window);
}

static void write_at(void) {
  MPI_File_write_at(file, 0, given, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
}

static void nothing(void) {}

static void want_persistent(void) {
  for (int i = 0; i < persistent_pairs; ++i) {
    MPI_Recv_init(&taken[i], 1, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, &persistent[2 * i]);
    MPI_Send_init(&given[i], 1, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, &persistent[2 * i + 1]);
  }
}

static void done_persistent(void) {
  for (int i = 0; i < 2 * persistent_pairs; ++i)
    MPI_Request_free(&persistent[i]);
}

static void want_open_receive(void) {
  MPI_Irecv(taken, 1, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD, &pair[0]);
}

static void done_open_receive(void) {
  MPI_Send(given, 1, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD);
  MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
}

static void want_window(void) {
  MPI_Win_create(taken, sizeof taken, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
}

static void done_window(void) {
  MPI_Win_free(&window);
}

static void want_locked_window(void) {
  MPI_Win_create(taken, sizeof taken, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock_all(0, window);
}

static void done_locked_window(void) {
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

static void want_file(void) {
  MPI_File_open(MPI_COMM_WORLD, "recorder_calls.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
}

static void done_file(void) {
  MPI_File_close(&file);
}

static const struct Group {
  const char* name;
  void (*calls)(void);
  int number; /* of calls */
  int slower; /* this many times fewer repetitions */
  void (*want)(void);
  void (*done)(void);
} groups[] = {
    {"send, recv", send_recv, 2, 1, nothing, nothing},
    {"send, recv from any", recv_wildcard, 2, 1, nothing, nothing},
    {"irecv, isend, 2 wait", wait_each, 4, 1, nothing, nothing},
    {"irecv, isend, waitall 2", wait_both, 3, 1, nothing, nothing},
    {"4 irecv, 4 isend, waitall 8", wait_eight, 9, 4, nothing, nothing},
    {"irecv, isend, 2 test", test_each, 4, 1, nothing, nothing},
    {"test that finds nothing", test_nothing, 1, 1, want_open_receive, done_open_receive},
    {"testany that finds nothing", testany_nothing, 1, 1, want_open_receive, done_open_receive},
    {"testall that finds nothing", testall_nothing, 1, 1, want_open_receive, done_open_receive},
    {"testsome that finds nothing", testsome_nothing, 1, 1, want_open_receive, done_open_receive},
    {"iprobe that finds nothing", iprobe_nothing, 1, 1, nothing, nothing},
    {"2 start, 2 wait", start_wait, 4, 1, want_persistent, done_persistent},
    {"startall 8, waitall 8", start_wait_eight, 2, 4, want_persistent, done_persistent},
    {"sendrecv", sendrecv, 1, 1, nothing, nothing},
    {"send, probe, recv", probe, 3, 1, nothing, nothing},
    {"barrier", barrier, 1, 1, nothing, nothing},
    {"bcast", bcast, 1, 1, nothing, nothing},
    {"allreduce", allreduce, 1, 1, nothing, nothing},
    {"alltoallv", alltoallv, 1, 1, nothing, nothing},
    {"iallreduce, wait", iallreduce, 2, 1, nothing, nothing},
    {"put, fence", put_fence, 2, 2, want_window, done_window},
    {"put, flush", put_flush, 2, 2, want_locked_window, done_locked_window},
    {"file_write_at", write_at, 1, 8, want_file, done_file},
};
enum { number_of_groups = sizeof groups / sizeof groups[0] };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int ascending(const void* left, const void* right) {
  const double difference = *(const double*)left - *(const double*)right;
  return (difference > 0) - (difference < 0);
}

static void measure(const struct Group* group, long calls, int rounds) {
  double* const times = malloc((size_t)rounds * sizeof *times);
  const long repeats = calls / group->number / group->slower + 1;
  group->want();
  for (long i = 0; i < repeats; ++i)
    group->calls();
  for (int round = 0; round < rounds; ++round) {
    const double start = now();
    for (long i = 0; i < repeats; ++i)
      group->calls();
    times[round] = (now() - start) / (double)(repeats * group->number);
  }
  group->done();
  qsort(times, (size_t)rounds, sizeof *times, ascending);
  printf("%s: %.2f\n", group->name, times[rounds / 2]);
  free(times);
}

static void print_memory(void) {
  char line[256];
  FILE* const memory = fopen("/proc/self/smaps_rollup", "r");
  while (memory != NULL && fgets(line, sizeof line, memory) != NULL)
    if (strncmp(line, "Rss:", 4) == 0 || strncmp(line, "Pss:", 4) == 0 || strncmp(line, "Anonymous:", 10) == 0)
      fputs(line, stdout);
  if (memory != NULL) fclose(memory);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* const what = argc > 1 ? argv[1] : "times";
  const long amount = argc > 2 ? atol(argv[2]) : 100000;
  if (strcmp(what, "memory") == 0) {
    want_persistent();
    for (long action = 0; action < amount; action += 16) {
      start_wait();
      wait_both();
      test_each();
      recv_wildcard();
      sendrecv();
      allreduce();
      alltoallv();
    }
    print_memory();
    done_persistent();
  } else {
    for (int i = 0; i < number_of_groups; ++i)
      if (argc <= 4 || strstr(groups[i].name, argv[4]) != NULL)
        measure(&groups[i], amount, argc > 3 ? atoi(argv[3]) : 11);
  }
  MPI_Finalize();
  return 0;
}
