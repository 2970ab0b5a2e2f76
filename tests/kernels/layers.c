/* A program whose every message goes through one function, and whose solver is a library: what a kernel's ends are
 * called. The calls' lines are found by the words "site:" in this file. */
#include "solver.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

static volatile double state = 1;

__attribute__((noinline)) static void compute(long steps) {
  for (long i = 0; i < steps; ++i)
    state = state * 0.999 + 0.001;
}

__attribute__((noinline)) static void exchange(double* value) {
  double received = 0;
  MPI_Sendrecv(value, 1, MPI_DOUBLE, 0, 1, &received, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE); /* site: exchange */
  *value = received;
}

__attribute__((noinline)) static void small_phase(double* value) {
  compute(20000);
  exchange(value); /* site: small phase */
  state += *value;
}

__attribute__((noinline)) static void large_phase(double* value) {
  compute(200000);
  exchange(value); /* site: large phase */
  state += *value;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 4;
  double value = 1;
  MPI_Init(&argc, &argv); /* site: init */
  compute(20000);
  MPI_Barrier(MPI_COMM_WORLD); /* site: barrier */
  for (int round = 0; round < rounds; ++round) {
    small_phase(&value);
    large_phase(&value); /* site: call of large phase */
    compute(20000);
    value += solve(20000);
  }
  MPI_Finalize(); /* site: finalize */
  printf("%g\n", value);
  return 0;
}
