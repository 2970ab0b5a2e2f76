/* A library that begins MPI for its program, and ends it when the program has ended. */
#include <mpi.h>
#include <stddef.h>

void be_linked(void) {}

__attribute__((constructor)) static void begin(void) {
  MPI_Init(NULL, NULL);
}

__attribute__((destructor)) static void end(void) {
  MPI_Finalize();
}
