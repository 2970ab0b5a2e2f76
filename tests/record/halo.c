/* Exchanges with the neighbours in a grid of ranks, and reductions over a row of it and over all.
 *
 *     halo [cells along an edge [iterations [sides of the grid]]]          default: 120, 10 and 2
 *
 * The cells are a square, cut into as many parts along each side as the grid has ranks there. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_sides = 2 };

static int wide, high;
static double *cells, *edges;

/* Exchanges the edges with both neighbours along each side. */
static void exchange(MPI_Comm grid, int sides) {
  MPI_Request requests[4 * most_sides];
  int number = 0;
  for (int side = 0; side < sides; ++side) {
    int near[2];
    const int length = side == 0 ? high : wide;
    MPI_Cart_shift(grid, side, 1, &near[0], &near[1]);
    for (int end = 0; end < 2; ++end, number += 2) {
      double* edge = edges + (size_t)number * (size_t)(wide + high);
      MPI_Irecv(edge, length, MPI_DOUBLE, near[end], end, grid, &requests[number]);
      MPI_Isend(edge + wide + high, length, MPI_DOUBLE, near[end], 1 - end, grid, &requests[number + 1]);
    }
  }
  MPI_Waitall(number, requests, MPI_STATUSES_IGNORE);
}

/* Returns the sum of the new values. */
static double relax(void) {
  const int row = high + 2;
  double sum = 0;
  for (int i = 1; i <= wide; ++i)
    for (int j = 1; j <= high; ++j) {
      double* at = cells + i * row + j;
      sum += * at = 1 + 0.25 * (at[-row] + at[row] + at[-1] + at[1]);
    }
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int edge = argc > 1 ? atoi(argv[1]) : 120;
  const int iterations = argc > 2 ? atoi(argv[2]) : 10;
  const int sides = argc > 3 ? atoi(argv[3]) : most_sides;
  int ranks = 0;
  int extents[most_sides] = {0, 0};
  int periods[most_sides] = {0, 0};
  int remain[most_sides] = {0, 1};
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Comm row = MPI_COMM_NULL;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, sides, extents);
  MPI_Cart_create(MPI_COMM_WORLD, sides, extents, periods, 0, &grid);
  MPI_Cart_sub(grid, remain, &row);
  wide = edge / extents[0];
  high = sides > 1 ? edge / extents[1] : edge;
  cells = calloc(((size_t)wide + 2) * ((size_t)high + 2), sizeof *cells);
  edges = calloc((size_t)(4 * most_sides + 1) * ((size_t)wide + (size_t)high), sizeof *edges);
  if (cells == NULL || edges == NULL) return 1;
  double whole = 0;
  for (int step = 0; step < iterations; ++step) {
    double sum = 0;
    exchange(grid, sides);
    const double own = relax();
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, row);
    MPI_Allreduce(&sum, &whole, 1, MPI_DOUBLE, MPI_MAX, grid);
  }
  free(edges);
  free(cells);
  MPI_Finalize();
  return whole > 0 ? 0 : 1;
}
