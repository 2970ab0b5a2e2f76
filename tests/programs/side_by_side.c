/* Threads that compute beside each other and wait for each other, of which some call MPI: side_by_side WAY.
 *
 * Prints how long the rank takes where each thread has a core and communication takes no time: in units of a million
 * iterations of a loop (two million instructions). */
#include "known_loop.h"

#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

enum { rounds = 4 };

static MPI_Comm of_main;
static MPI_Comm of_other;
static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int made;

static void compute(int units) {
  known_loop(1000000L * units);
}

static void call_mpi(MPI_Comm comm) {
  MPI_Barrier(comm);
}

/* A team computes 1, 2, 3 and 4 units, then some of it call MPI: 4 a round. */
static int team_with_barrier(int master_calls, int last_calls) {
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel num_threads(4)
    {
      const int own = omp_get_thread_num();
      compute(own + 1);
#pragma omp barrier
      if (master_calls && own == 0) call_mpi(of_main);
      if (last_calls && own == 3) call_mpi(of_other);
    }
  }
  return 4 * rounds;
}

/* One team computes, the first of its threads most, and the last thread of another calls MPI: 4 a round. */
static int team_before_team(void) {
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel num_threads(4)
    compute(4 - omp_get_thread_num());
#pragma omp parallel num_threads(4)
    if (omp_get_thread_num() == 3) call_mpi(of_other);
  }
  return 4 * rounds;
}

static void* meet(void* number) {
  for (int round = 0; round < rounds; ++round) {
    compute(1 + (int)(long)number);
    pthread_barrier_wait(&barrier);
    if ((long)number == 2) call_mpi(of_other);
  }
  return NULL;
}

/* Four threads, of which main and one more call MPI, and another computes most: 4 a round. */
static int threads_with_barrier(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i)
    pthread_create(&threads[i], NULL, meet, (void*)(i + 1));
  for (int round = 0; round < rounds; ++round) {
    compute(1);
    pthread_barrier_wait(&barrier);
    call_mpi(of_main);
  }
  for (int i = 0; i < 3; ++i)
    pthread_join(threads[i], NULL);
  return 4 * rounds;
}

static void* compute_and_call(void* given) {
  compute((int)(long)given);
  call_mpi(of_other);
  return NULL;
}

static void* only_compute(void* given) {
  compute((int)(long)given);
  return NULL;
}

/* Threads that begin together and end after 3, 2 and 5 units are waited for in an order that is not theirs: 6 a round. */
static int threads_joined(int caller) {
  for (int round = 0; round < rounds; ++round) {
    const long units[3] = {3, 2, 5};
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i)
      pthread_create(&threads[i], NULL, i == caller ? compute_and_call : only_compute, (void*)units[i]);
    for (int i = 0; i < 3; ++i)
      pthread_join(threads[i], NULL);
    compute(1);
    call_mpi(of_main);
  }
  return 6 * rounds;
}

static void* make_by_semaphore(void* calls) {
  for (int round = 0; round < rounds; ++round) {
    compute(3);
    if (calls != NULL) call_mpi(of_other);
    sem_post(&semaphore);
  }
  return NULL;
}

static void take_by_semaphore(void) {
  sem_wait(&semaphore);
}

static void* make_by_condition(void* calls) {
  for (int round = 0; round < rounds; ++round) {
    compute(3);
    if (calls != NULL) call_mpi(of_other);
    pthread_mutex_lock(&mutex);
    ++made;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void take_by_condition(void) {
  pthread_mutex_lock(&mutex);
  while (made == 0)
    pthread_cond_wait(&condition, &mutex);
  --made;
  pthread_mutex_unlock(&mutex);
}

/* One thread makes what the other takes: 3 units each, one after the other only the first time. */
static int pipeline(void* (*make)(void*), void (*take)(void), int maker_calls) {
  pthread_t maker;
  pthread_create(&maker, NULL, make, maker_calls ? &maker : NULL);
  for (int round = 0; round < rounds; ++round) {
    take();
    compute(3);
    call_mpi(of_main);
  }
  pthread_join(maker, NULL);
  return 3 * (rounds + 1);
}

static int run(const char* way) {
  if (strcmp(way, "team-master") == 0) return team_with_barrier(1, 0);
  if (strcmp(way, "team-last") == 0) return team_with_barrier(0, 1);
  if (strcmp(way, "team-both") == 0) return team_with_barrier(1, 1);
  if (strcmp(way, "team-before-team") == 0) return team_before_team();
  if (strcmp(way, "barrier") == 0) return threads_with_barrier();
  if (strcmp(way, "join-caller-first") == 0) return threads_joined(0);
  if (strcmp(way, "join-caller-last") == 0) return threads_joined(2);
  if (strcmp(way, "join-workers") == 0) return threads_joined(-1);
  if (strcmp(way, "semaphore") == 0) return pipeline(make_by_semaphore, take_by_semaphore, 1);
  if (strcmp(way, "semaphore-of-worker") == 0) return pipeline(make_by_semaphore, take_by_semaphore, 0);
  if (strcmp(way, "condition") == 0) return pipeline(make_by_condition, take_by_condition, 1);
  if (strcmp(way, "condition-of-worker") == 0) return pipeline(make_by_condition, take_by_condition, 0);
  return -1;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) return 77;
  MPI_Comm_dup(MPI_COMM_WORLD, &of_main);
  MPI_Comm_dup(MPI_COMM_WORLD, &of_other);
  pthread_barrier_init(&barrier, NULL, 4);
  sem_init(&semaphore, 0, 0);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int units = run(argc > 1 ? argv[1] : "");
  if (rank == 0) printf("%d\n", units);
  MPI_Finalize();
  return units > 0 ? 0 : 1;
}
