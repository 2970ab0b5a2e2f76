/* MPI between parallel regions of OpenMP: hybrid UNIT. In each of three phases thread t of rank r loops
 * UNIT * (t + 1) * phase * (r + 1) times; in a fourth, all threads but the first loop UNIT * t times. */
#include "known_loop.h"

#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { threads = 4, phases = 3 };

int main(int argc, char** argv) {
  int provided = 0;
  int rank = 0;
  const long unit = argc > 1 ? atol(argv[1]) : 100;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  long done = 0;
  for (int phase = 1; phase <= phases; ++phase) {
#pragma omp parallel num_threads(threads) reduction(+ : done)
    {
      const long mine = unit * (omp_get_thread_num() + 1) * phase * (rank + 1);
      known_loop(mine);
      done += mine;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
#pragma omp parallel num_threads(threads) reduction(+ : done)
  {
    const long mine = unit * omp_get_thread_num();
    known_loop(mine);
    done += mine;
  }
  long all = 0;
  MPI_Allreduce(&done, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld iterations\n", all);
  MPI_Finalize();
  return 0;
}
