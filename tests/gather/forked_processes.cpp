#include "tests/gather/forked_processes.h"

#include "tests/gather/socket_mail.h"

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
int take_step(bool of_file) {
  if (own_number < 0) return 0;
  Shared::Process& self = shared->processes[static_cast<std::size_t>(own_number)];
  if (++self.steps != planned_fault.step || own_number != planned_fault.process) return 0;
  if (planned_fault.fault == Fault::none || (planned_fault.fault != Fault::killed && !of_file)) return 0;
  self.fault_came = true;
  if (planned_fault.fault == Fault::killed) ::raise(SIGKILL);
  return planned_fault.fault == Fault::disk_full ? ENOSPC : EIO;
}

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
  mail = std::make_unique<Mail>(number, std::move(sockets));
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

int error_of_this_step() {
  return take_step(true);
}

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
  take_step(false);
  auto* const copy = new Communicator(of(communicator));
  copy->context = copy->context * 64 + ++of(communicator).made;
  copy->made = 0;
  *made = reinterpret_cast<MPI_Comm>(copy);
  return MPI_SUCCESS;
}
int MPI_Comm_split(MPI_Comm communicator, int color, int key, MPI_Comm* made) {
  take_step(false);
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
  take_step(false);
  delete &of(*communicator);
  *communicator = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

int MPI_Send(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator) {
  take_step(false);
  mail->send(of(communicator), to, tag, from, bytes_of(count, type));
  mail->progress();
  return MPI_SUCCESS;
}
int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
              MPI_Request* request) {
  take_step(false);
  mail->send(of(communicator), to, tag, from, bytes_of(count, type));
  auto done = std::make_shared<Request>();
  done->done = true;
  *request = handle(std::move(done));
  return MPI_SUCCESS;
}
int MPI_Issend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
               MPI_Request* request) {
  take_step(false);
  auto sent = std::make_shared<Request>();
  mail->send(of(communicator), to, tag, from, bytes_of(count, type), sent);
  *request = handle(std::move(sent));
  return MPI_SUCCESS;
}
int MPI_Irecv(void* to, int, MPI_Datatype, int from, int tag, MPI_Comm communicator, MPI_Request* request) {
  take_step(false);
  *request = handle(mail->receive(of(communicator), from, tag, to));
  return MPI_SUCCESS;
}
int MPI_Recv(void* to, int, MPI_Datatype, int from, int tag, MPI_Comm communicator, MPI_Status*) {
  take_step(false);
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
  take_step(false);
  store(buffer, broadcast(of(communicator), root, text_of(buffer, bytes_of(count, type))));
  return MPI_SUCCESS;
}
int MPI_Gatherv(const void* from, int count, MPI_Datatype type, void* to, const int*, const int*, MPI_Datatype,
                int root, MPI_Comm communicator) {
  take_step(false);
  store(to, joined(collect(of(communicator), root, text_of(from, bytes_of(count, type)))));
  return MPI_SUCCESS;
}
int MPI_Gather(const void* from, int count, MPI_Datatype type, void* to, int, MPI_Datatype other, int root,
               MPI_Comm communicator) {
  return MPI_Gatherv(from, count, type, to, nullptr, nullptr, other, root, communicator);
}
int MPI_Allgatherv(const void* from, int count, MPI_Datatype type, void* to, const int*, const int*, MPI_Datatype,
                   MPI_Comm communicator) {
  take_step(false);
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
  take_step(false);
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
  take_step(false);
  const Communicator& all = of(communicator);
  const auto given = values<int>(collect(all, 0, text_of(from, sizeof(int))));
  const int least = given.empty() ? 0 : *std::ranges::min_element(given);
  store(to, broadcast(all, 0, text_of(&least, sizeof least)));
  return MPI_SUCCESS;
}
int MPI_Reduce(const void* from, void* to, int, MPI_Datatype, MPI_Op, int root, MPI_Comm communicator) {
  take_step(false);
  const auto given = values<std::uint64_t>(collect(of(communicator), root, text_of(from, sizeof(std::uint64_t))));
  if (given.empty()) return MPI_SUCCESS;
  const std::uint64_t sum = std::accumulate(given.begin(), given.end(), std::uint64_t{0});
  std::memcpy(to, &sum, sizeof sum);
  return MPI_SUCCESS;
}

} // extern "C"
