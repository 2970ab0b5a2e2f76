/* A toy MPI of one rank, with the standard binary interface: messages to itself, one at a time. */
#include "standard_mpi.h"

#include <string.h>

static struct {
  char bytes[64];
  size_t size;
  int tag;
} message;

static char* window;

static size_t size_of(MPI_Count count, MPI_Datatype type) {
  return (size_t)count * (type == MPI_INT ? sizeof(int) : 1);
}

static void describe(MPI_Status* status, int source, int tag, size_t size) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  status->MPI_internal[0] = (int)size;
}

/* Defines a call under both its names. */
#define DEFINE(name, ...)                                                                                              \
  int MPI_##name(__VA_ARGS__) __attribute__((alias("PMPI_" #name)));                                                   \
  int PMPI_##name(__VA_ARGS__)

DEFINE(Init_thread, int* argc, char*** argv, int required, int* provided) {
  *provided = required;
  return argc == NULL || argv == NULL;
}
DEFINE(Finalize, void) {
  return 0;
}
DEFINE(Isend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
       MPI_Request* request) {
  if (comm != MPI_COMM_WORLD || dest != 0) return 1;
  *request = (MPI_Request)message.bytes;
  message.size = size_of(count, datatype);
  message.tag = tag;
  memcpy(message.bytes, buf, message.size);
  return 0;
}
DEFINE(Irecv, void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  if (size_of(count, datatype) < message.size || source != MPI_ANY_SOURCE || tag != MPI_ANY_TAG ||
      comm != MPI_COMM_WORLD)
    return 1;
  memcpy(buf, message.bytes, message.size);
  *request = (MPI_Request)&message.size;
  return 0;
}
DEFINE(Recv, void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  describe(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
  return source != MPI_PROC_NULL || tag < 0 || buf == NULL || count < 0 || datatype == NULL || comm == NULL;
}
DEFINE(Waitall, int count, MPI_Request requests[], MPI_Status statuses[]) {
  for (int i = 0; i < count; ++i) {
    if (requests[i] == (MPI_Request)&message.size && statuses != MPI_STATUSES_IGNORE)
      describe(&statuses[i], 0, message.tag, message.size);
    requests[i] = MPI_REQUEST_NULL;
  }
  return 0;
}
DEFINE(Bcast, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return buffer == NULL || count < 0 || datatype == NULL || root != 0 || comm == MPI_COMM_NULL;
}
DEFINE(Allreduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  if (sendbuf != MPI_IN_PLACE) memcpy(recvbuf, sendbuf, size_of(count, datatype));
  return op == NULL || comm == NULL;
}
DEFINE(Comm_split, MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  *newcomm = color == MPI_UNDEFINED ? MPI_COMM_NULL : (MPI_Comm)&message;
  return comm == NULL || key < 0;
}
DEFINE(Comm_free, MPI_Comm* comm) {
  *comm = MPI_COMM_NULL;
  return 0;
}
DEFINE(Win_create, void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  window = base;
  *win = (MPI_Win)&window;
  return size < 0 || disp_unit != sizeof(int) || info != MPI_INFO_NULL || comm != MPI_COMM_WORLD;
}
DEFINE(Win_lock, int lock_type, int rank, int assertion, MPI_Win win) {
  return lock_type != MPI_LOCK_EXCLUSIVE || rank != 0 || assertion != MPI_MODE_NOCHECK || win == NULL;
}
DEFINE(Accumulate, const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
       MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  memcpy(window + (size_t)target_disp * sizeof(int), origin_addr, size_of(origin_count, origin_datatype));
  return target_rank != 0 || target_count != origin_count || target_datatype != MPI_INT || op != MPI_REPLACE ||
         win == NULL;
}
#ifdef SAYS_SO
int PMPI_Abi_get_version(int* major, int* minor) {
  *major = 1;
  *minor = 0;
  return 0;
}
#endif
int PMPI_Initialized(int* flag) {
  *flag = 1;
  return 0;
}
DEFINE(Comm_rank, MPI_Comm comm, int* rank) {
  *rank = 0;
  return comm == NULL;
}
int PMPI_Comm_size(MPI_Comm comm, int* size) {
  *size = 1;
  return comm == NULL;
}
int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  *group = (MPI_Group)comm;
  return 0;
}
int PMPI_Comm_get_parent(MPI_Comm* parent) {
  *parent = MPI_COMM_NULL;
  return 0;
}
int PMPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  *flag = 0;
  return comm == NULL;
}
int PMPI_Topo_test(MPI_Comm comm, int* status) {
  *status = MPI_UNDEFINED;
  return comm == NULL;
}
int PMPI_Query_thread(int* provided) {
  *provided = MPI_THREAD_SERIALIZED;
  return 0;
}
int PMPI_Group_size(MPI_Group group, int* size) {
  *size = 1;
  return group == NULL;
}
int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]) {
  memcpy(ranks2, ranks1, (size_t)n * sizeof(int));
  return group1 == NULL || group2 == NULL;
}
int PMPI_Type_size_x(MPI_Datatype type, MPI_Count* size) {
  *size = (MPI_Count)size_of(1, type);
  return 0;
}
int PMPI_Status_set_elements_x(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  status->MPI_internal[0] = (int)size_of(count, datatype);
  return 0;
}
int PMPI_Get_elements_x(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  *count = status->MPI_internal[0] / (MPI_Count)size_of(1, datatype);
  return 0;
}
int PMPI_Get_library_version(char* version, int* resultlen) {
  strcpy(version, "a toy");
  *resultlen = (int)strlen(version);
  return 0;
}
