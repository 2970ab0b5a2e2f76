/* Small situations to record, one at a time:
 *
 *     cases NAME       see the table at the end */
#include <mpi.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

/* Rank 0 posts wildcard receives, makes many actions before it completes them, and then uses what they brought. */
static int wildcards_completed_after(int barriers) {
  enum { messages = 3 };
  int values[messages];
  int value = rank;
  MPI_Request requests[messages];
  MPI_Status statuses[messages];
  if (rank == 0)
    for (int i = 0; i < messages; ++i)
      MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 10 + i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < barriers; ++i)
    MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < messages; ++i)
    if (rank == 1 + i % (size - 1)) MPI_Send(&value, 1, MPI_INT, 0, 10 + i, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Waitall(messages, requests, statuses);
    for (int i = 0; i < messages; ++i)
      printf("message %d from %d\n", i, statuses[i].MPI_SOURCE);
  }
  return 0;
}

static int late_wildcards(void) {
  return wildcards_completed_after(200);
}

static int very_late_wildcards(void) {
  return wildcards_completed_after(600);
}

/* Small sends complete at once, and Open MPI gives them all the same handle. */
static int equal_handles(void) {
  enum { messages = 6 };
  int given[messages], taken[messages];
  MPI_Request sends[messages + 1], receives[messages];
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  for (int i = 0; i < messages; ++i) {
    given[i] = 100 * rank + i;
    MPI_Irecv(&taken[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &receives[i]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < messages; ++i) {
    if (i == 2) MPI_Isend(&given[i], 1, MPI_INT, MPI_PROC_NULL, i, MPI_COMM_WORLD, &sends[messages]);
    MPI_Isend(&given[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &sends[i]);
  }
  if (rank == 0) printf("%s\n", sends[0] == sends[1] ? "equal handles" : "different handles");
  MPI_Wait(&sends[3], MPI_STATUS_IGNORE);
  MPI_Waitall(messages + 1, sends, MPI_STATUSES_IGNORE);
  MPI_Waitall(messages, receives, MPI_STATUSES_IGNORE);
  return 0;
}

/* Receives that get less than they have room for, many actions after they have begun. */
static int short_messages(void) {
  char buffer[100];
  MPI_Request request;
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  MPI_Irecv(buffer, 100, MPI_CHAR, previous, 1, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 40; ++i)
    MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(buffer, 7, MPI_CHAR, next, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return 0;
}

static void combine(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i)
    ((int*)inout)[i] = 2 * ((int*)in)[i] + ((int*)inout)[i];
}

static int operations(void) {
  MPI_Op ordered, unordered;
  int given[2] = {rank, 1};
  int taken[2];
  MPI_Op_create(combine, 0, &ordered);
  MPI_Op_create(combine, 1, &unordered);
  MPI_Allreduce(given, taken, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(given, taken, 2, MPI_INT, ordered, MPI_COMM_WORLD);
  MPI_Reduce(given, taken, 2, MPI_INT, unordered, 0, MPI_COMM_WORLD);
  MPI_Op_free(&ordered);
  MPI_Op_free(&unordered);
  return 0;
}

/* Communicators of communicators, some alike. */
static int membership(void) {
  MPI_Comm first, second, halves, pairs, once, again, group_once, group_again, merged;
  MPI_Comm inter_once, inter_again, inter_dup;
  MPI_Request request;
  MPI_Group world, some;
  const int members[3] = {4, 0, 2};
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_dup(first, &second);
  MPI_Comm_split(second, rank % 2, -rank, &halves);
  MPI_Comm_split(halves, rank / 4, rank, &pairs);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 3 ? 0 : MPI_UNDEFINED, rank, &once);
  MPI_Comm_idup(MPI_COMM_WORLD, &again, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(again);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 3, members, &some);
  if (rank % 2 == 0 && rank < 6) {
    MPI_Comm_create_group(MPI_COMM_WORLD, some, 1, &group_once);
    MPI_Comm_create_group(MPI_COMM_WORLD, some, 1, &group_again);
    MPI_Barrier(group_again);
    MPI_Comm_free(&group_once);
    MPI_Comm_free(&group_again);
  }
  MPI_Intercomm_create(halves, 0, MPI_COMM_WORLD, rank % 2 == 0 ? size - 1 : size - 2, 1, &inter_once);
  MPI_Intercomm_create(halves, 0, MPI_COMM_WORLD, rank % 2 == 0 ? size - 1 : size - 2, 1, &inter_again);
  MPI_Comm_dup(inter_again, &inter_dup);
  MPI_Intercomm_merge(inter_dup, rank % 2, &merged);
  MPI_Barrier(merged);
  if (once != MPI_COMM_NULL) MPI_Comm_free(&once);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter_dup);
  MPI_Comm_free(&inter_again);
  MPI_Comm_free(&inter_once);
  MPI_Comm_free(&pairs);
  MPI_Comm_dup(MPI_COMM_WORLD, &pairs);
  MPI_Barrier(pairs);
  MPI_Group_free(&some);
  MPI_Group_free(&world);
  return 0;
}

static int switched(void) {
  int value = 1;
  int other;
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  MPI_Request requests[2];
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Irecv(&other, 1, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&value, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Pcontrol(0);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Irecv(&other, 1, MPI_INT, previous, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&value, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Pcontrol(1);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return 0;
}

static int sleeps_while_off(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(0);
  usleep(400000);
  MPI_Pcontrol(1);
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

/* Four threads a rank talk to their namesakes on the partner rank. */
static void* talk(void* argument) {
  const int tag = (int)(long)argument;
  int value = tag;
  for (int i = 0; i < 200; ++i) {
    MPI_Request request;
    int other;
    MPI_Irecv(&other, 1, MPI_INT, rank ^ 1, tag, MPI_COMM_WORLD, &request);
    MPI_Send(&value, 1, MPI_INT, rank ^ 1, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return NULL;
}

static int threads(void) {
  pthread_t workers[4];
  for (long i = 0; i < 4; ++i)
    pthread_create(&workers[i], NULL, talk, (void*)i);
  for (int i = 0; i < 4; ++i)
    pthread_join(workers[i], NULL);
  return 0;
}

/* Long enough to fill blocks of 16 actions many times over. */
static int chatter(void) {
  int value = rank;
  for (int i = 0; i < 1000; ++i)
    MPI_Bcast(&value, 1, MPI_INT, i % size, MPI_COMM_WORLD);
  if (rank == 0) printf("chattered\n");
  return 0;
}

static int exits(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  exit(3);
}

enum { window_rounds = 100, window_threads = 4 };

struct window_worker {
  pthread_t thread;
  MPI_Comm comm;
  int wrong;
};

static int no_status(void* state, MPI_Status* status) {
  (void)state;
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}

static int keep_state(void* state) {
  (void)state;
  return MPI_SUCCESS;
}

static int cancel_nothing(void* state, int complete) {
  (void)state;
  (void)complete;
  return MPI_SUCCESS;
}

static MPI_Request generalized;

/* Most likely while the other thread is in MPI for it. */
static void* complete_generalized(void* argument) {
  (void)argument;
  usleep(20000);
  MPI_Grequest_complete(generalized);
  return NULL;
}

/* Of two generalized requests, one is polled and one waited for while another thread completes it. */
static int generalized_of_threads(void) {
  for (int waits = 0; waits < 2; ++waits) {
    pthread_t thread;
    int complete = 0;
    MPI_Grequest_start(no_status, keep_state, cancel_nothing, NULL, &generalized);
    MPI_Request own = generalized;
    pthread_create(&thread, NULL, complete_generalized, NULL);
    while (!waits && !complete)
      MPI_Test(&own, &complete, MPI_STATUS_IGNORE);
    if (waits) MPI_Wait(&own, MPI_STATUS_IGNORE);
    pthread_join(thread, NULL);
  }
  return 0;
}

/* One thread's own window: made, used and freed again while the others use theirs. */
static void* transfer(void* argument) {
  struct window_worker* const self = argument;
  for (int life = 0; life < 2; ++life) {
    MPI_Win window;
    int* exposed;
    MPI_Win_allocate(sizeof *exposed, sizeof *exposed, MPI_INFO_NULL, self->comm, &exposed, &window);
    for (int value = 0; value < window_rounds; ++value) {
      int back = -1;
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
      MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, window);
      MPI_Win_flush(rank, window);
      MPI_Get(&back, 1, MPI_INT, rank, 0, 1, MPI_INT, window);
      MPI_Win_unlock(rank, window);
      if (back != value) ++self->wrong;
    }
    MPI_Win_free(&window);
  }
  return NULL;
}

static int windows_of_threads(void) {
  struct window_worker workers[window_threads];
  int wrong = 0;
  for (int i = 0; i < window_threads; ++i) {
    workers[i].wrong = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
  }
  for (int i = 0; i < window_threads; ++i)
    pthread_create(&workers[i].thread, NULL, transfer, &workers[i]);
  for (int i = 0; i < window_threads; ++i) {
    pthread_join(workers[i].thread, NULL);
    MPI_Comm_free(&workers[i].comm);
    wrong += workers[i].wrong;
  }
  printf("rank %d: %d wrong\n", rank, wrong);
  return wrong == 0 ? 0 : 1;
}

/* The last calls from a handler that runs when thread-local data is gone. */
static void last_calls(void) {
  enum { messages = 100 };
  static int given[messages], taken[messages];
  MPI_Request requests[2 * messages];
  for (int i = 0; i < messages; ++i) {
    MPI_Irecv(&taken[i], 1, MPI_INT, rank ^ 1, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Isend(&given[i], 1, MPI_INT, rank ^ 1, i, MPI_COMM_WORLD, &requests[messages + i]);
  }
  MPI_Waitall(2 * messages, requests, MPI_STATUSES_IGNORE);
  MPI_Finalize();
}

static int finalizes_at_exit(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  atexit(last_calls);
  exit(0);
}

/* The file system takes no more than 4 KiB of the trace. */
static int full_disk(void) {
  const struct rlimit limit = {4096, 4096};
  setrlimit(RLIMIT_FSIZE, &limit);
  return chatter();
}

static int aborts(void) {
  const int given = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    /* What is there to be probed, and not received, shows that rank 1 waits in MPI_Ssend. */
    MPI_Probe(1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Abort(MPI_COMM_WORLD, 7);
  }
  MPI_Ssend(&given, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  return 0;
}

static int dies(void) {
  chatter();
  if (rank == 0) raise(SIGKILL);
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

/* A child that exits is not the rank: the trace must not suffer. */
static int forks(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  fflush(stdout);
  if (fork() == 0) exit(0);
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

static int terminated(void) {
  chatter();
  kill(getpid(), SIGTERM);
  return 0;
}

/* A sanitizer is not to be the first to notice. */
__attribute__((no_sanitize_undefined)) static int segfaults(void) {
  volatile int* volatile nothing = NULL;
  chatter();
  *nothing = 1;
  return 0;
}

/* Ended by a signal that is sent, whatever MPI does with it. */
static int killed_by(int number) {
  chatter();
  fflush(stdout);
  kill(getpid(), number);
  return 0;
}

static int sent_segv(void) {
  return killed_by(SIGSEGV);
}

static int sent_bus(void) {
  return killed_by(SIGBUS);
}

static int sent_fpe(void) {
  return killed_by(SIGFPE);
}

static int sent_xfsz(void) {
  return killed_by(SIGXFSZ);
}

static int sent_realtime(void) {
  return killed_by(SIGRTMIN + 3);
}

/* An error that nobody handles. */
static int errs(void) {
  chatter();
  MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  return 0;
}

static int calls_abort(void) {
  chatter();
  abort();
}

/* Until the stack ends. */
static int deeper(int depth) {
  volatile char room[10000];
  room[0] = (char)depth;
  return depth < 0 ? 0 : deeper(depth + 1) + room[0];
}

static int overflows(void) {
  chatter();
  return deeper(0);
}

static int leaves(void) {
  chatter();
  fflush(stdout);
  _exit(4);
}

static int leaves_quickly(void) {
  chatter();
  fflush(stdout);
  quick_exit(5);
}

static int becomes_another(void) {
  chatter();
  fflush(stdout);
  execlp("sh", "sh", "-c", "echo another; exit 6", (char*)NULL);
  return 0;
}

static volatile sig_atomic_t signals;

static void count_signal(int number) {
  (void)number;
  ++signals;
}

/* Signals that the program deals with itself: one handler from before MPI_Init would be too early to be seen here. */
static int handles_signals(void) {
  signal(SIGUSR1, count_signal);
  signal(SIGTERM, SIG_IGN);
  chatter();
  raise(SIGUSR1);
  raise(SIGUSR1);
  raise(SIGTERM);
  printf("%d signals\n", (int)signals);
  return 0;
}

/* Who handles a signal is what it would be untraced; a handler is set only where there is none. */
static int asks_for_handlers(void) {
  const int asked[] = {SIGTERM, SIGUSR1, SIGUSR2, SIGHUP, SIGPROF, SIGSEGV, SIGABRT};
  chatter();
  for (size_t i = 0; i < sizeof asked / sizeof asked[0]; ++i) {
    struct sigaction now;
    sigaction(asked[i], NULL, &now);
    printf("%d: flags %x%s\n", asked[i], (unsigned)now.sa_flags, now.sa_handler == SIG_DFL ? ", default" : "");
  }
  void (*const before)(int) = signal(SIGUSR1, count_signal);
  if (before == SIG_DFL) raise(SIGUSR1);
  printf("%d signals, %s\n", (int)signals, signal(SIGUSR1, before) == count_signal ? "its own" : "another's");
  printf("%s\n", signal(SIGUSR1, SIG_IGN) == SIG_DFL ? "default again" : "not the default");
  return 0;
}

/* Sets a handler, brings back what was before it, and dies of the signal. */
static int restores_default(void) {
  struct sigaction mine = {.sa_handler = count_signal};
  struct sigaction before;
  chatter();
  sigaction(SIGTERM, &mine, &before);
  raise(SIGTERM);
  sigaction(SIGTERM, &before, NULL);
  raise(SIGTERM);
  return 1;
}

/* Children that use MPI, that are killed, and that run other programs. */
static int has_children(void) {
  int status = 0;
  int asked = -1;
  char line[32] = "";
  MPI_Barrier(MPI_COMM_WORLD);
  fflush(stdout);
  if (fork() == 0) {
    for (int i = 0; i < 1000; ++i)
      MPI_Comm_rank(MPI_COMM_WORLD, &asked);
    _exit(asked == rank ? 11 : 12);
  }
  wait(&status);
  printf("child %d\n", WEXITSTATUS(status));
  fflush(stdout);
  if (fork() == 0) {
    kill(getpid(), SIGTERM);
    _exit(0);
  }
  wait(&status);
  printf("killed by %d\n", WTERMSIG(status));
  fflush(stdout);
  printf("system %d\n", WEXITSTATUS(system("exit 7")));
  FILE* pipe = popen("echo piped", "r");
  if (pipe == NULL || fgets(line, sizeof line, pipe) == NULL) return 1;
  pclose(pipe);
  printf("%s", line);
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

static int returns_5(void) {
  return 5;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    int (*run)(void);
  } all[] = {{"late_wildcards", late_wildcards},
             {"very_late_wildcards", very_late_wildcards},
             {"equal_handles", equal_handles},
             {"short_messages", short_messages},
             {"operations", operations},
             {"membership", membership},
             {"switched", switched},
             {"sleeps_while_off", sleeps_while_off},
             {"threads", threads},
             {"windows_of_threads", windows_of_threads},
             {"chatter", chatter},
             {"exits", exits},
             {"aborts", aborts},
             {"dies", dies},
             {"finalizes_at_exit", finalizes_at_exit},
             {"full_disk", full_disk},
             {"forks", forks},
             {"terminated", terminated},
             {"segfaults", segfaults},
             {"sent_segv", sent_segv},
             {"sent_bus", sent_bus},
             {"sent_fpe", sent_fpe},
             {"sent_xfsz", sent_xfsz},
             {"sent_realtime", sent_realtime},
             {"errs", errs},
             {"generalized_of_threads", generalized_of_threads},
             {"calls_abort", calls_abort},
             {"overflows", overflows},
             {"leaves", leaves},
             {"leaves_quickly", leaves_quickly},
             {"becomes_another", becomes_another},
             {"handles_signals", handles_signals},
             {"asks_for_handlers", asks_for_handlers},
             {"restores_default", restores_default},
             {"has_children", has_children},
             {"returns_5", returns_5}};
  int provided;
  const char* const name = argc == 2 ? argv[1] : "";
  if (strstr(name, "threads") != NULL)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  else
    MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
    if (strcmp(all[i].name, name) == 0) {
      const int result = all[i].run();
      MPI_Finalize();
      return result;
    }
  fprintf(stderr, "cases: there is no case '%s'\n", name);
  MPI_Finalize();
  return 2;
}
