/* What programs do with MPI that most do not, one thing at a time:
 *
 *     unusual NAME       see the table at the end */
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <stdexcept>

/* A profiling layer of the program's own. */
static int counted;

int MPI_Ssend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  ++counted;
  return PMPI_Ssend(buffer, count, type, to, tag, comm);
}

namespace {

int rank, size;

void throw_error(MPI_Comm* /*comm*/, int* /*code*/, ...) {
  throw std::runtime_error("MPI has failed");
}

std::jmp_buf before_error;

void jump_back(MPI_Comm* /*comm*/, int* /*code*/, ...) {
  std::longjmp(before_error, 1);
}

void abort_job(MPI_Comm* comm, int* /*code*/, ...) {
  MPI_Abort(*comm, 42);
}

void handle_errors_by(MPI_Comm_errhandler_function* function) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(function, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Errhandler_free(&handler);
}

void send_to_nobody() {
  MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
}

/* Frees what it holds while an exception is on its way. */
class Duplicate {
public:
  Duplicate() { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
  ~Duplicate() { MPI_Comm_free(&comm_); }
  Duplicate(const Duplicate&) = delete;
  Duplicate& operator=(const Duplicate&) = delete;

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

int throws() {
  int caught = 0;
  handle_errors_by(throw_error);
  for (int i = 0; i < 3; ++i)
    try {
      const Duplicate duplicate;
      send_to_nobody();
    } catch (const std::runtime_error&) {
      ++caught;
    }
  MPI_Barrier(MPI_COMM_WORLD);
  std::printf("%d caught\n", caught);
  return 0;
}

int jumps() {
  static int tried, jumped; /* what a jump leaves as it is */
  handle_errors_by(jump_back);
  while (tried++ < 3) {
    if (setjmp(before_error) != 0)
      ++jumped;
    else
      send_to_nobody();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  std::printf("%d jumped\n", jumped);
  return 0;
}

int aborts_on_error() {
  handle_errors_by(abort_job);
  if (rank == 1) send_to_nobody();
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

/* What a call has returned, as a class: of some MPIs it says more. */
int class_of(int result) {
  int found = 0;
  MPI_Error_class(result, &found);
  return found;
}

/* Messages longer than their buffers are received as far as these go. */
int truncated() {
  char text[64] = "more than there is room for";
  char part[8];
  int result[5] = {};
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Message message;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) {
    for (int tag = 0; tag < 6; ++tag)
      MPI_Send(text, tag == 4 ? 8 : 64, MPI_CHAR, 1, tag, MPI_COMM_WORLD);
    return 0;
  }
  result[0] = MPI_Recv(part, 8, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(part, 8, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
  result[1] = MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Mprobe(0, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  result[2] = MPI_Mrecv(part, 8, MPI_CHAR, &message, MPI_STATUS_IGNORE);
  result[3] =
      MPI_Sendrecv(nullptr, 0, MPI_CHAR, MPI_PROC_NULL, 0, part, 8, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  /* One goes well, one does not. */
  MPI_Irecv(text, 64, MPI_CHAR, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(part, 8, MPI_CHAR, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[1]);
  result[4] = MPI_Waitall(2, requests, statuses);
  for (int i = 0; i < 2; ++i)
    if (requests[i] != MPI_REQUEST_NULL) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  for (const int one : result)
    std::printf("%s\n", class_of(one) == MPI_ERR_TRUNCATE    ? "truncated"
                        : class_of(one) == MPI_ERR_IN_STATUS ? "in status"
                                                             : "received");
  return 0;
}

/* Rank 0 has room for less than the others send it, or than it gets of the root's. */
int collectives_truncated() {
  int given[8] = {};
  int taken[64] = {};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int all = rank == 0 ? 1 : 8;
  const int gathered = MPI_Gather(given, 8, MPI_INT, taken, all, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  const int last = size - 1;
  const int cast = MPI_Bcast(taken, all, MPI_INT, last, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request request;
  MPI_Ibcast(taken, all, MPI_INT, last, MPI_COMM_WORLD, &request);
  const int later = MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    for (const int one : {gathered, cast, later})
      std::printf("%s\n", class_of(one) == MPI_ERR_TRUNCATE ? "truncated" : "whole");
  return 0;
}

/* Sends from the buffer again while its last message is still on its way: Open MPI changes the request's handle. */
int persistent_buffered() {
  enum { bytes = 1 << 20, times = 4 };
  static char message[bytes];
  static char buffer[times * (bytes + 1000)];
  int changed = 0;
  if (rank == 0) {
    MPI_Request both[2];
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Bsend_init(message, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Send_init(message, 4, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &both[1]);
    for (int i = 0; i < times; ++i) {
      MPI_Request old = both[0];
      if (i % 2 == 0)
        MPI_Startall(2, both);
      else
        MPI_Start(&both[0]);
      changed += old != both[0];
      MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
    void* detached;
    int size_detached;
    MPI_Buffer_detach(static_cast<void*>(&detached), &size_detached);
    std::printf("%s\n", changed > 0 ? "changed" : "the same");
    return 0;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < times; ++i)
    MPI_Recv(message, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < times / 2; ++i)
    MPI_Recv(message, 4, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return 0;
}

/* Closes descriptors that are not its own, those of traces if there are any, and gives their numbers to files of its
 * own. */
int closes_others() {
  std::FILE* const file = std::tmpfile();
  const int own = fileno(file);
  for (int number = 3; number < 70000; ++number) {
    char link[64];
    char target[4096] = {};
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", number);
    if (readlink(link, target, sizeof target - 1) > 0 && std::strstr(target, "/rank-") != nullptr) dup2(own, number);
  }
  for (int i = 0; i < 100; ++i)
    MPI_Barrier(MPI_COMM_WORLD);
  std::fputs("mine", file);
  std::fflush(file);
  struct stat status {};
  fstat(own, &status);
  std::printf("%ld bytes of its own\n", static_cast<long>(status.st_size));
  return 0;
}

/* Calls that MPI refuses. */
int refused() {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  int number = 12345;
  int flag = 0;
  int indices[2];
  MPI_Message message = MPI_MESSAGE_NO_PROC;
  MPI_Comm none = MPI_COMM_NULL;
  MPI_File file = MPI_FILE_NULL;
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  const int results[] = {MPI_Waitsome(-1, requests, &number, indices, statuses),
                         MPI_Testsome(-1, requests, &number, indices, statuses),
                         MPI_Waitany(-1, requests, &number, statuses),
                         MPI_Testany(-1, requests, &number, &flag, statuses),
                         MPI_Waitall(-1, requests, statuses),
                         MPI_Testall(-1, requests, &flag, statuses),
                         MPI_Waitall(2, nullptr, statuses),
                         MPI_Waitany(2, nullptr, &number, statuses),
                         MPI_Waitsome(2, nullptr, &number, indices, statuses),
                         MPI_Testall(2, nullptr, &flag, statuses),
                         MPI_Wait(nullptr, statuses),
                         MPI_Test(nullptr, &flag, statuses),
                         MPI_Waitany(2, requests, nullptr, statuses),
                         MPI_Waitsome(2, requests, nullptr, indices, statuses),
                         MPI_Start(&requests[0]),
                         MPI_Startall(2, nullptr),
                         MPI_Request_free(&requests[0]),
                         MPI_Send(&rank, 1, MPI_INT, size, 0, world),
                         MPI_Send(&rank, -1, MPI_INT, 0, 0, world),
                         MPI_Isend(&rank, 1, MPI_DATATYPE_NULL, 0, 0, world, &requests[0]),
                         MPI_Recv(&rank, 1, MPI_INT, size, 0, world, statuses),
                         MPI_Sendrecv(&rank, 1, MPI_INT, size, 0, &rank, 1, MPI_INT, 0, 0, world, statuses),
                         MPI_Probe(size, 0, world, statuses),
                         MPI_Bcast(&rank, 1, MPI_INT, size, world),
                         MPI_Allgatherv(&rank, 1, MPI_INT, &number, nullptr, nullptr, MPI_INT, world),
                         MPI_Alltoallw(&rank, nullptr, nullptr, nullptr, &number, nullptr, nullptr, nullptr, world),
                         MPI_Ibarrier(MPI_COMM_NULL, &requests[0]),
                         MPI_Comm_dup(world, nullptr),
                         MPI_Comm_split(world, 0, 0, nullptr),
                         MPI_Comm_free(&none),
                         MPI_Intercomm_merge(world, 0, &none),
                         MPI_File_close(&file),
                         MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file)};
  char failed[std::size(results) + 1] = {};
  for (std::size_t i = 0; i < std::size(results); ++i)
    failed[i] = results[i] != MPI_SUCCESS ? '1' : '0';
  std::printf("%s %d\n", failed, number);
  return MPI_Mrecv(&rank, 0, MPI_INT, &message, statuses);
}

/* A library may keep a communicator of its own with the program's: copied, used and freed with it, in callbacks. */
int copy_own(MPI_Comm /*comm*/, int /*key*/, void* /*state*/, void* in, void* out, int* copied) {
  auto* const own = static_cast<MPI_Comm*>(std::malloc(sizeof(MPI_Comm)));
  MPI_Comm_dup(*static_cast<MPI_Comm*>(in), own);
  std::memcpy(out, &own, sizeof own);
  *copied = 1;
  return MPI_SUCCESS;
}

int free_own(MPI_Comm /*comm*/, int /*key*/, void* value, void* /*state*/) {
  auto* const own = static_cast<MPI_Comm*>(value);
  MPI_Barrier(*own);
  MPI_Comm_free(own);
  std::free(own);
  return MPI_SUCCESS;
}

int callbacks() {
  MPI_Comm first, second;
  MPI_Comm* own;
  int key, sum, found;
  MPI_Comm_create_keyval(copy_own, free_own, &key, nullptr);
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  own = static_cast<MPI_Comm*>(std::malloc(sizeof(MPI_Comm)));
  MPI_Comm_dup(first, own);
  MPI_Comm_set_attr(first, key, own);
  MPI_Comm_dup(first, &second);
  MPI_Comm_get_attr(second, key, &own, &found);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, *own);
  MPI_Comm_free(&second);
  MPI_Comm_free(&first);
  MPI_Comm_free_keyval(&key);
  std::printf("%d\n", sum);
  return 0;
}

/* What a library does that keeps something until MPI ends: its callback is called first in MPI_Finalize. */
int use_own(MPI_Comm /*comm*/, int /*key*/, void* value, void* /*state*/) {
  auto* const own = static_cast<MPI_Comm*>(value);
  int taken = 0;
  MPI_Sendrecv(&rank, 1, MPI_INT, rank ^ 1, 3, &taken, 1, MPI_INT, rank ^ 1, 3, *own, MPI_STATUS_IGNORE);
  if (taken != (rank ^ 1)) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 0) std::printf("took %d\n", taken);
  return free_own(MPI_COMM_SELF, 0, value, nullptr);
}

int end_process(MPI_Comm /*comm*/, int /*key*/, void* /*value*/, void* /*state*/) {
  std::fflush(stdout);
  std::raise(SIGTERM);
  return MPI_SUCCESS;
}

void call_at_finalize(MPI_Comm comm, MPI_Comm_delete_attr_function* function, void* value) {
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, function, &key, nullptr);
  MPI_Comm_set_attr(comm, key, value);
  MPI_Comm_free_keyval(&key);
}

int used_at_finalize() {
  auto* const own = static_cast<MPI_Comm*>(std::malloc(sizeof(MPI_Comm)));
  MPI_Comm_dup(MPI_COMM_WORLD, own);
  call_at_finalize(MPI_COMM_SELF, use_own, own);
  auto* const second = static_cast<MPI_Comm*>(std::malloc(sizeof(MPI_Comm)));
  MPI_Comm_dup(MPI_COMM_WORLD, second);
  call_at_finalize(MPI_COMM_SELF, free_own, second);
  return 0;
}

int ends_in_callback_of_finalize() {
  auto* const own = static_cast<MPI_Comm*>(std::malloc(sizeof(MPI_Comm)));
  MPI_Comm_dup(MPI_COMM_WORLD, own);
  call_at_finalize(MPI_COMM_SELF, end_process, nullptr);
  call_at_finalize(MPI_COMM_SELF, free_own, own);
  return 0;
}

/* The attributes of other communicators go when MPI itself does. */
int ends_late_in_finalize() {
  call_at_finalize(MPI_COMM_WORLD, end_process, nullptr);
  MPI_Barrier(MPI_COMM_SELF);
  return 0;
}

/* A receive that is taken back and then forgotten, which MPI allows. */
int cancels_and_frees() {
  int taken = 0;
  MPI_Request request;
  MPI_Irecv(&taken, 1, MPI_INT, rank ^ 1, 79, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Request_free(&request);
  MPI_Recv_init(&taken, 1, MPI_INT, MPI_ANY_SOURCE, 80, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Cancel(&request);
  MPI_Request_free(&request);
  MPI_Barrier(MPI_COMM_WORLD);
  std::printf("%d\n", request == MPI_REQUEST_NULL);
  return 0;
}

/* Receives that are forgotten before anything has come. */
int frees_receives() {
  int taken[2] = {};
  MPI_Request requests[2];
  MPI_Irecv(&taken[0], 1, MPI_INT, MPI_ANY_SOURCE, 81, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&taken[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
  MPI_Start(&requests[1]);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  for (int i = 0; i < 400; ++i)
    MPI_Barrier(MPI_COMM_SELF);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Ssend(&rank, 1, MPI_INT, rank ^ 1, 81, MPI_COMM_WORLD);
  MPI_Ssend(&rank, 1, MPI_INT, rank ^ 1, 82, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  std::printf("%d %d\n", requests[0] == MPI_REQUEST_NULL, requests[1] == MPI_REQUEST_NULL);
  return 0;
}

/* Open MPI's extension of 4.1, which mpi.h does not have. */
int persistent_collective() {
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
  int value = rank;
  MPI_Request request;
  MPIX_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  std::printf("%d\n", value);
#else
  std::printf("none\n");
#endif
  return 0;
}

/* Communicators that come and go; says whether the process has become larger. */
int short_lived_communicators() {
  enum { warm_up = 1000, many = 4000 };
  std::size_t before = 0;
  for (int i = 0; i < many; ++i) {
    MPI_Comm duplicate;
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    MPI_Comm_free(&duplicate);
    if (i == warm_up) before = mallinfo2().uordblks;
  }
  const std::size_t after = mallinfo2().uordblks;
  std::printf("%s\n", after < before + 100000 ? "as large as before" : "larger");
  return 0;
}

int own_layer() {
  for (int i = 0; i < 3; ++i) {
    if (rank == 0) MPI_Ssend(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    if (rank == 1) PMPI_Recv(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d\n", counted);
  return 0;
}

/* The program's last word is that nothing more is to be recorded. */
int switched_off_at_the_end() {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(0);
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    int (*run)();
  } all[] = {{"throws", throws},
             {"jumps", jumps},
             {"aborts_on_error", aborts_on_error},
             {"truncated", truncated},
             {"collectives_truncated", collectives_truncated},
             {"persistent_buffered", persistent_buffered},
             {"closes_others", closes_others},
             {"refused", refused},
             {"callbacks", callbacks},
             {"used_at_finalize", used_at_finalize},
             {"ends_in_callback_of_finalize", ends_in_callback_of_finalize},
             {"ends_late_in_finalize", ends_late_in_finalize},
             {"cancels_and_frees", cancels_and_frees},
             {"frees_receives", frees_receives},
             {"persistent_collective", persistent_collective},
             {"short_lived_communicators", short_lived_communicators},
             {"own_layer", own_layer},
             {"switched_off_at_the_end", switched_off_at_the_end}};
  const char* const name = argc == 2 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int result = 2;
  for (const auto& one : all)
    if (std::strcmp(one.name, name) == 0) result = one.run();
  MPI_Finalize();
  return result;
}
