/* Bursts of which it is known how often they loop and how many pages they touch first. */
#include "known_loop.h"

#include <mpi.h>

#include <stdio.h>
#include <sys/mman.h>

enum { pages = 300, page_bytes = 4096 };

static void touch_fresh_pages(void) {
  char* const memory =
      mmap(NULL, (size_t)pages * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, (size_t)pages * page_bytes, MADV_NOHUGEPAGE);
  for (int page = 0; page < pages; ++page)
    memory[page * page_bytes] = 1;
}

int main(int argc, char** argv) {
  int one = 1;
  int sum = 0;
  MPI_Init(&argc, &argv);
  known_loop(1000);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 5; ++i) {
    int found = 0;
    known_loop(100);
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE); /* leaves the burst whole */
    known_loop(10);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  touch_fresh_pages();
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Pcontrol(0);
  known_loop(5000); /* nobody's */
  MPI_Pcontrol(1);
  known_loop(7);
  MPI_Finalize();
  printf("%d\n", sum);
  return 0;
}
