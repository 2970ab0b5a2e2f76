#include "ping/laboratory.h"

#include <algorithm>
#include <cstring>

// What one rank does alone, and what many do at once.
namespace timeless::ping {

void Laboratory::copy(const Order& order) {
  begin();
  std::memcpy(in_.data(), out_.data(), order.bytes);
  end();
}

void Laboratory::reduction(const Order& order) {
  const int numbers = static_cast<int>(order.bytes / sizeof(double));
  begin();
  MPI_Reduce_local(out_.data(), in_.data(), numbers, MPI_DOUBLE, MPI_SUM);
  end();
}

namespace {

/// The ranks of a node, rising.
std::vector<int> ranks_of(const std::vector<int>& nodes, int node) {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    if (nodes[rank] == node) ranks.push_back(static_cast<int>(rank));
  return ranks;
}

} // namespace

/// The i-th rank of the first order's node with the i-th of the second's, all from the same barrier on.
void Laboratory::pairs(const Order& order) {
  const auto near = ranks_of(nodes_, nodes_[static_cast<std::size_t>(order.first)]);
  const auto far = ranks_of(nodes_, nodes_[static_cast<std::size_t>(order.second)]);
  MPI_Barrier(control_);
  for (std::size_t pair = 0; pair < std::min(near.size(), far.size()); ++pair) {
    Order one = order;
    one.first = near[pair];
    one.second = far[pair];
    if (rank_ == one.first || rank_ == one.second) round_trip(one, rank_ == one.first);
  }
}

void Laboratory::incast(const Order& order) {
  const auto senders = ranks_of(nodes_, nodes_[static_cast<std::size_t>(order.second)]);
  const int bytes = static_cast<int>(order.bytes);
  MPI_Barrier(control_);
  if (rank_ == order.first) {
    begin();
    for (const int sender : senders)
      MPI_Recv(in_.data(), bytes, MPI_BYTE, sender, 0, measured_, MPI_STATUS_IGNORE);
    end();
  } else if (std::ranges::find(senders, rank_) != senders.end()) {
    MPI_Send(out_.data(), bytes, MPI_BYTE, order.first, 0, measured_);
  }
}

void Laboratory::run_collective(const Order& order) {
  const int bytes = static_cast<int>(order.bytes);
  const int numbers = static_cast<int>(order.bytes / sizeof(double));
  switch (order.experiment) {
  case Experiment::broadcast:
    MPI_Bcast(out_.data(), bytes, MPI_BYTE, order.first, measured_);
    break;
  case Experiment::reduce:
    MPI_Reduce(out_.data(), in_.data(), numbers, MPI_DOUBLE, MPI_SUM, order.first, measured_);
    break;
  case Experiment::allreduce:
    MPI_Allreduce(out_.data(), in_.data(), numbers, MPI_DOUBLE, MPI_SUM, measured_);
    break;
  case Experiment::gather:
    MPI_Gather(out_.data(), bytes, MPI_BYTE, in_.data(), bytes, MPI_BYTE, order.first, measured_);
    break;
  case Experiment::allgather:
    MPI_Allgather(out_.data(), bytes, MPI_BYTE, in_.data(), bytes, MPI_BYTE, measured_);
    break;
  case Experiment::alltoall:
    MPI_Alltoall(out_.data(), bytes, MPI_BYTE, in_.data(), bytes, MPI_BYTE, measured_);
    break;
  default:
    MPI_Barrier(measured_);
  }
}

/// Every rank measures from when it has left a barrier: the longest of their times is the collective's, but for how far
/// apart they left the barrier.
void Laboratory::collective(const Order& order) {
  MPI_Barrier(control_);
  begin();
  run_collective(order);
  end();
}

} // namespace timeless::ping
