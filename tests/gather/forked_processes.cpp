#include "tests/gather/forked_processes.h"

#include "base/error.h"

#include <mpi.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>

namespace timeless::test {
namespace {

constexpr int most_processes = 16;
constexpr std::size_t most_message = 500;

/// What the processes and the one that started them both see.
struct Shared {
  struct Process {
    std::atomic<std::uint64_t> steps = 0;
    std::atomic<bool> fault_came = false;
    char message[most_message + 1] = "";
  };
  std::array<Process, most_processes> processes;
};

Shared* shared = nullptr; ///< while there are processes
PlannedFault planned_fault;
int own_number = -1; ///< of this process; -1 in the one that started them

/// A step that is a call on files gets the error it shall fail with, or 0.
int step(bool of_file) {
  if (own_number < 0) return 0;
  Shared::Process& self = shared->processes[static_cast<std::size_t>(own_number)];
  if (++self.steps != planned_fault.step || own_number != planned_fault.process) return 0;
  if (planned_fault.fault == Fault::none || (planned_fault.fault != Fault::killed && !of_file)) return 0;
  self.fault_came = true;
  if (planned_fault.fault == Fault::killed) ::raise(SIGKILL);
  return planned_fault.fault == Fault::disk_full ? ENOSPC : EIO;
}

/// What goes before a message's bytes.
struct Head {
  std::uint64_t context = 0;
  std::uint64_t number = 0; ///< of the sender's messages; an answer has the one it answers
  std::uint64_t bytes = 0;
  int tag = 0;
  enum class Kind : int { message, wants_answer, answer } kind = Kind::message;
};

struct Message {
  Head head;
  int from = 0;
  std::string bytes;
};

struct Request {
  bool done = false;
  MPI_Status status = {};
  // Of a receive:
  std::uint64_t context = 0;
  int from = 0;
  int tag = 0;
  char* buffer = nullptr;
};

struct Communicator {
  std::uint64_t context = 1;
  std::vector<int> members = {}; ///< by their rank, as numbers of processes
  int rank = 0;
  std::uint64_t made = 0;
};

/// The messages of one process. A send is done when its bytes wait for the socket, a synchronous one when it is
/// matched.
class Mail {
public:
  Mail(std::vector<int> sockets) : links_(sockets.size()) {
    for (std::size_t i = 0; i < sockets.size(); ++i)
      links_[i].socket = sockets[i];
  }

  void send(const Communicator& communicator, int to, int tag, const void* from, std::size_t bytes,
            std::shared_ptr<Request> synchronous = nullptr) {
    Head head{.context = communicator.context,
              .number = ++sent_,
              .bytes = bytes,
              .tag = tag,
              .kind = synchronous ? Head::Kind::wants_answer : Head::Kind::message};
    if (synchronous) unanswered_[sent_] = std::move(synchronous);
    post(communicator.members[static_cast<std::size_t>(to)], head, from);
  }

  std::shared_ptr<Request> receive(const Communicator& communicator, int from, int tag, void* to) {
    auto request = std::make_shared<Request>();
    request->context = communicator.context;
    request->from = communicator.members[static_cast<std::size_t>(from)];
    request->tag = tag;
    request->buffer = static_cast<char*>(to);
    const auto message = std::ranges::find_if(unmatched_, [&](const Message& each) { return fits(*request, each); });
    if (message == unmatched_.end()) {
      asked_.push_back(request);
    } else {
      match(*request, *message);
      unmatched_.erase(message);
    }
    return request;
  }

  void wait(const Request& request) {
    while (!request.done)
      if (!progress()) pause();
  }

  /// Of a message between processes here, however long it is.
  void send_text(const Communicator& communicator, int to, const std::string& text) {
    const std::uint64_t size = text.size();
    send(communicator, to, inner_tag, &size, sizeof size);
    send(communicator, to, inner_tag, text.data(), text.size());
  }
  std::string receive_text(const Communicator& communicator, int from) {
    std::uint64_t size = 0;
    wait(*receive(communicator, from, inner_tag, &size));
    std::string text(size, '\0');
    wait(*receive(communicator, from, inner_tag, text.data()));
    return text;
  }

  /// True when anything has moved.
  bool progress() {
    bool moved = false;
    for (std::size_t other = 0; other < links_.size(); ++other)
      if (links_[other].socket >= 0) moved = write_to(links_[other]) || moved;
    for (std::size_t other = 0; other < links_.size(); ++other)
      if (links_[other].socket >= 0) moved = read_from(static_cast<int>(other)) || moved;
    return moved;
  }

