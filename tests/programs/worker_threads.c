/* Threads of every make beside MPI, each looping a known number of times: worker_threads CASE. Prints what the threads
 * gave back, on rank 0. */
#define _GNU_SOURCE
#include "known_loop.h"

#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

static void next_burst(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

static void* loop_and_return(void* iterations) {
  known_loop((long)iterations);
  return iterations;
}

static long result_of(pthread_t thread) {
  void* result = NULL;
  pthread_join(thread, &result);
  return (long)result;
}

static long run(const pthread_attr_t* attributes, void* (*function)(void*), long iterations) {
  pthread_t thread;
  if (pthread_create(&thread, attributes, function, (void*)iterations) != 0) return -1;
  return result_of(thread);
}

static void deep_end(long iterations) {
  known_loop(iterations);
  pthread_exit((void*)(2 * iterations));
}

static void* loop_and_exit(void* iterations) {
  deep_end((long)iterations);
  return NULL;
}

static void* loop_and_wait_for_ever(void* iterations) {
  known_loop((long)iterations);
  for (;;)
    pause();
  return NULL;
}

static int loop_in_c11(void* iterations) {
  known_loop((long)iterations);
  return 11;
}

/* However a thread ends, what it did counts: 100 + 200 + 300 + 400, at most 400. */
static void ends(void) {
  const long returned = run(NULL, loop_and_return, 100);
  const long exited = run(NULL, loop_and_exit, 200);
  pthread_t thread;
  pthread_create(&thread, NULL, loop_and_wait_for_ever, (void*)300L);
  pthread_cancel(thread);
  const long cancelled = result_of(thread) == (long)PTHREAD_CANCELED;
  thrd_t c11;
  int c11_result = 0;
  thrd_create(&c11, loop_in_c11, (void*)400L);
  thrd_join(c11, &c11_result);
  next_burst();
  printf("returned %ld exited %ld cancelled %ld c11 %d\n", returned, exited, cancelled, c11_result);
}

static pthread_barrier_t meeting;

static void* loop_between_meetings(void* unused) {
  known_loop(300);
  for (int i = 1; i <= 3; ++i) {
    pthread_barrier_wait(&meeting);
    pthread_barrier_wait(&meeting);
    known_loop(500 * i);
    pthread_barrier_wait(&meeting);
  }
  pthread_barrier_wait(&meeting);
  known_loop(50);
  return unused;
}

static void meet(void) {
  pthread_barrier_wait(&meeting);
}

/* Threads older than MPI count from MPI_Init on: 2 * 500, nothing, 2 * 1000, ... */
static void older(int* argc, char*** argv) {
  pthread_t threads[2];
  pthread_barrier_init(&meeting, NULL, 3);
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], NULL, loop_between_meetings, NULL);
  meet();
  MPI_Init(argc, argv);
  meet();
  meet();
  next_burst();
  next_burst();
  meet();
  meet();
  meet();
  next_burst();
  MPI_Pcontrol(0);
  meet();
  meet();
  meet();
  next_burst();
  MPI_Pcontrol(1);
  next_burst();
  meet();
  for (int i = 0; i < 2; ++i)
    result_of(threads[i]);
  next_burst();
  printf("older\n");
}

static void* loop_in_a_thread_of_its_own(void* iterations) {
  known_loop((long)iterations);
  return (void*)run(NULL, loop_and_return, 2 * (long)iterations);
}

/* A thread's thread is a worker too: 250 + 500. */
static void nested(void) {
  const long result = run(NULL, loop_in_a_thread_of_its_own, 250);
  next_burst();
  printf("nested %ld\n", result);
}

/* The smallest stack there may be, a name and detachment: none of our business, and counted. */
static void attributes(void) {
  pthread_attr_t smallest;
  pthread_attr_init(&smallest);
  pthread_attr_setstacksize(&smallest, (size_t)PTHREAD_STACK_MIN);
  const long result = run(&smallest, loop_and_return, 600);
  next_burst();
  printf("smallest %ld\n", result);
}

static void* call_mpi(void* unused) {
  known_loop(700);
  MPI_Barrier(MPI_COMM_SELF);
  known_loop(900);
  MPI_Barrier(MPI_COMM_SELF);
  return unused;
}

/* A thread that calls MPI is a worker until then: 700 as a worker, 900 of its own. */
static void caller(void) {
  run(NULL, call_mpi, 0);
  next_burst();
  printf("caller\n");
}

