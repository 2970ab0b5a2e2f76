#include "replay/distributed/mpi_bus.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace timeless::replay {

namespace {

constexpr std::size_t most_batches_on_their_way = 64;
// A process with nothing to do first only lets others run, then sleeps: there may be fewer processors than processes.
constexpr std::uint32_t idle_before_sleep = 200;
constexpr std::chrono::microseconds sleep{50};

} // namespace

MpiBus::MpiBus(MPI_Comm processes) {
  MPI_Comm_dup(processes, &communicator_);
  MPI_Comm_rank(communicator_, &process_);
  MPI_Comm_size(communicator_, &processes_);
}

MpiBus::~MpiBus() {
  if (communicator_ != MPI_COMM_NULL) MPI_Comm_free(&communicator_);
}

/// Synchronous sends: until it is received, a batch counts as on its way, and holds memory here rather than there.
void MpiBus::send(int to, Batch batch) {
  ++traffic_.batches;
  traffic_.bytes += batch.size();
  Sent& sent = sent_.emplace_back();
  sent.batch = std::move(batch);
  MPI_Issend(sent.batch.data(), static_cast<int>(sent.batch.size()), MPI_BYTE, to, 0, communicator_, &sent.request);
}

std::optional<Bus::Arrival> MpiBus::receive() {
  int arrived = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Improbe(MPI_ANY_SOURCE, 0, communicator_, &arrived, &message, &status);
  if (arrived == 0) return std::nullopt;
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  Arrival arrival{status.MPI_SOURCE, Batch(static_cast<std::size_t>(bytes), '\0')};
  MPI_Mrecv(arrival.batch.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  if (idle_ > 0)
    traffic_.waited += std::chrono::duration<double>(std::chrono::steady_clock::now() - idle_since_).count();
  idle_ = 0;
  return arrival;
}

void MpiBus::forget_arrived() {
  for (Sent& sent : sent_) {
    int done = 0;
    MPI_Test(&sent.request, &done, MPI_STATUS_IGNORE);
  }
  std::erase_if(sent_, [](const Sent& sent) { return sent.request == MPI_REQUEST_NULL; });
}

bool MpiBus::congested() {
  if (sent_.size() > most_batches_on_their_way / 2) forget_arrived();
  return sent_.size() > most_batches_on_their_way;
}

void MpiBus::idle() {
  if (idle_ == 0) idle_since_ = std::chrono::steady_clock::now();
  forget_arrived();
  if (++idle_ < idle_before_sleep)
    std::this_thread::yield();
  else
    std::this_thread::sleep_for(sleep);
}

/// Whose batches have all been received joins a barrier; when all have, nothing is on its way to anybody.
void MpiBus::finish() {
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool joined = false;
  for (int all = 0; all == 0;) {
    while (receive()) {
    }
    forget_arrived();
    if (!joined && sent_.empty()) {
      MPI_Ibarrier(communicator_, &barrier);
      joined = true;
    }
    if (joined) MPI_Test(&barrier, &all, MPI_STATUS_IGNORE);
    if (all == 0) idle();
  }
}

} // namespace timeless::replay