  void flush() {
    while (std::ranges::any_of(links_, [](const Link& link) { return link.socket >= 0 && !link.out.empty(); }))
      if (!progress()) pause();
  }

private:
  static constexpr int inner_tag = 1 << 20;

  struct Link {
    int socket = -1;
    std::string out;
    std::string in;
  };

  static bool fits(const Request& request, const Message& message) {
    return request.context == message.head.context && request.from == message.from &&
           (request.tag == message.head.tag || request.tag == MPI_ANY_TAG);
  }

  void post(int to, const Head& head, const void* from) {
    if (to == own_number)
      return take({.head = head, .from = to, .bytes = {static_cast<const char*>(from), head.bytes}});
    std::string& out = links_[static_cast<std::size_t>(to)].out;
    out.append(reinterpret_cast<const char*>(&head), sizeof head);
    if (head.bytes > 0) out.append(static_cast<const char*>(from), head.bytes);
  }

  void match(Request& request, const Message& message) {
    if (!message.bytes.empty()) std::memcpy(request.buffer, message.bytes.data(), message.bytes.size());
    request.status.MPI_SOURCE = message.from;
    request.status.MPI_TAG = message.head.tag;
    request.status._ucount = message.bytes.size();
    request.done = true;
    if (message.head.kind == Head::Kind::wants_answer)
      post(message.from, {.number = message.head.number, .kind = Head::Kind::answer}, nullptr);
  }

  void take(Message message) {
    if (message.head.kind == Head::Kind::answer) {
      unanswered_.at(message.head.number)->done = true;
      unanswered_.erase(message.head.number);
      return;
    }
    const auto request = std::ranges::find_if(asked_, [&](const auto& each) { return fits(*each, message); });
    if (request == asked_.end()) {
      unmatched_.push_back(std::move(message));
      return;
    }
    match(**request, message);
    asked_.erase(request);
  }

