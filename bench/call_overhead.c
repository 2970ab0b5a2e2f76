/* What an MPI call costs here: one rank that sends to itself, so that nothing but the calls is measured.
 *
 *     call_overhead [CALLS [ROUNDS]]
 *
 * Prints, for isend/irecv/waitall (nanoseconds per call of the three) and allreduce of 8 bytes, the median over rounds
 * of the CPU time per call. call_overhead.py runs it with and without the tracer. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int ascending(const void* left, const void* right) {
  const double difference = *(const double*)left - *(const double*)right;
  return (difference > 0) - (difference < 0);
}

static void send_and_receive(void) {
  double given = 1;
  double taken;
  MPI_Request requests[2];
  MPI_Irecv(&taken, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&given, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void reduce(void) {
  double given = 1;
  double taken;
  MPI_Allreduce(&given, &taken, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void measure(const char* name, void (*calls)(void), int calls_each, long repeats, int rounds) {
  double* const times = malloc((size_t)rounds * sizeof *times);
  for (long i = 0; i < repeats / 10; ++i)
    calls();
  for (int round = 0; round < rounds; ++round) {
    const double start = now();
    for (long i = 0; i < repeats; ++i)
      calls();
    times[round] = (now() - start) / (double)(repeats * calls_each);
  }
  qsort(times, (size_t)rounds, sizeof *times, ascending);
  printf("%s %.2f\n", name, times[rounds / 2]);
  free(times);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long repeats = argc > 1 ? atol(argv[1]) : 50000;
  const int rounds = argc > 2 ? atoi(argv[2]) : 21;
  measure("isend/irecv/waitall", send_and_receive, 3, repeats, rounds);
  measure("allreduce", reduce, 1, repeats, rounds);
  MPI_Finalize();
  return 0;
}
