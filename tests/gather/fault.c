/* Preloaded into a program under test: makes the n-th of its calls fail, or kills it there.
 *
 *   FAULT_CALLS  which calls count: any of the names below, separated by commas
 *   FAULT_FILE   of calls on a file: only where its path contains this
 *   FAULT_RANK   only in this process of an MPI job
 *   FAULT_AT     the ordinal of the call, from 1
 *   FAULT_DO     EIO or ENOSPC: the call fails so; KILL: the process gets SIGKILL before the call
 *   FAULT_COUNT  a file to which each process adds, when it ends, its MPI rank and how many calls counted
 */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_ulong counted;

static const char* mpi_rank(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  return rank == NULL ? "" : rank;
}

static int named(const char* call) {
  const char* names = getenv("FAULT_CALLS");
  const size_t length = strlen(call);
  for (const char* at = names; at != NULL; at = strchr(at, ',') == NULL ? NULL : strchr(at, ',') + 1)
    if (strncmp(at, call, length) == 0 && (at[length] == ',' || at[length] == '\0')) return 1;
  return 0;
}

/* The error that the call shall give, or 0. */
static int fault(const char* call, const char* path) {
  const char* file = getenv("FAULT_FILE");
  const char* rank = getenv("FAULT_RANK");
  const char* at = getenv("FAULT_AT");
  const char* action = getenv("FAULT_DO");
  if (!named(call) || (path != NULL && file != NULL && strstr(path, file) == NULL) ||
      (rank != NULL && strcmp(rank, mpi_rank()) != 0))
    return 0;
  const unsigned long number = ++counted;
  if (at == NULL || action == NULL || number != strtoul(at, NULL, 10)) return 0;
  if (strcmp(action, "KILL") == 0) raise(SIGKILL);
  return strcmp(action, "EIO") == 0 ? EIO : ENOSPC;
}

static int fault_on(const char* call, int file) {
  char link[64];
  char path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  if (readlink(link, path, sizeof path - 1) < 0) return 0;
  return fault(call, path);
}

__attribute__((destructor)) static void tell(void) {
  const char* path = getenv("FAULT_COUNT");
  char line[64];
  if (path == NULL) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
  const int length = snprintf(line, sizeof line, "%s %lu\n", mpi_rank(), atomic_load(&counted));
  if (file >= 0 && syscall(SYS_write, file, line, (size_t)length) < 0) perror("FAULT_COUNT");
  if (file >= 0) close(file);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAIL_IF(test)                                                                                                  \
  do {                                                                                                                 \
    const int error = test;                                                                                            \
    if (error != 0) {                                                                                                  \
      errno = error;                                                                                                   \
      return -1;                                                                                                       \
    }                                                                                                                  \
  } while (0)

ssize_t pread(int file, void* to, size_t count, off_t offset) {
  FAIL_IF(fault_on("pread", file));
  return NEXT(pread)(file, to, count, offset);
}
ssize_t pread64(int file, void* to, size_t count, off64_t offset) {
  FAIL_IF(fault_on("pread", file));
  return NEXT(pread64)(file, to, count, offset);
}
ssize_t pwrite(int file, const void* from, size_t count, off_t offset) {
  FAIL_IF(fault_on("pwrite", file));
  return NEXT(pwrite)(file, from, count, offset);
}
ssize_t pwrite64(int file, const void* from, size_t count, off64_t offset) {
  FAIL_IF(fault_on("pwrite", file));
  return NEXT(pwrite64)(file, from, count, offset);
}
ssize_t write(int file, const void* from, size_t count) {
  FAIL_IF(fault_on("write", file));
  return NEXT(write)(file, from, count);
}
int fallocate(int file, int mode, off_t offset, off_t count) {
  FAIL_IF(fault_on("fallocate", file));
  return NEXT(fallocate)(file, mode, offset, count);
}
int fallocate64(int file, int mode, off64_t offset, off64_t count) {
  FAIL_IF(fault_on("fallocate", file));
  return NEXT(fallocate64)(file, mode, offset, count);
}
int fsync(int file) {
  FAIL_IF(fault_on("fsync", file));
  return NEXT(fsync)(file);
}
int renameat2(int from, const char* old, int to, const char* new, unsigned flags) {
  FAIL_IF(fault("rename", old));
  return NEXT(renameat2)(from, old, to, new, flags);
}
int unlink(const char* path) {
  FAIL_IF(fault("unlink", path));
  return NEXT(unlink)(path);
}

/* Only deaths are played in MPI calls. */
#define DIE_BEFORE(name, parameters, arguments)                                                                        \
  int MPI_##name parameters {                                                                                          \
    fault("mpi", NULL);                                                                                                \
    return PMPI_##name arguments;                                                                                      \
  }

DIE_BEFORE(Send, (const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator),
           (from, count, type, to, tag, communicator))
DIE_BEFORE(Recv, (void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator, MPI_Status* status),
           (to, count, type, from, tag, communicator, status))
DIE_BEFORE(Isend,
           (const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
            MPI_Request* request),
           (from, count, type, to, tag, communicator, request))
DIE_BEFORE(Issend,
           (const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
            MPI_Request* request),
           (from, count, type, to, tag, communicator, request))
DIE_BEFORE(Irecv,
           (void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator, MPI_Request* request),
           (to, count, type, from, tag, communicator, request))
DIE_BEFORE(Allreduce,
           (const void* from, void* to, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator),
           (from, to, count, type, operation, communicator))
DIE_BEFORE(Reduce,
           (const void* from, void* to, int count, MPI_Datatype type, MPI_Op operation, int root,
            MPI_Comm communicator),
           (from, to, count, type, operation, root, communicator))
DIE_BEFORE(Bcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator),
           (buffer, count, type, root, communicator))
DIE_BEFORE(Allgather,
           (const void* from, int count, MPI_Datatype type, void* to, int others, MPI_Datatype other,
            MPI_Comm communicator),
           (from, count, type, to, others, other, communicator))
DIE_BEFORE(Allgatherv,
           (const void* from, int count, MPI_Datatype type, void* to, const int counts[], const int starts[],
            MPI_Datatype other, MPI_Comm communicator),
           (from, count, type, to, counts, starts, other, communicator))
DIE_BEFORE(Gather,
           (const void* from, int count, MPI_Datatype type, void* to, int others, MPI_Datatype other, int root,
            MPI_Comm communicator),
           (from, count, type, to, others, other, root, communicator))
DIE_BEFORE(Gatherv,
           (const void* from, int count, MPI_Datatype type, void* to, const int counts[], const int starts[],
            MPI_Datatype other, int root, MPI_Comm communicator),
           (from, count, type, to, counts, starts, other, root, communicator))
DIE_BEFORE(Scatter,
           (const void* from, int count, MPI_Datatype type, void* to, int others, MPI_Datatype other, int root,
            MPI_Comm communicator),
           (from, count, type, to, others, other, root, communicator))
DIE_BEFORE(Scatterv,
           (const void* from, const int counts[], const int starts[], MPI_Datatype type, void* to, int others,
            MPI_Datatype other, int root, MPI_Comm communicator),
           (from, counts, starts, type, to, others, other, root, communicator))
DIE_BEFORE(Comm_split, (MPI_Comm communicator, int color, int key, MPI_Comm* made), (communicator, color, key, made))
DIE_BEFORE(Comm_dup, (MPI_Comm communicator, MPI_Comm* made), (communicator, made))
DIE_BEFORE(Comm_free, (MPI_Comm * communicator), (communicator))
DIE_BEFORE(Finalize, (void), ())
