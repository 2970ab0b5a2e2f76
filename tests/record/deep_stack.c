/* Uses as many MiB of stack as its argument says, as programs with large automatic arrays do. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int use(int mebibytes) {
  volatile char block[1 << 20];
  block[0] = block[sizeof block - 1] = 1;
  return mebibytes > 1 ? use(mebibytes - 1) + block[0] : block[sizeof block - 1];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  printf("%d MiB\n", use(argc > 1 ? atoi(argv[1]) : 1));
  MPI_Finalize();
  return 0;
}
