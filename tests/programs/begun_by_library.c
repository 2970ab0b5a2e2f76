#include <mpi.h>

#include <stdio.h>

void be_linked(void);

int main(void) {
  int sum;
  const int one = 1;
  be_linked();
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("%d\n", sum);
  return 0;
}
