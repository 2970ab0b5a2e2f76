/* Loads MPI itself, as an interpreter does, and asks the library it has loaded for its functions. */
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void* library;

/* The names of a library, and what its mpi.h calls handles that are data of it. */
#ifdef OPEN_MPI
#define LIBRARY "libmpi.so.40"
#define find_handle(handle, name, datum) find(handle, #datum)
#else
#define LIBRARY "libmpich.so.12"
#define find_handle(handle, name, datum) *(handle) = (name)
#endif

static void find(void* function, const char* name) {
  void* const found = dlsym(library, name);
  if (found == NULL) fprintf(stderr, "%s\n", dlerror());
  memcpy(function, &found, sizeof found);
}

int main(int argc, char** argv) {
  int (*init)(int*, char***);
  int (*barrier)(MPI_Comm);
  int (*allreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  int (*initialized)(int*);
  int (*finalize)(void);
  MPI_Comm world;
  MPI_Datatype integer;
  MPI_Op sum;
  int one = 1;
  int all = 0;
  int flag = 0;
  library = dlopen(LIBRARY, RTLD_NOW | (argc > 1 ? RTLD_LOCAL : RTLD_GLOBAL));
  if (library == NULL) return 1;
  find(&init, "MPI_Init");
  find(&barrier, "MPI_Barrier");
  find(&allreduce, "PMPI_Allreduce");
  find(&initialized, "MPI_Initialized");
  find(&finalize, "MPI_Finalize");
  find_handle(&world, MPI_COMM_WORLD, ompi_mpi_comm_world);
  find_handle(&integer, MPI_INT, ompi_mpi_int);
  find_handle(&sum, MPI_SUM, ompi_mpi_op_sum);
  init(&argc, &argv);
  initialized(&flag);
  barrier(world);
  allreduce(&one, &all, 1, integer, sum, world);
  finalize();
  printf("%d %d %s\n", flag, all, dlsym(library, "MPI_No_such_call") == NULL && dlerror() != NULL ? "none" : "some");
  return 0;
}
