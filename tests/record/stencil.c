/* A one-dimensional stencil: halos by nonblocking messages, a residual by allreduce. Between its first and its last MPI
 * call it neither allocates nor prints: the heap and the streams are shared with MPI, and their state is not the
 * program's own. So its volumes must be the same to the last instruction, however it is run. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One sweep; returns the largest change. */
static double sweep(const double* from, double* to, int cells) {
  double largest = 0;
  for (int i = 1; i <= cells; ++i) {
    to[i] = 0.5 * (from[i - 1] + from[i + 1]);
    largest = fmax(largest, fabs(to[i] - from[i]));
  }
  return largest;
}

static void exchange_halos(double* values, int cells, int left, int right) {
  MPI_Request requests[4];
  MPI_Irecv(&values[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&values[cells + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&values[cells], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(&values[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/* The copy's last part comes back, so that it cannot be left out. */
static double copied(const double* values, double* copy, int cells) {
  memcpy(copy, values, ((size_t)cells + 2) * sizeof *copy);
  return copy[cells];
}

int main(int argc, char** argv) {
  const int most_cells = 1000;
  const size_t bytes = ((size_t)most_cells + 2) * sizeof(double);
  double* now = calloc(1, bytes);
  double* next = calloc(1, bytes);
  double* copy = calloc(1, bytes);
  if (now == NULL || next == NULL || copy == NULL) return 1;
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int cells = 500 + 10 * (rank % 50);
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  double residual = 0;
  double last = 0;
  for (int step = 0; step < 60; ++step) {
    if (rank == 0) now[0] = 1;
    exchange_halos(now, cells, left, right);
    const double change = sweep(now, next, cells);
    double* swapped = now;
    now = next;
    next = swapped;
    last += copied(now, copy, cells);
    if (step % 10 == 0) MPI_Allreduce(&change, &residual, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  double largest = 0;
  MPI_Reduce(&last, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0) printf("residual %.6e, largest %.6e\n", residual, largest);
  free(now);
  free(next);
  free(copy);
  return 0;
}