  bool write_to(Link& link) {
    if (link.out.empty()) return false;
    const ssize_t written = ::send(link.socket, link.out.data(), link.out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (written < 0 && errno == EPIPE) link.out.clear();
    if (written <= 0) return false;
    link.out.erase(0, static_cast<std::size_t>(written));
    return true;
  }

  bool read_from(int other) {
    Link& link = links_[static_cast<std::size_t>(other)];
    char buffer[1 << 16];
    const ssize_t count = ::recv(link.socket, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count <= 0) return false;
    link.in.append(buffer, static_cast<std::size_t>(count));
    Head head;
    while (link.in.size() >= sizeof head) {
      std::memcpy(&head, link.in.data(), sizeof head);
      if (link.in.size() < sizeof head + head.bytes) break;
      take({.head = head, .from = other, .bytes = link.in.substr(sizeof head, head.bytes)});
      link.in.erase(0, sizeof head + head.bytes);
    }
    return true;
  }

  void pause() const {
    std::vector<pollfd> polled;
    for (const Link& link : links_)
      if (link.socket >= 0)
        polled.push_back({link.socket, static_cast<short>(link.out.empty() ? POLLIN : POLLIN | POLLOUT), 0});
    ::poll(polled.data(), polled.size(), 10);
  }

  std::vector<Link> links_; ///< to each process
  std::uint64_t sent_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Request>> unanswered_;
  std::list<std::shared_ptr<Request>> asked_;
  std::list<Message> unmatched_;
};

std::unique_ptr<Mail> mail;
Communicator world;

Communicator& of(MPI_Comm communicator) {
  return communicator == MPI_COMM_WORLD ? world : *reinterpret_cast<Communicator*>(communicator);
}

std::shared_ptr<Request>& of(MPI_Request request) {
  return *reinterpret_cast<std::shared_ptr<Request>*>(request);
}

MPI_Request handle(std::shared_ptr<Request> request) {
  return reinterpret_cast<MPI_Request>(new std::shared_ptr<Request>(std::move(request)));
}

void release(MPI_Request& request) {
  delete &of(request);
  request = MPI_REQUEST_NULL;
}

std::size_t bytes_of(int count, MPI_Datatype type) {
  const std::size_t each = type == MPI_CHAR || type == MPI_BYTE      ? 1
                           : type == MPI_INT || type == MPI_UNSIGNED ? sizeof(int)
                                                                     : sizeof(std::uint64_t);
  return static_cast<std::size_t>(count) * each;
}

std::string text_of(const void* from, std::size_t bytes) {
  return bytes == 0 ? std::string() : std::string(static_cast<const char*>(from), bytes);
}

void store(void* to, const std::string& text) {
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
}

std::vector<std::string> collect(const Communicator& communicator, int root, const std::string& text) {
  std::vector<std::string> all;
  if (communicator.rank != root) {
    mail->send_text(communicator, root, text);
    return all;
  }
  for (int from = 0; from < static_cast<int>(communicator.members.size()); ++from)
    all.push_back(from == root ? text : mail->receive_text(communicator, from));
  return all;
}

/// To each member its text, by rank.
std::string distribute(const Communicator& communicator, int root, const std::vector<std::string>& texts) {
  if (communicator.rank != root) return mail->receive_text(communicator, root);
  for (std::size_t to = 0; to < texts.size(); ++to)
    if (static_cast<int>(to) != root) mail->send_text(communicator, static_cast<int>(to), texts[to]);
  return texts[static_cast<std::size_t>(root)];
}

std::string broadcast(const Communicator& communicator, int root, const std::string& text) {
  return distribute(communicator, root, std::vector<std::string>(communicator.members.size(), text));
}

std::string joined(const std::vector<std::string>& texts) {
  return std::accumulate(texts.begin(), texts.end(), std::string());
}

template <typename Value>
std::vector<Value> values(const std::vector<std::string>& texts) {
  std::vector<Value> all(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::memcpy(&all[i], texts[i].data(), sizeof(Value));
  return all;
}

/// In a process: never returns.
[[noreturn]] void be_process(int number, std::vector<int> sockets, const std::function<void(int)>& work) {
  world = {.members = std::vector<int>(sockets.size()), .rank = number};
  std::iota(world.members.begin(), world.members.end(), 0);
  own_number = number;
  mail = std::make_unique<Mail>(std::move(sockets));
  ::alarm(60);
  int status = 0;
  try {
    work(number);
  } catch (const Error& error) {
    status = static_cast<int>(error.failure());
    std::strncpy(shared->processes[static_cast<std::size_t>(number)].message, error.what(), most_message);
  }
  mail->flush();
  ::_exit(status);
}

} // namespace

std::vector<ProcessEnd> run_processes(int processes, const PlannedFault& planned,
                                      const std::function<void(int)>& work) {
  void* const memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || processes > most_processes) throw std::runtime_error("cannot start processes");
  shared = new (memory) Shared;
  planned_fault = planned;
  const auto count = static_cast<std::size_t>(processes);
  std::vector<std::vector<int>> sockets(count, std::vector<int>(count, -1));
  for (std::size_t one = 0; one < count; ++one)
    for (std::size_t other = one + 1; other < count; ++other) {
      int pair[2];
      if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) throw std::runtime_error("cannot make sockets");
      sockets[one][other] = pair[0];
      sockets[other][one] = pair[1];
    }
  std::vector<pid_t> numbers;
  for (int process = 0; process < processes; ++process) {
    const pid_t forked = ::fork();
    if (forked == 0) {
      for (std::size_t other = 0; other < count; ++other)
        if (static_cast<int>(other) != process) std::ranges::for_each(sockets[other], ::close);
      be_process(process, sockets[static_cast<std::size_t>(process)], work);
    }
    numbers.push_back(forked);
  }
  for (const auto& each : sockets)
    std::ranges::for_each(each, ::close);
  std::vector<ProcessEnd> ends(count);
  for (std::size_t left = count; left > 0; --left) {
    int status = 0;
    const pid_t ended = ::wait(&status);
    const auto which = static_cast<std::size_t>(std::ranges::find(numbers, ended) - numbers.begin());
    ProcessEnd& end = ends.at(which);
    if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
    if (WIFEXITED(status)) end.status = WEXITSTATUS(status);
    numbers[which] = 0;
    if (end.signal == 0) continue;
    for (const pid_t other : numbers)
      if (other > 0) ::kill(other, SIGKILL);
  }
  for (std::size_t i = 0; i < count; ++i) {
    ends[i].steps = shared->processes[i].steps;
    ends[i].fault_came = shared->processes[i].fault_came;
    ends[i].message = shared->processes[i].message;
  }
  ::munmap(memory, sizeof(Shared));
  return ends;
}

} // namespace timeless::test

// What the program calls instead of the MPI library.
using namespace timeless::test;