static pthread_barrier_t all_callers;

static void exchange_with_itself(int tag) {
  int sent = tag;
  int received = -1;
  MPI_Sendrecv(&sent, 1, MPI_INT, 0, tag, &received, 1, MPI_INT, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  if (received != tag) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void* call_beside_others(void* number) {
  const int tag = (int)(long)number;
  exchange_with_itself(tag);
  pthread_barrier_wait(&all_callers);
  for (int i = 0; i < 5; ++i) {
    known_loop(100 * tag + i);
    exchange_with_itself(tag);
  }
  pthread_barrier_wait(&all_callers);
  return NULL;
}

/* Three threads in MPI at once: 5 * 100 + 0...4, 5 * 200 + 0...4, 5 * 300 + 0...4, each of its own. */
static void callers(void) {
  pthread_t threads[3];
  pthread_barrier_init(&all_callers, NULL, 3);
  for (long i = 0; i < 3; ++i)
    pthread_create(&threads[i], NULL, call_beside_others, (void*)(i + 1));
  for (int i = 0; i < 3; ++i)
    result_of(threads[i]);
  next_burst();
  printf("callers\n");
}

static void* poll_first(void* unused) {
  int found = 0;
  known_loop(70);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
  known_loop(90);
  MPI_Barrier(MPI_COMM_SELF);
  return unused;
}

/* Even if that call leaves no trace: 90 of its own, 70 as a worker. */
static void poller(void) {
  run(NULL, poll_first, 0);
  next_burst();
  printf("poller\n");
}

static void* be_the_rank(void* unused) {
  known_loop(30);
  MPI_Init(NULL, NULL);
  known_loop(60);
  next_burst();
  printf("rank in a thread\n");
  MPI_Finalize();
  return unused;
}

static pthread_key_t late;

static void call_mpi_late(void* iterations) {
  static int rounds;
  known_loop((long)iterations);
  MPI_Barrier(MPI_COMM_SELF);
  if (++rounds < 3) pthread_setspecific(late, iterations);
}

static void* call_mpi_to_the_last(void* iterations) {
  pthread_key_create(&late, call_mpi_late);
  pthread_setspecific(late, iterations);
  MPI_Barrier(MPI_COMM_SELF);
  known_loop((long)iterations);
  MPI_Barrier(MPI_COMM_SELF);
  return NULL;
}

/* A thread that calls MPI even when its thread-local data is being destroyed: 80 before, 3 * 80 then. */
static void last_moments(void) {
  run(NULL, call_mpi_to_the_last, 80);
  next_burst();
  printf("last moments\n");
}

/* What a forked child's threads do is none of the rank's. */
static void forked(void) {
  run(NULL, loop_and_return, 40);
  const pid_t child = fork();
  if (child == 0) _exit(run(NULL, loop_and_return, 41) == 41 ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  next_burst();
  printf("child %d\n", status);
}

static void finalize_at_exit(void) {
  known_loop(400);
  MPI_Barrier(MPI_COMM_WORLD);
  known_loop(450);
  MPI_Finalize();
}

/* The threads of this case do not call MPI. */
static int only_compute(const char* name) {
  static const char* const cases[] = {"ends", "nested", "attributes", "forked"};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (strcmp(name, cases[i]) == 0) return 1;
  return 0;
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  int provided = 0;
  /* All of MPI in a thread that is not the first: 60 of its own. */
  if (strcmp(name, "rank-in-a-thread") == 0) return (int)run(NULL, be_the_rank, 0);
  if (strcmp(name, "older") == 0)
    older(&argc, &argv);
  else
    MPI_Init_thread(&argc, &argv, only_compute(name) ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE, &provided);
  if (strcmp(name, "ends") == 0) ends();
  if (strcmp(name, "nested") == 0) nested();
  if (strcmp(name, "attributes") == 0) attributes();
  if (strcmp(name, "caller") == 0) caller();
  if (strcmp(name, "callers") == 0) callers();
  if (strcmp(name, "poller") == 0) poller();
  if (strcmp(name, "last-moments") == 0) last_moments();
  if (strcmp(name, "forked") == 0) forked();
  if (strcmp(name, "exit") == 0) {
    atexit(finalize_at_exit);
    return 0;
  }
  MPI_Finalize();
  return 0;
}
