/* Marks regions in every way there is, right and wrong, and prints the same whether anybody records them.
 * With `threads`, other threads mark regions too, although they may not call MPI. */
#include <mpi.h>
#include <timeless.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static volatile int sink;

static void compute(int steps) {
  for (int i = 0; i < steps; ++i)
    sink += i;
}

static void* mark_in_another_thread(void* nothing) {
  for (int i = 0; i < 10000; ++i) {
    timeless_begin("another thread's");
    compute(3);
    timeless_end("another thread's");
  }
  return nothing;
}

static void nested(void) {
  timeless_begin("outer");
  compute(100);
  for (int i = 0; i < 2; ++i) {
    timeless_begin("inner");
    compute(100);
    MPI_Barrier(MPI_COMM_WORLD);
    timeless_end("inner");
  }
  compute(100);
  timeless_end("outer");
}

static void numbered(void) {
  MPI_Pcontrol(2);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1000000);
  MPI_Pcontrol(-1000000);
  MPI_Pcontrol(-2);
  MPI_Pcontrol(-1); /* means nothing */
}

/* What begins while nothing is recorded ends unseen; what began before ends seen. */
static void across_switching(void) {
  MPI_Pcontrol(0);
  timeless_begin("unseen");
  MPI_Pcontrol(1);
  timeless_end("unseen");
  timeless_begin("seen");
  MPI_Pcontrol(0);
  timeless_end("seen");
  MPI_Pcontrol(1);
}

static void wrong(void) {
  timeless_end("never begun");
  timeless_begin("never ended");
  timeless_begin("tab\tand caf\xe9");
  timeless_end("tab\tand caf\xe9");
}

int main(int argc, char** argv) {
  int rank;
  timeless_begin("too early");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1 && strcmp(argv[1], "threads") == 0) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i)
      pthread_create(&threads[i], NULL, mark_in_another_thread, NULL);
    for (int i = 0; i < 1000; ++i)
      MPI_Barrier(MPI_COMM_SELF);
    for (int i = 0; i < 4; ++i)
      pthread_join(threads[i], NULL);
  }
  nested();
  numbered();
  across_switching();
  wrong();
  printf("rank %d is done\n", rank);
  MPI_Finalize();
  timeless_end("too early");
  return 0;
}