extern "C" {

int MPI_Comm_rank(MPI_Comm communicator, int* rank) {
  *rank = of(communicator).rank;
  return MPI_SUCCESS;
}
int MPI_Comm_size(MPI_Comm communicator, int* size) {
  *size = static_cast<int>(of(communicator).members.size());
  return MPI_SUCCESS;
}
int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
  *count = static_cast<int>(status->_ucount / bytes_of(1, type));
  return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm communicator, MPI_Comm* made) {
  step(false);
  auto* const copy = new Communicator(of(communicator));
  copy->context = copy->context * 64 + ++of(communicator).made;
  copy->made = 0;
  *made = reinterpret_cast<MPI_Comm>(copy);
  return MPI_SUCCESS;
}
int MPI_Comm_split(MPI_Comm communicator, int color, int key, MPI_Comm* made) {
  step(false);
  Communicator& all = of(communicator);
  const std::string mine = text_of(&color, sizeof color) + text_of(&key, sizeof key);
  const std::string everybody = broadcast(all, 0, joined(collect(all, 0, mine)));
  Communicator part{.context = all.context * 64 + ++all.made};
  std::vector<std::pair<int, int>> chosen; ///< key and rank
  for (std::size_t rank = 0; rank < all.members.size(); ++rank) {
    int others[2];
    std::memcpy(others, everybody.data() + rank * sizeof others, sizeof others);
    if (others[0] == color) chosen.emplace_back(others[1], static_cast<int>(rank));
  }
  std::ranges::sort(chosen);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i].second == all.rank) part.rank = static_cast<int>(i);
    part.members.push_back(all.members[static_cast<std::size_t>(chosen[i].second)]);
  }
  *made = color == MPI_UNDEFINED ? MPI_COMM_NULL : reinterpret_cast<MPI_Comm>(new Communicator(std::move(part)));
  return MPI_SUCCESS;
}
int MPI_Comm_split_type(MPI_Comm communicator, int, int key, MPI_Info, MPI_Comm* made) {
  return MPI_Comm_split(communicator, 0, key, made);
}
int MPI_Comm_free(MPI_Comm* communicator) {
  step(false);
  delete &of(*communicator);
  *communicator = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

int MPI_Send(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator) {
  step(false);
  mail->send(of(communicator), to, tag, from, bytes_of(count, type));
  mail->progress();
  return MPI_SUCCESS;
}
int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
              MPI_Request* request) {
  step(false);
  mail->send(of(communicator), to, tag, from, bytes_of(count, type));
  auto done = std::make_shared<Request>();
  done->done = true;
  *request = handle(std::move(done));
  return MPI_SUCCESS;
}
int MPI_Issend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
               MPI_Request* request) {
  step(false);
  auto sent = std::make_shared<Request>();
  mail->send(of(communicator), to, tag, from, bytes_of(count, type), sent);
  *request = handle(std::move(sent));
  return MPI_SUCCESS;
}
int MPI_Irecv(void* to, int, MPI_Datatype, int from, int tag, MPI_Comm communicator, MPI_Request* request) {
  step(false);
  *request = handle(mail->receive(of(communicator), from, tag, to));
  return MPI_SUCCESS;
}
int MPI_Recv(void* to, int, MPI_Datatype, int from, int tag, MPI_Comm communicator, MPI_Status*) {
  step(false);
  mail->wait(*mail->receive(of(communicator), from, tag, to));
  return MPI_SUCCESS;
}
int MPI_Testsome(int count, MPI_Request requests[], int* completed, int indices[], MPI_Status statuses[]) {
  mail->progress();
  *completed = count == 0 ? MPI_UNDEFINED : 0;
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL || !of(requests[i])->done) continue;
    indices[*completed] = i;
    statuses[*completed] = of(requests[i])->status;
    ++*completed;
    release(requests[i]);
  }
  return MPI_SUCCESS;
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator) {
  step(false);
  store(buffer, broadcast(of(communicator), root, text_of(buffer, bytes_of(count, type))));
  return MPI_SUCCESS;
}
int MPI_Gatherv(const void* from, int count, MPI_Datatype type, void* to, const int*, const int*, MPI_Datatype,
                int root, MPI_Comm communicator) {
  step(false);
  store(to, joined(collect(of(communicator), root, text_of(from, bytes_of(count, type)))));
  return MPI_SUCCESS;
}
int MPI_Gather(const void* from, int count, MPI_Datatype type, void* to, int, MPI_Datatype other, int root,
               MPI_Comm communicator) {
  return MPI_Gatherv(from, count, type, to, nullptr, nullptr, other, root, communicator);
}
int MPI_Allgatherv(const void* from, int count, MPI_Datatype type, void* to, const int*, const int*, MPI_Datatype,
                   MPI_Comm communicator) {
  step(false);
  const Communicator& all = of(communicator);
  store(to, broadcast(all, 0, joined(collect(all, 0, text_of(from, bytes_of(count, type))))));
  return MPI_SUCCESS;
}
int MPI_Allgather(const void* from, int count, MPI_Datatype type, void* to, int, MPI_Datatype other,
                  MPI_Comm communicator) {
  return MPI_Allgatherv(from, count, type, to, nullptr, nullptr, other, communicator);
}
int MPI_Scatterv(const void* from, const int counts[], const int starts[], MPI_Datatype type, void* to, int,
                 MPI_Datatype, int root, MPI_Comm communicator) {
  step(false);
  const Communicator& all = of(communicator);
  std::vector<std::string> texts;
  for (std::size_t i = 0; all.rank == root && i < all.members.size(); ++i)
    texts.push_back(text_of(static_cast<const char*>(from) + bytes_of(starts[i], type), bytes_of(counts[i], type)));
  store(to, distribute(all, root, texts));
  return MPI_SUCCESS;
}
int MPI_Scatter(const void* from, int count, MPI_Datatype type, void* to, int others, MPI_Datatype other, int root,
                MPI_Comm communicator) {
  const std::size_t members = of(communicator).members.size();
  std::vector<int> counts(members, count);
  std::vector<int> starts(members);
  for (std::size_t i = 0; i < members; ++i)
    starts[i] = static_cast<int>(i) * count;
  return MPI_Scatterv(from, counts.data(), starts.data(), type, to, others, other, root, communicator);
}
/// The least of ints, and the sum of 64 bits: what is asked for here.
int MPI_Allreduce(const void* from, void* to, int, MPI_Datatype, MPI_Op, MPI_Comm communicator) {
  step(false);
  const Communicator& all = of(communicator);
  const auto given = values<int>(collect(all, 0, text_of(from, sizeof(int))));
  const int least = given.empty() ? 0 : *std::ranges::min_element(given);
  store(to, broadcast(all, 0, text_of(&least, sizeof least)));
  return MPI_SUCCESS;
}
int MPI_Reduce(const void* from, void* to, int, MPI_Datatype, MPI_Op, int root, MPI_Comm communicator) {
  step(false);
  const auto given = values<std::uint64_t>(collect(of(communicator), root, text_of(from, sizeof(std::uint64_t))));
  if (given.empty()) return MPI_SUCCESS;
  const std::uint64_t sum = std::accumulate(given.begin(), given.end(), std::uint64_t{0});
  std::memcpy(to, &sum, sizeof sum);
  return MPI_SUCCESS;
}

