/* A program in its steady state: one rank that talks to itself, the same calls over and over.
 *
 *     steady ACTIONS
 *
 * Warms up, then makes calls for about that many actions, and prints how many allocations the named library has made
 * meanwhile, and how many all have:
 *
 *     libtimeless.so allocations 0
 *     all allocations 12
 *
 * A closed file number that no program has marks the begin and the end for who counts system calls. */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { begin_mark = -1001, end_mark = -1002 };

/* The program's allocator stands before all libraries': it counts, and asks the C library. */
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t number, size_t size);
extern void* __libc_realloc(void* memory, size_t size);
extern void __libc_free(void* memory);
extern void* __libc_memalign(size_t alignment, size_t size);

static atomic_long all_allocations;
static atomic_long allocations_of_tracer;
static atomic_bool counting;

/* Whether the code at the address is the tracer's. Asks the loader only while counting. */
static void count(const void* caller) {
  Dl_info module;
  if (!atomic_load(&counting)) return;
  atomic_fetch_add(&all_allocations, 1);
  if (dladdr(caller, &module) != 0 && strstr(module.dli_fname, "libtimeless") != NULL)
    atomic_fetch_add(&allocations_of_tracer, 1);
}

void* malloc(size_t size) {
  count(__builtin_return_address(0));
  return __libc_malloc(size);
}

void* calloc(size_t number, size_t size) {
  count(__builtin_return_address(0));
  return __libc_calloc(number, size);
}

void* realloc(void* memory, size_t size) {
  count(__builtin_return_address(0));
  return __libc_realloc(memory, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  count(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
  count(__builtin_return_address(0));
  *memory = __libc_memalign(alignment, size);
  return *memory != NULL ? 0 : ENOMEM;
}

void free(void* memory) {
  if (memory != NULL) count(__builtin_return_address(0));
  __libc_free(memory);
}

enum { actions_each = 26, pairs = 2 };

static void communicate(MPI_Request persistent[2 * pairs]) {
  double given[4] = {0};
  double taken[4];
  int one = 1;
  int zero = 0;
  int done = 0;
  MPI_Request requests[8];
  MPI_Test(&persistent[0], &done, MPI_STATUS_IGNORE);
  MPI_Send(given, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(taken, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(taken, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(given, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Test(&requests[1], &done, MPI_STATUS_IGNORE);
  for (int i = 0; i < 4; ++i)
    MPI_Irecv(&taken[i], 1, MPI_DOUBLE, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < 4; ++i)
    MPI_Isend(&given[i], 1, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, &requests[4 + i]);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(given, 1, MPI_DOUBLE, 0, 3, taken, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Startall(2 * pairs, persistent);
  MPI_Waitall(2 * pairs, persistent, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(given, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allreduce(given, taken, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Alltoallv(given, &one, &zero, MPI_DOUBLE, taken, &one, &zero, MPI_DOUBLE, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long actions = argc > 1 ? atol(argv[1]) : 1000000;
  double given[pairs] = {0};
  double taken[pairs];
  MPI_Request persistent[2 * pairs];
  for (int i = 0; i < pairs; ++i) {
    MPI_Recv_init(&taken[i], 1, MPI_DOUBLE, 0, 8 + i, MPI_COMM_WORLD, &persistent[2 * i]);
    MPI_Send_init(&given[i], 1, MPI_DOUBLE, 0, 8 + i, MPI_COMM_WORLD, &persistent[2 * i + 1]);
  }
  for (long action = 0; action < 100000; action += actions_each)
    communicate(persistent);

  atomic_store(&counting, 1);
  close(begin_mark);
  for (long action = 0; action < actions; action += actions_each)
    communicate(persistent);
  close(end_mark);
  atomic_store(&counting, 0);

  printf("libtimeless.so allocations %ld\nall allocations %ld\n", atomic_load(&allocations_of_tracer),
         atomic_load(&all_allocations));
  for (int i = 0; i < 2 * pairs; ++i)
    MPI_Request_free(&persistent[i]);
  MPI_Finalize();
  return 0;
}
