/* A rank whose handler of signals posts a semaphore, whatever its threads are doing: calling MPI, taking memory, posting
 * and waiting for another semaphore. One thread takes all these posts. Ends with status 3 where it stands still.
 *
 *     handler_posts POSTS INTERVAL_US */
#include <mpi.h>

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static sem_t ticks;
static sem_t own;
static volatile sig_atomic_t ended;
static sigjmp_buf before_jump;

static void tick(int number) {
  (void)number;
  const int error = errno;
  if (!ended) sem_post(&ticks);
  errno = error;
}

static void jump(int number, siginfo_t* info, void* context) {
  (void)number, (void)info, (void)context;
  siglongjmp(before_jump, 1);
}

static void say(int message) {
  MPI_Sendrecv(&message, 1, MPI_INT, 0, message, &(int){0}, 1, MPI_INT, 0, message, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void* take(void* posts) {
  for (long taken = 0; taken < *(long*)posts; ++taken) {
    while (sem_wait(&ticks) != 0) {
    }
    if (taken % 64 == 0) say(1);
  }
  ended = 1;
  return NULL;
}

static void* work(void* unused) {
  (void)unused;
  for (unsigned i = 0; !ended; ++i) {
    void* volatile memory = malloc(2000 + i * 37 % 40000);
    free(memory);
    sem_post(&own);
    while (sem_wait(&own) != 0) {
    }
    if (i % 16 == 0) say(2);
  }
  return NULL;
}

static void* watch(void* unused) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  sleep(100);
  if (!ended) _exit(3);
  return unused;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) return 77;
  long posts = argc > 1 ? atol(argv[1]) : 1;
  sem_init(&ticks, 0, 0);
  sem_init(&own, 0, 0);
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, watch, NULL);
  pthread_detach(threads[0]);

  /* The thread is in no handler any more. */
  const struct sigaction jumping = {.sa_sigaction = jump, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigaction(SIGUSR1, &jumping, NULL);
  if (sigsetjmp(before_jump, 1) == 0) raise(SIGUSR1);
  struct sigaction known;
  sigaction(SIGUSR1, NULL, &known);
  if (known.sa_sigaction != jump || (known.sa_flags & SA_SIGINFO) == 0) return 4;
  signal(SIGUSR1, SIG_DFL);

  signal(SIGALRM, tick);
  if (signal(SIGALRM, tick) != tick) return 5;
  const long interval = argc > 2 ? atol(argv[2]) : 1000;
  setitimer(ITIMER_REAL, &(struct itimerval){{0, interval}, {0, interval}}, NULL);
  pthread_create(&threads[1], NULL, take, &posts);
  pthread_create(&threads[2], NULL, work, NULL);
  work(NULL);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  pthread_join(threads[1], NULL);
  /* The work is done as often as there is time: only these are the same each time. */
  pthread_join(threads[2], NULL);
  sem_t last;
  sem_init(&last, 0, 0);
  say(3);
  sem_post(&last);
  sem_wait(&last);
  printf("%ld posts\n", posts);
  MPI_Finalize();
  return 0;
}
