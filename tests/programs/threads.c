/* Threads that are all in MPI at once, in every way that matters to who watches: each rank's threads talk to their
 * namesakes on the partner rank, a request that one thread starts is completed by another, receives take any source,
 * threads meet in collectives of their own communicators, messages are matched by probes, and threads come and go.
 *
 *     threads [ROUNDS]
 *
 * Needs an even number of ranks. Checks what it receives, and prints a line. */
#include <mpi.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { threads = 4, messages_a_round = 8 };

static int rank, size, rounds = 50;
static MPI_Comm of_thread[threads];
static pthread_barrier_t handed_over, all_done;
static MPI_Request handed[2];
static int handed_values[2];

static void require(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void exchange(int thread, int round) {
  int given[messages_a_round], taken[messages_a_round];
  MPI_Request requests[2 * messages_a_round];
  const int partner = rank ^ 1;
  for (int i = 0; i < messages_a_round; ++i) {
    const int any = i % 4 == 3;
    given[i] = ((rank * threads + thread) * 1000 + round) * messages_a_round + i;
    MPI_Irecv(&taken[i], 1, MPI_INT, any ? MPI_ANY_SOURCE : partner, 100 * thread + i, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = 0; i < messages_a_round; ++i)
    MPI_Isend(&given[i], 1, MPI_INT, partner, 100 * thread + i, MPI_COMM_WORLD, &requests[messages_a_round + i]);
  MPI_Waitall(2 * messages_a_round, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < messages_a_round; ++i)
    require(taken[i] == ((partner * threads + thread) * 1000 + round) * messages_a_round + i, "a wrong message");
}

/* The first thread starts, the second completes. */
static void hand_over(int thread, int round) {
  if (thread > 1) return;
  if (thread == 0) {
    static int value;
    value = round;
    MPI_Irecv(&handed_values[0], 1, MPI_INT, rank ^ 1, 7000, MPI_COMM_WORLD, &handed[0]);
    MPI_Isend(&value, 1, MPI_INT, rank ^ 1, 7000, MPI_COMM_WORLD, &handed[1]);
  }
  pthread_barrier_wait(&handed_over);
  if (thread == 1) {
    MPI_Waitall(2, handed, MPI_STATUSES_IGNORE);
    require(handed_values[0] == round, "a wrong message was handed over");
  }
  pthread_barrier_wait(&handed_over);
}

static void meet(int thread, int round) {
  int sum = 0;
  const int one = thread + round;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, of_thread[thread]);
  require(sum == size * (thread + round), "a wrong sum");
  if (round % 10 != 0) return;
  MPI_Comm copy;
  MPI_Comm_dup(of_thread[thread], &copy);
  MPI_Barrier(copy);
  MPI_Comm_free(&copy);
}

static void probe(int thread, int round) {
  int given = round, taken = -1;
  MPI_Request request;
  MPI_Message message;
  MPI_Isend(&given, 1, MPI_INT, rank ^ 1, 8000 + thread, MPI_COMM_WORLD, &request);
  MPI_Mprobe(rank ^ 1, 8000 + thread, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(&taken, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  require(taken == round, "a wrong matched message");
}

static void* work(void* argument) {
  const int thread = (int)(long)argument;
  for (int round = 0; round < rounds; ++round) {
    exchange(thread, round);
    hand_over(thread, round);
    meet(thread, round);
    probe(thread, round);
  }
  /* None ends before the last has begun: threads that live side by side have numbers of their own. */
  pthread_barrier_wait(&all_done);
  return NULL;
}

/* A thread that makes one exchange and ends. */
static void* pass_by(void* argument) {
  (void)argument;
  exchange(threads, 0);
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t workers[threads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) return 77;
  if (argc > 1) rounds = atoi(argv[1]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  pthread_barrier_init(&handed_over, NULL, 2);
  pthread_barrier_init(&all_done, NULL, threads);
  for (int i = 0; i < threads; ++i)
    MPI_Comm_dup(MPI_COMM_WORLD, &of_thread[i]);
  for (long i = 0; i < threads; ++i)
    pthread_create(&workers[i], NULL, work, (void*)i);
  for (int i = 0; i < threads; ++i)
    pthread_join(workers[i], NULL);
  for (int i = 0; i < rounds; ++i) {
    pthread_t passer;
    pthread_create(&passer, NULL, pass_by, NULL);
    pthread_join(passer, NULL);
  }
  for (int i = 0; i < threads; ++i)
    MPI_Comm_free(&of_thread[i]);
  MPI_Finalize();
  if (rank == 0) printf("%d threads on each of %d ranks\n", threads, size);
  return 0;
}
