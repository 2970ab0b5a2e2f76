/* Sweeps over cells that are shared out among ranks, whose number is that which the program is built for: RANKS.
 *
 *     sized.4
 *
 * The machine code is at other offsets in each build, as it is where a compiler knows more of the sizes. */
#include <mpi.h>

enum { all_cells = 24000, sweeps = 5 };

static double cells[all_cells / RANKS];

static double relax(void) {
  double sum = 0;
  for (int i = 1; i < all_cells / RANKS; ++i)
    sum += cells[i] = 0.5 * (cells[i] + cells[i - 1]) + 1;
  return sum;
}

/* As many instructions that are not executed as are needed to move what follows. */
void shift(void);
__attribute__((used)) void shift(void) {
  for (volatile int i = 0; i < RANKS; ++i)
#if RANKS > 2
    for (volatile int j = 0; j < i; ++j)
#endif
#if RANKS > 3
      for (volatile int k = 0; k < j; ++k)
#endif
        ;
}

int main(int argc, char** argv) {
  double whole = 0;
  int ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const double own = relax();
    MPI_Allreduce(&own, &whole, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return ranks == RANKS && whole > 0 ? 0 : 1;
}