// And of the C library's calls on files.

#define NEXT(name) reinterpret_cast<decltype(&name)>(::dlsym(RTLD_NEXT, #name))
#define FAIL_AT_THIS_STEP                                                                                              \
  if (const int error = step(true); error != 0) {                                                                      \
    errno = error;                                                                                                     \
    return -1;                                                                                                         \
  }

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  FAIL_AT_THIS_STEP
  return NEXT(open)(path, flags, mode);
}
ssize_t pread(int file, void* to, size_t count, off_t offset) {
  FAIL_AT_THIS_STEP
  return NEXT(pread)(file, to, count, offset);
}
ssize_t pwrite(int file, const void* from, size_t count, off_t offset) {
  FAIL_AT_THIS_STEP
  return NEXT(pwrite)(file, from, count, offset);
}
ssize_t write(int file, const void* from, size_t count) {
  FAIL_AT_THIS_STEP
  return NEXT(write)(file, from, count);
}
int ftruncate(int file, off_t length) noexcept {
  FAIL_AT_THIS_STEP
  return NEXT(ftruncate)(file, length);
}
int fallocate(int file, int mode, off_t offset, off_t count) {
  FAIL_AT_THIS_STEP
  return NEXT(fallocate)(file, mode, offset, count);
}
int fsync(int file) {
  FAIL_AT_THIS_STEP
  return NEXT(fsync)(file);
}
int renameat2(int from, const char* old, int to, const char* name, unsigned flags) noexcept {
  FAIL_AT_THIS_STEP
  return NEXT(renameat2)(from, old, to, name, flags);
}
int unlink(const char* path) noexcept {
  FAIL_AT_THIS_STEP
  return NEXT(unlink)(path);
}
int rmdir(const char* path) noexcept {
  FAIL_AT_THIS_STEP
  return NEXT(rmdir)(path);
}

} // extern "C"
