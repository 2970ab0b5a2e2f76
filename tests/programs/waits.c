/* Threads that wait for each other in one of the ways there are, and say where they are by messages to themselves.
 *
 *     waits join|barrier|condition|semaphore|openmp|serialized
 *
 * For one rank. Message 0 is sent before any thread begins. */
#include <mpi.h>

#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

static int messages;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int ready;
static int in_turn; /* threads call MPI one after the other */

static void send_message(int message) {
  MPI_Send(NULL, 0, MPI_BYTE, 0, message, MPI_COMM_SELF);
  __atomic_fetch_add(&messages, 1, __ATOMIC_RELAXED);
}

static void say(int message) {
  if (in_turn) pthread_mutex_lock(&mutex);
  send_message(message);
  if (in_turn) pthread_mutex_unlock(&mutex);
}

static void* say_one(void* message) {
  say(*(int*)message);
  return NULL;
}

static void in_two(void* (*first)(void*), void* (*second)(void*)) {
  static int ones[2] = {1, 2};
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, &ones[0]);
  pthread_create(&threads[1], NULL, second, &ones[1]);
  pthread_join(threads[0], NULL);
  say(101);
  pthread_join(threads[1], NULL);
  say(102);
}

static void* meet(void* given) {
  const int own = *(int*)given;
  for (int round = 0; round < 3; ++round) {
    say(10 * round + own);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

static void* tell(void* given) {
  (void)given;
  say(1);
  /* The other waits already, or has the mutex until it does. */
  sem_wait(&semaphore);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void* listen(void* given) {
  (void)given;
  say(2);
  pthread_mutex_lock(&mutex);
  sem_post(&semaphore);
  while (!ready)
    pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  say(3);
  return NULL;
}

static void* post(void* given) {
  (void)given;
  say(1);
  sem_post(&semaphore);
  return NULL;
}

static void* take(void* given) {
  (void)given;
  sem_wait(&semaphore);
  say(3);
  return NULL;
}

static void team(void) {
  for (int region = 0; region < 3; ++region) {
    say(100 * region + 50);
#pragma omp parallel num_threads(2)
    {
      const int own = 1 + omp_get_thread_num();
      say(100 * region + own);
#pragma omp barrier
      say(100 * region + 10 + own);
    }
    say(100 * region + 60);
  }
}

static void* say_three(void* given) {
  for (int i = 0; i < 3; ++i)
    say(10 * i + *(int*)given);
  return NULL;
}

int main(int argc, char** argv) {
  const char* const way = argc > 1 ? argv[1] : "";
  in_turn = strcmp(way, "serialized") == 0;
  const int wanted = in_turn ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE;
  int provided;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  if (provided < wanted) return 77;
  pthread_barrier_init(&barrier, NULL, 2);
  sem_init(&semaphore, 0, 0);
  say(0);
  if (strcmp(way, "join") == 0) in_two(say_one, say_one);
  if (strcmp(way, "barrier") == 0) in_two(meet, meet);
  if (strcmp(way, "condition") == 0) in_two(tell, listen);
  if (strcmp(way, "semaphore") == 0) in_two(post, take);
  if (strcmp(way, "openmp") == 0) team();
  if (in_turn) in_two(say_three, say_three);
  for (int i = 0; i < messages; ++i)
    MPI_Recv(NULL, 0, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  printf("%d messages\n", messages);
  MPI_Finalize();
  return 0;
}
