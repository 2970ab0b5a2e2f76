#include "solver.h"

#include <mpi.h>

static volatile double residual = 1;

__attribute__((noinline)) static void iterate(long steps) {
  for (long i = 0; i < steps; ++i)
    residual = residual * 0.999 + 0.001;
}

double solve(long steps) {
  double sum = 0;
  double part;
  iterate(steps);
  part = residual;
  MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* site: solver */
  iterate(steps);
  return sum;
}
